"""The packages that reading Kafka needs: if any of them can't be imported, one error names all of these.

pip installs them together with this package. They may be missing where only its files are on the path, as on an
executor of Spark with ``--py-files``. Those that are compiled can't be imported from such an archive, either.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

__all__ = ["PACKAGES"]

#: By the modules that show whether they are there.
PACKAGES: Final = {
    "attrs": "attrs",
    "cramjam": "cramjam",
    "crc32c": "crc32c",
}


def _can_be_imported(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True


try:
    import attrs  # noqa: F401
    import cramjam  # noqa: F401  (crc32c is imported with the first checksum: it takes long)
except ImportError as error:
    missing = ", ".join(package for module, package in PACKAGES.items() if not _can_be_imported(module))
    raise ImportError(
        f"kafka_nextgen can't import what it needs ({error}): install for {sys.executable}, with Spark on the driver "
        f"and on every executor: {missing}"
    ) from error

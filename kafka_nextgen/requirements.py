"""Checks that the packages required for reading can be imported.

A single error names all that can't be imported. pip installs them with this package. They may be missing if only the
files of this package are on the path, as on Spark executors with ``--py-files``. Compiled packages can't be imported
from such an archive.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

__all__ = ["PACKAGES"]

#: Packages by the module to import.
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
    import cramjam  # noqa: F401  (crc32c is slow to import, so the first checksum does)
except ImportError as error:
    missing = ", ".join(package for module, package in PACKAGES.items() if not _can_be_imported(module))
    raise ImportError(
        f"kafka_nextgen can't import a package ({error}): install these for {sys.executable}, "
        f"with Spark on the driver and on every executor: {missing}"
    ) from error

"""The C extension (``accelerator/``), if it was built and is enabled.

It is built with the package if there is a C compiler. The environment variable ``KAFKA_NEXTGEN_PURE=1`` disables it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kafka_nextgen.compiled import _accelerator as accelerator
else:
    try:
        from kafka_nextgen.compiled import _accelerator as accelerator
    except ImportError:
        accelerator = None

__all__ = ["ACCELERATED", "accelerator"]

#: Whether to use ``accelerator``; check this before importing it, because it may not exist.
ACCELERATED: Final = accelerator is not None and os.environ.get("KAFKA_NEXTGEN_PURE", "") in ("", "0")

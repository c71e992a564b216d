"""The extension in C (``accelerator/``), where it was built and is wanted.

It is built with the package if there is a C compiler. ``KAFKA_NEXTGEN_PURE=1`` in the environment leaves it unused.
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

#: Whether ``accelerator`` is to be used; without it there may be none.
ACCELERATED: Final = accelerator is not None and os.environ.get("KAFKA_NEXTGEN_PURE", "") in ("", "0")

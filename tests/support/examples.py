"""How many examples a random test takes, and how many places an exhaustive one."""

from __future__ import annotations

import os

__all__ = ["every", "examples"]

#: Set to 1, as for a night's run, it makes them take all.
VARIABLE = "KAFKA_NEXTGEN_ALL_EXAMPLES"


def examples(number: int) -> int:
    """Return a third of ``number``, and all of it if the environment says so."""
    return number if _takes_all() else -(-number // 3)


def every(stride: int) -> int:
    """Return ``stride``, and 1 if the environment says so."""
    return 1 if _takes_all() else stride


def _takes_all() -> bool:
    return os.environ.get(VARIABLE) == "1"

"""How many examples a random test takes."""

from __future__ import annotations

import os

__all__ = ["examples"]

#: Set to 1, as for a night's run, it makes random tests take all of their examples.
VARIABLE = "KAFKA_NEXTGEN_ALL_EXAMPLES"


def examples(number: int) -> int:
    """Return a third of ``number``, and all of it if the environment says so."""
    return number if os.environ.get(VARIABLE) == "1" else -(-number // 3)

"""How many examples a random test draws, and how many places an exhaustive one tries."""

from __future__ import annotations

import os

#: Set to 1, as for a night's run, it makes tests of interrupting try all places.
VARIABLE = "KAFKA_NEXTGEN_ALL_EXAMPLES"

#: The default tier draws one of so many examples.
SAMPLE = 10

_draws_all = False


def draw_all() -> None:
    """Have random tests draw all their examples; said before the modules of tests are imported."""
    global _draws_all
    _draws_all = True


def examples(number: int) -> int:
    """Return ``number`` in a run of the whole, and a tenth of it in the default tier."""
    return number if _draws_all or _is_a_night() else -(-number // SAMPLE)


def every(stride: int) -> int:
    return 1 if _is_a_night() else stride


def _is_a_night() -> bool:
    return os.environ.get(VARIABLE) == "1"

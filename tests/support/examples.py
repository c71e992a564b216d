"""How many examples a random test draws, and how many places an exhaustive one tries."""

from __future__ import annotations

import os

#: Set to 1, as for a night's run, it makes random tests draw all examples, others in each run, and tests of
#: interrupting try all places. All other runs of a tier draw the same examples.
VARIABLE = "KAFKA_NEXTGEN_ALL_EXAMPLES"

#: The default tier draws one of so many examples.
SAMPLE = 10

#: The whole draws one of so many; a night's run draws all.
SHARE = 4

_is_whole = False


def draw_for_the_whole() -> None:
    """Have random tests draw a quarter of their examples; said before the modules of tests are imported."""
    global _is_whole
    _is_whole = True


def examples(number: int) -> int:
    """Return ``number`` in a night's run, a quarter of it in a run of the whole, and a tenth in the default tier."""
    if is_a_night():
        return number
    return -(-number // (SHARE if _is_whole else SAMPLE))


def every(stride: int) -> int:
    return 1 if is_a_night() else stride


def is_a_night() -> bool:
    """Return whether this run draws other examples than the run before."""
    return os.environ.get(VARIABLE) == "1"

"""How many examples a random test draws, and how many places an exhaustive one tries."""

from __future__ import annotations

import os

#: Set to 1, as for a night's run, it makes random tests draw all examples, and tests of interrupting try all places.
VARIABLE = "KAFKA_NEXTGEN_ALL_EXAMPLES"

#: The default tier draws one of so many examples.
SAMPLE = 10

#: The whole draws one of so many, others in each run; a night's run draws all.
SHARE = 4

_is_whole = False


def draw_for_the_whole() -> None:
    """Have random tests draw a quarter of their examples; said before the modules of tests are imported."""
    global _is_whole
    _is_whole = True


def examples(number: int) -> int:
    """Return ``number`` in a night's run, a quarter of it in a run of the whole, and a tenth in the default tier."""
    if _is_a_night():
        return number
    return -(-number // (SHARE if _is_whole else SAMPLE))


def draws_the_same() -> bool:
    """Return whether this run draws the same examples as any other of its tier: the default tier does."""
    return not (_is_whole or _is_a_night())


def every(stride: int) -> int:
    return 1 if _is_a_night() else stride


def _is_a_night() -> bool:
    return os.environ.get(VARIABLE) == "1"

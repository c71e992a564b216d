"""Turns: in each round everybody has one, and nobody always the one after the same other."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

__all__ = ["turns"]

T = TypeVar("T")

#: By how many places a round begins later than the one before; prime, so that all places come about.
STRIDE = 7


def turns(everybody: Sequence[T], rounds: int) -> Iterator[T]:
    """Everybody, round after round; each round that is over is told on stderr."""
    for number in range(rounds):
        began, begin = time.monotonic(), number * STRIDE % len(everybody)
        yield from everybody[begin:]
        yield from everybody[:begin]
        print(f"round {number + 1} of {rounds} took {time.monotonic() - began:.0f} s", file=sys.stderr)

"""Turns: in each round everybody has one, and nobody is always first, or always after the same other.

Where a round begins moves on, so far that the rounds are spread over everybody, and every other one goes backwards.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

__all__ = ["turns"]

T = TypeVar("T")


def turns(everybody: Sequence[T], rounds: int, once: Collection[T] = ()) -> Iterator[T]:
    """Everybody, round after round, those in ``once`` in the first only; what a round took is told on stderr."""
    stride = max(1, len(everybody) // rounds)
    for number in range(rounds):
        began = time.monotonic()
        order = _order(everybody, number * stride % len(everybody), backwards=number % 2 == 1)
        yield from (one for one in order if number == 0 or one not in once)
        print(f"round {number + 1} of {rounds} took {time.monotonic() - began:.0f} s", file=sys.stderr)


def _order(everybody: Sequence[T], begin: int, backwards: bool) -> Sequence[T]:
    order = [*everybody[begin:], *everybody[:begin]]
    return order[::-1] if backwards else order

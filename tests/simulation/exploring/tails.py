"""What a fail-over may lose: what the last outcome wrote, while no answer that waits for it has left.

A tail is one number: the coordinator before it wrote last, and for each client how many of its answers wait.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from tests.simulation.exploring.pairs import Kind
from tests.simulation.exploring.visited import Numbers

__all__ = ["NO_TAIL", "back_to", "tails_after", "waiting"]

#: All that was written is stored safely.
NO_TAIL = 0

_COUNT = 3  # bits of how many wait: a client has few answers under way

_T = TypeVar("_T", int, Numbers)


def back_to(tail: int, members: int) -> int:
    """The coordinator that a lost tail leads back to."""
    return (tail >> _COUNT * members) - 1


def waiting(tail: _T, who: int) -> _T:
    """How many answers to a client wait."""
    return tail >> _COUNT * who & (1 << _COUNT) - 1


def tails_after(tails: Numbers, kinds: Numbers, before: Numbers, who: int, answers: Numbers, members: int) -> Numbers:
    """The tails after steps of a client that had so many answers under way, from coordinators ``before``."""
    place = _COUNT * who
    waits = waiting(tails, who)
    wrote, unasked = kinds == Kind.WROTE, kinds == Kind.WROTE_UNASKED
    after = np.where(wrote | unasked, before + 1 << _COUNT * members | wrote.astype(np.int64) << place, tails)
    is_safe = (kinds == Kind.HEARD) & (waits >= answers)
    after[is_safe] = NO_TAIL
    there = tails != NO_TAIL
    after[there & (kinds == Kind.SERVED)] += 1 << place
    crashed = there & (kinds == Kind.CRASHED)
    after[crashed] -= waits[crashed] << place
    return after

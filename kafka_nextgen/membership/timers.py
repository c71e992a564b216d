"""The timers of a member, and their deadlines.

Only armed timers have an entry; the member's deadline is the earliest of them. A rule that makes a timer pointless
disarms it, so that no deadline stays in the past.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import inf
from typing import TypeVar

__all__ = ["Deadlines", "Timer", "armed", "disarmed", "earliest", "is_armed", "is_due"]


class Timer(Enum):
    """What is to happen when the time comes."""

    HEARTBEAT = "heartbeat"  # the next heartbeat goes out; not armed while one is in flight
    POLL = "poll"  # the application has not polled for max.poll.interval.ms: leave
    RESOLVE = "resolve"  # topic ids still have no names: ask again
    LEAVE = "leave"  # the leave was not answered: do without


#: Seconds of a monotonic clock, for each timer that runs.
Deadlines = Mapping[Timer, float]

#: The timers of either machine: the classic protocol has its own.
T = TypeVar("T", bound=Enum)


def armed(deadlines: Mapping[T, float], timer: T, when: float) -> Mapping[T, float]:
    """The same table, with ``timer`` due at ``when``."""
    return {**deadlines, timer: when}


def disarmed(deadlines: Mapping[T, float], *timers: T) -> Mapping[T, float]:
    """The same table without ``timers``."""
    return {timer: when for timer, when in deadlines.items() if timer not in timers}


def is_armed(deadlines: Mapping[T, float], timer: T) -> bool:
    """Whether ``timer`` runs."""
    return timer in deadlines


def is_due(deadlines: Mapping[T, float], timer: T, now: float) -> bool:
    """Whether ``timer`` runs and its time has come."""
    return deadlines.get(timer, inf) <= now


def earliest(deadlines: Mapping[T, float]) -> float | None:
    """When the first of them is due; None if no timer runs."""
    return min(deadlines.values(), default=None)

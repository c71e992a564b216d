"""The timers of a member of either protocol, and their deadlines.

Only armed timers have an entry; the member's deadline is the earliest of them. A rule that makes a timer pointless
disarms it, so that no deadline stays in the past.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import inf

__all__ = ["Deadlines", "Timer", "armed", "disarmed", "is_due"]


class Timer(Enum):
    """What is to happen when the time comes."""

    HEARTBEAT = "heartbeat"  # the next heartbeat goes out; not armed while one is in flight
    POLL = "poll"  # the application has not polled for max.poll.interval.ms: leave
    LEAVE = "leave"  # the leave was not answered: do without

    # consumer group protocol
    RESOLVE = "resolve"  # topic ids still have no names: ask again

    # classic protocol
    JOIN = "join"  # the next JoinGroup goes out; armed while UNJOINED
    SESSION = "session"  # no heartbeat succeeded for a session timeout: look for another coordinator
    TOPICS = "topics"  # the topics could not be described: ask again
    WATCH = "watch"  # look whether the topics have changed
    COMPUTE = "compute"  # the application's assignor has taken too long


#: Seconds of a monotonic clock, for each timer that runs.
Deadlines = Mapping[Timer, float]


def armed(deadlines: Deadlines, timer: Timer, when: float) -> Deadlines:
    """The same table, with ``timer`` due at ``when``."""
    return {**deadlines, timer: when}


def disarmed(deadlines: Deadlines, *timers: Timer) -> Deadlines:
    """The same table without ``timers``."""
    return {timer: when for timer, when in deadlines.items() if timer not in timers}


def is_due(deadlines: Deadlines, timer: Timer, now: float) -> bool:
    """Whether ``timer`` runs and its time has come."""
    return deadlines.get(timer, inf) <= now

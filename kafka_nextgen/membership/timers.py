"""The timers of a member of either protocol, and their deadlines.

Only armed timers have an entry, and the member's deadline is the earliest entry. When a timer is no longer needed, a
rule disarms it, so that no deadline remains in the past.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import inf

__all__ = ["Deadlines", "Timer", "armed", "disarmed", "is_due"]


class Timer(Enum):
    """What the member does when the timer is due."""

    HEARTBEAT = "heartbeat"  # send the next heartbeat; not armed while one is in flight
    POLL = "poll"  # leave: the application has not polled for max.poll.interval.ms
    LEAVE = "leave"  # stop waiting for the response to the leave

    # consumer group protocol
    RESOLVE = "resolve"  # request the names of topic ids again

    # classic protocol
    JOIN = "join"  # send the next JoinGroup; armed while UNJOINED
    SESSION = "session"  # look up the coordinator again: no heartbeat succeeded for the session timeout
    TOPICS = "topics"  # request the description of the topics again
    WATCH = "watch"  # check whether the topics have changed
    COMPUTE = "compute"  # give up on the application's assignor: it has taken too long


#: The deadline of each armed timer, in monotonic seconds.
Deadlines = Mapping[Timer, float]


def armed(deadlines: Deadlines, timer: Timer, when: float) -> Deadlines:
    """The deadlines, with ``timer`` due at ``when``."""
    return {**deadlines, timer: when}


def disarmed(deadlines: Deadlines, *timers: Timer) -> Deadlines:
    """The deadlines without those of ``timers``."""
    return {timer: when for timer, when in deadlines.items() if timer not in timers}


def is_due(deadlines: Deadlines, timer: Timer, now: float) -> bool:
    """Whether ``timer`` is armed and its deadline has passed."""
    return deadlines.get(timer, inf) <= now

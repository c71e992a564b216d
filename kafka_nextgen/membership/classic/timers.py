"""What a member of a classic group waits for the clock to do; the table of deadlines is the other machine's."""

from __future__ import annotations

from enum import Enum

__all__ = ["Timer"]


class Timer(Enum):
    """What is to happen when the time comes."""

    JOIN = "join"  # the next JoinGroup goes out; armed while UNJOINED
    HEARTBEAT = "heartbeat"  # the next heartbeat goes out; not armed while one is in flight
    SESSION = "session"  # no heartbeat succeeded for so long that another coordinator should be looked for
    POLL = "poll"  # the application has not polled for max.poll.interval.ms: leave
    TOPICS = "topics"  # the topics could not be described: ask again
    WATCH = "watch"  # look whether the topics have changed
    COMPUTE = "compute"  # the application's assignor has taken too long
    LEAVE = "leave"  # the LeaveGroup was not answered: do without

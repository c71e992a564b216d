"""Where a member of a classic group stands. Its phases are those of the consumer group protocol's member."""

from __future__ import annotations

from enum import Enum

__all__ = ["Status"]


class Status(Enum):
    """What the member is to its group (Kafka's MemberState of the classic protocol, and the ways out)."""

    UNSUBSCRIBED = "unsubscribed"  # not in a group, and not asked to be
    UNJOINED = "unjoined"  # a JoinGroup is due, as soon as the application knows of what it lost
    PREPARING = "preparing"  # a JoinGroup was sent; it is answered when the whole group has joined
    COMPLETING = "completing"  # in the new generation; the leader assigns, and a SyncGroup is to be answered
    STABLE = "stable"  # has its assignment, and heartbeats; prepares for the next rebalance when there is one
    PREPARE_LEAVING = "prepare_leaving"  # about to leave: commits and revokes first
    LEAVING = "leaving"  # a LeaveGroup is on its way
    STALE = "stale"  # left because the application stopped polling; joins again at the next poll
    FATAL = "fatal"  # the coordinator will never take this member; nothing is sent any more

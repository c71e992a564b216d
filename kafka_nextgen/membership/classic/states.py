"""The status of a member of a classic group. It has the same phases as a member of a consumer group."""

from __future__ import annotations

from enum import Enum

__all__ = ["Status"]


class Status(Enum):
    """The member's status in its group (Kafka's MemberState of the classic protocol, and the steps of leaving)."""

    UNSUBSCRIBED = "unsubscribed"  # not in a group, no subscription
    UNJOINED = "unjoined"  # a JoinGroup is due, once the application was told of its loss
    PREPARING = "preparing"  # a JoinGroup was sent; it is answered when the whole group has joined
    COMPLETING = "completing"  # in the new generation; the leader assigns, and SyncGroup has no answer yet
    STABLE = "stable"  # has its assignment, and heartbeats; prepares for the next rebalance when there is one
    PREPARE_LEAVING = "prepare_leaving"  # about to leave: commits and revokes first
    LEAVING = "leaving"  # a LeaveGroup is in flight
    STALE = "stale"  # left because the application stopped polling; joins again at the next poll
    FATAL = "fatal"  # the coordinator will never accept this member; nothing more is sent

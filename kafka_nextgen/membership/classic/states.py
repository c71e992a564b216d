"""The status of a member of a classic group. Its phases are the same as for a member of a consumer group."""

from __future__ import annotations

from enum import Enum

__all__ = ["Status"]


class Status(Enum):
    """The member's status in its group (Kafka's MemberState of the classic protocol, and the steps of leaving)."""

    UNSUBSCRIBED = "unsubscribed"  # not in a group, no subscription
    UNJOINED = "unjoined"  # sends a JoinGroup once the application was notified of its lost partitions
    PREPARING = "preparing"  # a JoinGroup is in flight; the response arrives when the whole group has joined
    COMPLETING = "completing"  # in the new generation; waits for the leader's assignment in the SyncGroup response
    STABLE = "stable"  # has its assignment and sends heartbeats; prepares for the next rebalance if there is one
    PREPARE_LEAVING = "prepare_leaving"  # about to leave: commits and revokes first
    LEAVING = "leaving"  # a LeaveGroup is in flight
    STALE = "stale"  # left because the application stopped polling; joins again at the next poll
    FATAL = "fatal"  # the coordinator will never accept this member; nothing more is sent

"""What a member of a classic group does about the error codes of OffsetCommit and OffsetFetch.

Every code that is not in a table fails. What says that the group moved on is told apart:

* REBALANCE_IN_PROGRESS: the group has joined, and this member has yet to sync. Its generation is good again, or
  another, after that; the same commit, for what is still owned, is good then.
* ILLEGAL_GENERATION: the commit was under way while the group joined, or the member is out of it. The next
  SyncGroup, or the next heartbeat, tells which.
* UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID: a consumer outside the group does not own what it would commit.

The member is told of each of these (``CommitRefused``), so that it need not wait for its next heartbeat.

A commit before a revocation waits for none of these: the whole group waits for the member to join. OffsetFetch carries
no membership, because a classic group answers any client.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic.failures import COMMIT_REACTIONS
from kafka_nextgen.membership.offsets.rules import Action, OffsetRules

__all__ = [
    "COMMIT_ACTIONS",
    "COMMIT_BEFORE_REVOKING_ACTIONS",
    "FETCH_ACTIONS",
    "RULES",
]

_COORDINATOR_ACTIONS = {
    ErrorCode.NOT_COORDINATOR: Action.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE: Action.FIND_COORDINATOR,
    ErrorCode.REQUEST_TIMED_OUT: Action.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: Action.RETRY,
}

#: A commit the application waits for.
COMMIT_ACTIONS: Mapping[ErrorCode, Action] = {
    **_COORDINATOR_ACTIONS,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: Action.RETRY,
    ErrorCode.UNKNOWN_TOPIC_ID: Action.RETRY,
    ErrorCode.REBALANCE_IN_PROGRESS: Action.RETRY_WITH_NEW_EPOCH,
    ErrorCode.ILLEGAL_GENERATION: Action.RETRY_WITH_NEW_EPOCH,
}

#: The commit of a rebalance, before its revocation.
COMMIT_BEFORE_REVOKING_ACTIONS: Mapping[ErrorCode, Action] = {
    **_COORDINATOR_ACTIONS,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: Action.LEAVE_OUT,
    ErrorCode.UNKNOWN_TOPIC_ID: Action.LEAVE_OUT,
}

#: Committed offsets, always asked for with RequireStable.
FETCH_ACTIONS: Mapping[ErrorCode, Action] = {
    **_COORDINATOR_ACTIONS,
    ErrorCode.UNSTABLE_OFFSET_COMMIT: Action.RETRY,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: Action.LEAVE_OUT,
    ErrorCode.UNKNOWN_TOPIC_ID: Action.LEAVE_OUT,
}

#: Those of the classic protocol.
RULES = OffsetRules(
    COMMIT_ACTIONS,
    COMMIT_BEFORE_REVOKING_ACTIONS,
    FETCH_ACTIONS,
    fetches_as_member=False,
    tells_member=frozenset(COMMIT_REACTIONS),
)

"""How a member handles each error code of OffsetCommit and OffsetFetch (KIP-848, "OffsetCommit API" and
"OffsetFetch API"; where the KIP does not specify it, like Kafka's own consumer).

A code that is not in a table fails the call. Retries end at the caller's deadline, with the error that was retried.

* STALE_MEMBER_EPOCH means that the coordinator moved the member to another epoch while the request was in flight.
  After the next heartbeat response, which has the new epoch, the member repeats the request for the partitions it still
  owns. Without a new epoch it repeats the request after a pause, because reading waits for a lookup, and a revocation
  waits for a commit.
* UNKNOWN_MEMBER_ID and FENCED_INSTANCE_ID fail a commit: a consumer outside the group does not own the partitions in
  its commit.
* A broker may not know a new topic yet, so a commit for an unknown topic is retried, until the cluster's metadata shows
  that the topic or partition does not exist (``CommitAnswered.absent``): then it fails. It is not retried before a
  revocation, or if any of its partitions is being given up, because other members wait for those. OffsetFetch leaves
  the partition out of the result. This does not mean that it has no committed offset, so its position is not reset.
* No other OffsetFetch error counts as "no committed offset" either; otherwise reading would not resume where the group
  left off.

In the classic protocol, two codes mean that the group is rebalancing or has a new generation. The machine reports them
to the member immediately (``CommitRefused``).

* REBALANCE_IN_PROGRESS: all members have joined, but this one has not synced yet. After SyncGroup the same commit can
  succeed, for the partitions still owned, in the same generation or a later one.
* ILLEGAL_GENERATION: the commit was in flight while the group joined, or the member is no longer in the group. The next
  SyncGroup or heartbeat response shows which.

A commit before a revocation is not retried after either code, because the whole group waits for the member to join.
OffsetFetch carries no member id or epoch, because a classic group answers any client.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, CommitFailedError, GroupNotEmptyError, GroupNotFoundError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.error_actions import COORDINATOR_ACTIONS, ErrorAction, ErrorActions
from kafka_nextgen.membership.error_classes import error_class

__all__ = ["CLASSIC_RULES", "RULES", "OffsetRules", "commit_error_class"]

_ANY_REQUEST: ErrorActions = {**COORDINATOR_ACTIONS, ErrorCode.REQUEST_TIMED_OUT: ErrorAction.FIND_COORDINATOR}

_COMMIT: ErrorActions = {
    **_ANY_REQUEST,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorAction.RETRY,
    ErrorCode.UNKNOWN_TOPIC_ID: ErrorAction.RETRY,
}

_COMMIT_BEFORE_REVOKING: ErrorActions = {
    **_ANY_REQUEST,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorAction.LEAVE_OUT,
    ErrorCode.UNKNOWN_TOPIC_ID: ErrorAction.LEAVE_OUT,
}

#: OffsetFetch always sets RequireStable.
_FETCH: ErrorActions = {**_COMMIT_BEFORE_REVOKING, ErrorCode.UNSTABLE_OFFSET_COMMIT: ErrorAction.RETRY}

_STALE: ErrorActions = {ErrorCode.STALE_MEMBER_EPOCH: ErrorAction.RETRY_WITH_NEW_EPOCH}


@frozen
class OffsetRules:
    """How a member handles error codes: the tables of its protocol.

    ``commit`` is for the application's commits and interval commits. With ``fetches_as_member``, OffsetFetch carries
    the member's id and epoch. ``tells_member`` contains the error codes of commits that are reported to the member
    immediately, without waiting for its next heartbeat.
    """

    commit: ErrorActions
    commit_before_revoking: ErrorActions
    fetch: ErrorActions
    fetches_as_member: bool
    tells_member: frozenset[ErrorCode] = frozenset()


#: The rules of the consumer group protocol (KIP-848).
RULES = OffsetRules(
    {**_COMMIT, **_STALE}, {**_COMMIT_BEFORE_REVOKING, **_STALE}, {**_FETCH, **_STALE}, fetches_as_member=True
)

#: The rules of the classic protocol.
CLASSIC_RULES = OffsetRules(
    {
        **_COMMIT,
        ErrorCode.REBALANCE_IN_PROGRESS: ErrorAction.RETRY_WITH_NEW_EPOCH,
        ErrorCode.ILLEGAL_GENERATION: ErrorAction.RETRY_WITH_NEW_EPOCH,
    },
    dict(_COMMIT_BEFORE_REVOKING),
    dict(_FETCH),
    fetches_as_member=False,
    tells_member=frozenset(
        {
            ErrorCode.REBALANCE_IN_PROGRESS,
            ErrorCode.ILLEGAL_GENERATION,
            ErrorCode.UNKNOWN_MEMBER_ID,
            ErrorCode.FENCED_INSTANCE_ID,
        }
    ),
)


def commit_error_class(code: int) -> type[BrokerError]:
    """The error class to raise: CommitFailedError, unless applications handle the code's own class separately."""
    own = error_class(code)
    return CommitFailedError if own in (BrokerError, GroupNotFoundError, GroupNotEmptyError) else own

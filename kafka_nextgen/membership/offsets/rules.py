"""What a member does about each error code of OffsetCommit and OffsetFetch (KIP-848, "OffsetCommit API" and
"OffsetFetch API"; Kafka's own consumer for what the text leaves open).

Every code that is not in a table fails. Retries end at the caller's deadline, with the error that was retried.

* STALE_MEMBER_EPOCH means that the coordinator moved the member to another epoch while the request was in flight.
  The next heartbeat response brings the new epoch; then the member repeats the request for what it still owns. If no
  new epoch comes it repeats it after a pause, because reading waits for a lookup, and a revocation for a commit.
* UNKNOWN_MEMBER_ID and FENCED_INSTANCE_ID fail a commit: a consumer outside the group does not own the partitions it
  would commit.
* A broker may not know a new topic yet, so a commit retries. A commit before a revocation does not, nor does any
  commit with partitions that are being given up: other members wait for them. A fetch of offsets leaves the partition
  out. That is no answer, not "no offset", so its position is not reset.
* A fetch takes no other error for "no offset" either: reading would not resume where the group left off.

In the classic protocol two codes say that the group moved on. The member is told of them at once (``CommitRefused``).

* REBALANCE_IN_PROGRESS: the group has joined, and this member has yet to sync. After that the same commit is good, for
  what is still owned, in the same generation or another.
* ILLEGAL_GENERATION: the commit was under way while the group joined, or the member is out of it. The next SyncGroup,
  or the next heartbeat, tells which.

A commit before a revocation waits for neither: the whole group waits for the member to join. OffsetFetch carries no
membership, because a classic group answers any client.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, CommitFailedError, GroupNotEmptyError, GroupNotFoundError
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
    """What a member does about error codes: the tables of its protocol.

    ``commit`` is for a commit of the application, or of auto-commit on its interval. ``fetches_as_member``: OffsetFetch
    carries the member's id and epoch. ``tells_member``: the error codes of a commit that the member must hear of at
    once, without waiting for its next heartbeat.
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
    """CommitFailedError, unless the code has an error class that an application handles separately."""
    own = error_class(code)
    return CommitFailedError if own in (BrokerError, GroupNotFoundError, GroupNotEmptyError) else own

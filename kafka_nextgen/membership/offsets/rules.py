"""What a member does about each error code of OffsetCommit and OffsetFetch (KIP-848, "OffsetCommit API" and
"OffsetFetch API"; Kafka's own consumer for what the text leaves open).

Every code that is not in a table fails. Retries end at the caller's deadline, with the error that was retried.

* STALE_MEMBER_EPOCH means that the coordinator moved the member to another epoch while the request was in flight.
  The next heartbeat response brings the new epoch; then the member repeats the request for what it still owns. If no
  new epoch comes it repeats it after a pause, because reading waits for a lookup, and a revocation for a commit.
* UNKNOWN_MEMBER_ID fails a commit: a consumer outside the group does not own the partitions it would commit.
* A broker may not know a new topic yet, so a commit retries. A commit before a revocation does not, nor does any
  commit with partitions that are being given up: other members wait for them. A fetch of offsets leaves the partition
  out. That is no answer, not "no offset", so its position is not reset.
* A fetch takes no other error for "no offset" either: reading would not resume where the group left off.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, CommitFailedError, GroupNotEmptyError, GroupNotFoundError
from kafka_nextgen.membership.error_classes import error_class

__all__ = [
    "COMMIT_ACTIONS",
    "COMMIT_BEFORE_REVOKING_ACTIONS",
    "FETCH_ACTIONS",
    "RULES",
    "Action",
    "OffsetRules",
    "Reaction",
]


class Action(Enum):
    """What to do about an error."""

    RETRY = "retry"  # after the backoff
    FIND_COORDINATOR = "find_coordinator"  # then again
    RETRY_WITH_NEW_EPOCH = "retry_with_new_epoch"  # after the next heartbeat's answer, or a pause
    LEAVE_OUT = "leave_out"  # go on without this partition
    FAIL = "fail"  # raise the error of the reaction


@frozen
class Reaction:
    """An action, and the error to raise if it is FAIL or the deadline for retries has passed."""

    action: Action
    error: type[BrokerError]


_COORDINATOR_ACTIONS = {
    ErrorCode.NOT_COORDINATOR: Action.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE: Action.FIND_COORDINATOR,
    ErrorCode.REQUEST_TIMED_OUT: Action.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: Action.RETRY,
    ErrorCode.STALE_MEMBER_EPOCH: Action.RETRY_WITH_NEW_EPOCH,
}

#: For a commit of the application.
COMMIT_ACTIONS: Mapping[ErrorCode, Action] = {
    **_COORDINATOR_ACTIONS,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: Action.RETRY,
    ErrorCode.UNKNOWN_TOPIC_ID: Action.RETRY,
}

#: For the commit before a revocation.
COMMIT_BEFORE_REVOKING_ACTIONS: Mapping[ErrorCode, Action] = {
    **_COORDINATOR_ACTIONS,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: Action.LEAVE_OUT,
    ErrorCode.UNKNOWN_TOPIC_ID: Action.LEAVE_OUT,
}

#: For OffsetFetch, which always sets RequireStable.
FETCH_ACTIONS: Mapping[ErrorCode, Action] = {
    **_COORDINATOR_ACTIONS,
    ErrorCode.UNSTABLE_OFFSET_COMMIT: Action.RETRY,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: Action.LEAVE_OUT,
    ErrorCode.UNKNOWN_TOPIC_ID: Action.LEAVE_OUT,
}


@frozen
class OffsetRules:
    """What a member does about error codes: the tables of its protocol.

    ``fetches_as_member``: OffsetFetch carries the member's id and epoch. ``tells_member``: the error codes of a commit
    that the member must hear of at once, without waiting for its next heartbeat.
    """

    commit: Mapping[ErrorCode, Action]
    commit_before_revoking: Mapping[ErrorCode, Action]
    fetch: Mapping[ErrorCode, Action]
    fetches_as_member: bool
    tells_member: frozenset[ErrorCode] = frozenset()

    def on_commit_error(self, code: int) -> Reaction:
        """What to do about an error code of OffsetCommit."""
        return Reaction(_action(self.commit, code), _commit_error_class(code))

    def on_commit_before_revoking_error(self, code: int) -> Reaction:
        """What to do about an error code of the OffsetCommit of a rebalance."""
        return Reaction(_action(self.commit_before_revoking, code), _commit_error_class(code))

    def on_fetch_error(self, code: int) -> Reaction:
        """What to do about an error code of OffsetFetch."""
        return Reaction(_action(self.fetch, code), error_class(code))


#: The rules of the consumer group protocol (KIP-848).
RULES = OffsetRules(COMMIT_ACTIONS, COMMIT_BEFORE_REVOKING_ACTIONS, FETCH_ACTIONS, fetches_as_member=True)


def _action(actions: Mapping[ErrorCode, Action], code: int) -> Action:
    return next((action for known, action in actions.items() if known == code), Action.FAIL)


def _commit_error_class(code: int) -> type[BrokerError]:
    """CommitFailedError, unless the code has an error class that an application handles separately."""
    own = error_class(code)
    return CommitFailedError if own in (BrokerError, GroupNotFoundError, GroupNotEmptyError) else own

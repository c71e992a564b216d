"""What a member does about each error code of OffsetCommit and OffsetFetch (KIP-848, "OffsetCommit API" and
"OffsetFetch API"; Kafka's own consumer for what the text leaves open).

Every code that is not in a table fails. Retries end at the caller's deadline, with the error that was retried.

* STALE_MEMBER_EPOCH means that the coordinator moved the member to another epoch while the request was under
  way. The next heartbeat's answer brings it; the same request, for what is still owned, is good then. It is repeated
  after a pause, too, should no other epoch come: reading waits for a lookup, and a revocation for a commit.
* UNKNOWN_MEMBER_ID fails a commit: whoever is out of the group does not own what it wants to commit.
* A topic that is unknown may be about to become known to the broker. A commit that precedes a revocation does
  not wait for it, nor does any commit with partitions that are being given up: others wait for them. A fetch of
  offsets leaves the partition out, which then has no answer rather than no offset: nothing is reset for it.
* Nor does a fetch take any other error for "no offset": reading would begin elsewhere than the group left off.
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
    """An action, and the class to raise if it is to fail, or when the time for retrying is over."""

    action: Action
    error: type[BrokerError]


_COORDINATOR_ACTIONS = {
    ErrorCode.NOT_COORDINATOR: Action.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE: Action.FIND_COORDINATOR,
    ErrorCode.REQUEST_TIMED_OUT: Action.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: Action.RETRY,
    ErrorCode.STALE_MEMBER_EPOCH: Action.RETRY_WITH_NEW_EPOCH,
}

#: A commit the application waits for.
COMMIT_ACTIONS: Mapping[ErrorCode, Action] = {
    **_COORDINATOR_ACTIONS,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: Action.RETRY,
    ErrorCode.UNKNOWN_TOPIC_ID: Action.RETRY,
}

#: The commit of a reconciliation, before its revocation.
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


@frozen
class OffsetRules:
    """What a member does about error codes: the tables of its protocol.

    ``fetches_as_member`` is whether committed offsets are told to members only. With one of ``tells_member`` a
    commit says something of the member itself, which need not wait for its next heartbeat to hear of it.
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


#: Those of the consumer group protocol.
RULES = OffsetRules(COMMIT_ACTIONS, COMMIT_BEFORE_REVOKING_ACTIONS, FETCH_ACTIONS, fetches_as_member=True)


def _action(actions: Mapping[ErrorCode, Action], code: int) -> Action:
    return next((action for known, action in actions.items() if known == code), Action.FAIL)


def _commit_error_class(code: int) -> type[BrokerError]:
    """A commit has failed, unless the reason is one that an application handles by itself."""
    own = error_class(code)
    return CommitFailedError if own in (BrokerError, GroupNotFoundError, GroupNotEmptyError) else own

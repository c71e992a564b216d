from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CommitFailedError, GroupAuthorizationError, TopicAuthorizationError
from kafka_nextgen.membership.offsets.rules import RULES, Action


@pytest.mark.parametrize("react", [RULES.on_commit_error, RULES.on_commit_before_revoking_error, RULES.on_fetch_error])
@pytest.mark.parametrize(
    ("code", "action"),
    [
        (ErrorCode.NOT_COORDINATOR, Action.FIND_COORDINATOR),
        (ErrorCode.COORDINATOR_NOT_AVAILABLE, Action.FIND_COORDINATOR),
        (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, Action.RETRY),
        (ErrorCode.STALE_MEMBER_EPOCH, Action.RETRY_WITH_NEW_EPOCH),
        (ErrorCode.UNKNOWN_MEMBER_ID, Action.FAIL),
        (ErrorCode.GROUP_AUTHORIZATION_FAILED, Action.FAIL),
    ],
)
def test_errors_of_the_coordinator_mean_the_same_to_all_three(react: object, code: ErrorCode, action: Action) -> None:
    assert react(code).action is action  # type: ignore[operator]


def test_a_topic_that_is_unknown_is_waited_for_only_where_nobody_else_waits() -> None:
    assert RULES.on_commit_error(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION).action is Action.RETRY
    assert RULES.on_commit_before_revoking_error(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION).action is Action.LEAVE_OUT
    assert RULES.on_fetch_error(ErrorCode.UNKNOWN_TOPIC_ID).action is Action.LEAVE_OUT


def test_only_a_fetch_waits_for_pending_transactions() -> None:
    assert RULES.on_fetch_error(ErrorCode.UNSTABLE_OFFSET_COMMIT).action is Action.RETRY
    assert RULES.on_commit_error(ErrorCode.UNSTABLE_OFFSET_COMMIT).action is Action.FAIL


def test_a_commit_fails_with_an_error_of_its_own_unless_there_is_a_better_one() -> None:
    assert RULES.on_commit_error(ErrorCode.UNKNOWN_MEMBER_ID).error is CommitFailedError
    assert RULES.on_commit_error(ErrorCode.GROUP_AUTHORIZATION_FAILED).error is GroupAuthorizationError
    assert RULES.on_fetch_error(ErrorCode.TOPIC_AUTHORIZATION_FAILED).error is TopicAuthorizationError


def test_an_error_nobody_has_heard_of_fails() -> None:
    assert RULES.on_commit_error(9999).action is Action.FAIL

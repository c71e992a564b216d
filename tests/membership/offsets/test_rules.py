from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CommitFailedError, GroupAuthorizationError
from kafka_nextgen.membership.error_actions import ErrorAction, ErrorActions
from kafka_nextgen.membership.offsets.rules import RULES, commit_error_class

FAIL = ErrorAction.FAIL


@pytest.mark.parametrize("actions", [RULES.commit, RULES.commit_before_revoking, RULES.fetch])
@pytest.mark.parametrize(
    ("code", "action"),
    [
        (ErrorCode.NOT_COORDINATOR, ErrorAction.FIND_COORDINATOR),
        (ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorAction.FIND_COORDINATOR),
        (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorAction.RETRY),
        (ErrorCode.STALE_MEMBER_EPOCH, ErrorAction.RETRY_WITH_NEW_EPOCH),
        (ErrorCode.UNKNOWN_MEMBER_ID, FAIL),
        (ErrorCode.GROUP_AUTHORIZATION_FAILED, FAIL),
    ],
)
def test_errors_of_the_coordinator_mean_the_same_to_all_three(
    actions: ErrorActions, code: ErrorCode, action: ErrorAction
) -> None:
    assert actions.get(code, FAIL) is action


def test_a_topic_that_is_unknown_is_waited_for_only_where_nobody_else_waits() -> None:
    assert RULES.commit[ErrorCode.UNKNOWN_TOPIC_OR_PARTITION] is ErrorAction.RETRY
    assert RULES.commit_before_revoking[ErrorCode.UNKNOWN_TOPIC_OR_PARTITION] is ErrorAction.LEAVE_OUT
    assert RULES.fetch[ErrorCode.UNKNOWN_TOPIC_ID] is ErrorAction.LEAVE_OUT


def test_only_a_fetch_waits_for_pending_transactions() -> None:
    assert RULES.fetch[ErrorCode.UNSTABLE_OFFSET_COMMIT] is ErrorAction.RETRY
    assert RULES.commit.get(ErrorCode.UNSTABLE_OFFSET_COMMIT, FAIL) is FAIL


def test_a_commit_fails_with_an_error_of_its_own_unless_there_is_a_better_one() -> None:
    assert commit_error_class(ErrorCode.UNKNOWN_MEMBER_ID) is CommitFailedError
    assert commit_error_class(ErrorCode.GROUP_AUTHORIZATION_FAILED) is GroupAuthorizationError

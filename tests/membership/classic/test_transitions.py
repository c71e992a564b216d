"""The table itself: complete, without dead ends, and the offsets' tables beside it."""

from __future__ import annotations

from typing import get_args

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CommitFailedError, FencedInstanceError
from kafka_nextgen.membership.classic import member as member_module
from kafka_nextgen.membership.classic.events import ClassicEvent
from kafka_nextgen.membership.classic.failures import heartbeat_refused
from kafka_nextgen.membership.classic.member import ClassicMember
from kafka_nextgen.membership.classic.settings import ClassicContext, ClassicSettings
from kafka_nextgen.membership.classic.state import ClassicState
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.classic.transitions import IGNORED, RULES, TABLE, Row
from kafka_nextgen.membership.error_actions import ErrorAction
from kafka_nextgen.membership.events import HeartbeatRefused, Unsubscribed
from kafka_nextgen.membership.offsets.ending import action_on
from kafka_nextgen.membership.offsets.rules import CLASSIC_RULES, commit_error_class
from kafka_nextgen.membership.offsets.state import CommitKind


def test_every_pair_has_a_rule_or_a_reason() -> None:
    reasons = {(status, entry.event) for entry in IGNORED for status in entry.statuses}
    assert len(TABLE) + len(reasons) == len(Status) * len(get_args(ClassicEvent))
    assert all(entry.reason for entry in IGNORED)


def test_a_rule_that_leads_where_the_table_does_not_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row(Status.UNSUBSCRIBED, Unsubscribed, lambda state, _event, _at: (state, ()), frozenset({Status.FATAL}))
    monkeypatch.setattr(member_module, "TABLE", {(row.status, row.event): row})
    with pytest.raises(AssertionError, match="UNSUBSCRIBED on Unsubscribed must not lead to"):
        ClassicMember(ClassicSettings("billing")).handle(Unsubscribed(), 0.0, 0.5)


def test_a_code_that_is_in_no_table_is_fatal() -> None:
    at = ClassicContext(0.0, 0.5, ClassicSettings("billing"))
    state, _ = heartbeat_refused(ClassicState(status=Status.STABLE), HeartbeatRefused(1, 9999, None), at)
    assert state.status is Status.FATAL


def test_every_status_can_be_reached_and_only_fatal_has_no_way_out() -> None:
    assert {to for row in RULES for to in row.to - {row.status}} == set(Status)
    assert {row.status for row in RULES if row.to - {row.status}} == set(Status) - {Status.FATAL}


@pytest.mark.parametrize(
    ("code", "commit", "before_revoking"),
    [
        (ErrorCode.NOT_COORDINATOR, ErrorAction.FIND_COORDINATOR, ErrorAction.FIND_COORDINATOR),
        (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorAction.RETRY, ErrorAction.RETRY),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorAction.RETRY, ErrorAction.LEAVE_OUT),
        (ErrorCode.REBALANCE_IN_PROGRESS, ErrorAction.RETRY_WITH_NEW_EPOCH, ErrorAction.FAIL),
        (ErrorCode.ILLEGAL_GENERATION, ErrorAction.RETRY_WITH_NEW_EPOCH, ErrorAction.FAIL),
        (ErrorCode.UNKNOWN_MEMBER_ID, ErrorAction.FAIL, ErrorAction.FAIL),
    ],
)
def test_commits(code: ErrorCode, commit: ErrorAction, before_revoking: ErrorAction) -> None:
    assert action_on(CLASSIC_RULES, CommitKind.APPLICATION, code) is commit
    assert action_on(CLASSIC_RULES, CommitKind.BEFORE_REVOKING, code) is before_revoking


def test_a_commit_that_fails_says_what_failed() -> None:
    assert commit_error_class(ErrorCode.UNKNOWN_MEMBER_ID) is CommitFailedError
    assert commit_error_class(ErrorCode.FENCED_INSTANCE_ID) is FencedInstanceError


def test_offsets_are_told_to_anybody() -> None:
    assert not CLASSIC_RULES.fetches_as_member
    assert CLASSIC_RULES.fetch[ErrorCode.UNSTABLE_OFFSET_COMMIT] is ErrorAction.RETRY
    assert CLASSIC_RULES.fetch[ErrorCode.UNKNOWN_TOPIC_ID] is ErrorAction.LEAVE_OUT

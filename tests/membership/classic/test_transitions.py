"""The table itself: complete, without dead ends, and the offsets' tables beside it."""

from __future__ import annotations

from typing import get_args

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CommitFailedError, FencedInstanceError
from kafka_nextgen.membership.classic import member as member_module
from kafka_nextgen.membership.classic.events import ClassicEvent
from kafka_nextgen.membership.classic.failures import HEARTBEAT_REACTIONS, Reaction, reaction_to
from kafka_nextgen.membership.classic.member import ClassicMember
from kafka_nextgen.membership.classic.offsets import RULES as OFFSET_RULES
from kafka_nextgen.membership.classic.settings import ClassicSettings
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.classic.transitions import IGNORED, RULES, TABLE, Row
from kafka_nextgen.membership.events import Unsubscribed
from kafka_nextgen.membership.offsets.rules import Action


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
    assert reaction_to(HEARTBEAT_REACTIONS, 9999) is Reaction.FAIL


def test_every_status_can_be_reached_and_only_fatal_has_no_way_out() -> None:
    assert {to for row in RULES for to in row.to - {row.status}} == set(Status)
    assert {row.status for row in RULES if row.to - {row.status}} == set(Status) - {Status.FATAL}


@pytest.mark.parametrize(
    ("code", "commit", "before_revoking"),
    [
        (ErrorCode.NOT_COORDINATOR, Action.FIND_COORDINATOR, Action.FIND_COORDINATOR),
        (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, Action.RETRY, Action.RETRY),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, Action.RETRY, Action.LEAVE_OUT),
        (ErrorCode.REBALANCE_IN_PROGRESS, Action.RETRY_WITH_NEW_EPOCH, Action.FAIL),
        (ErrorCode.ILLEGAL_GENERATION, Action.RETRY_WITH_NEW_EPOCH, Action.FAIL),
        (ErrorCode.UNKNOWN_MEMBER_ID, Action.FAIL, Action.FAIL),
    ],
)
def test_commits(code: ErrorCode, commit: Action, before_revoking: Action) -> None:
    assert OFFSET_RULES.on_commit_error(code).action is commit
    assert OFFSET_RULES.on_commit_before_revoking_error(code).action is before_revoking


def test_a_commit_that_fails_says_what_failed() -> None:
    assert OFFSET_RULES.on_commit_error(ErrorCode.UNKNOWN_MEMBER_ID).error is CommitFailedError
    assert OFFSET_RULES.on_commit_error(ErrorCode.FENCED_INSTANCE_ID).error is FencedInstanceError


def test_offsets_are_told_to_anybody() -> None:
    assert not OFFSET_RULES.fetches_as_member
    assert OFFSET_RULES.on_fetch_error(ErrorCode.UNSTABLE_OFFSET_COMMIT).action is Action.RETRY
    assert OFFSET_RULES.on_fetch_error(ErrorCode.UNKNOWN_TOPIC_ID).action is Action.LEAVE_OUT

"""The tables of both members themselves: complete, without dead ends."""

from __future__ import annotations

from enum import Enum
from types import ModuleType
from typing import Any, get_args

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CommitFailedError, FencedInstanceError
from kafka_nextgen.membership import member as consumer_member
from kafka_nextgen.membership import transitions as consumer
from kafka_nextgen.membership.classic import member as classic_member
from kafka_nextgen.membership.classic import states as classic_states
from kafka_nextgen.membership.classic import transitions as classic
from kafka_nextgen.membership.classic.events import ClassicEvent
from kafka_nextgen.membership.classic.failures import heartbeat_refused
from kafka_nextgen.membership.classic.settings import ClassicContext, ClassicSettings
from kafka_nextgen.membership.classic.state import ClassicState
from kafka_nextgen.membership.events import Event, HeartbeatRefused, Polled
from kafka_nextgen.membership.offsets.rules import commit_error_class
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.membership.states import Status

of_either_member = pytest.mark.parametrize(
    ("table", "statuses", "events"),
    [
        pytest.param(consumer, Status, Event, id="consumer"),
        pytest.param(classic, classic_states.Status, ClassicEvent, id="classic"),
    ],
)


@of_either_member
def test_every_pair_has_a_rule_or_a_reason(table: ModuleType, statuses: type[Enum], events: Any) -> None:
    reasons = {(status, entry.event) for entry in table.IGNORED for status in entry.statuses}
    assert len(table.TABLE) + len(reasons) == len(statuses) * len(get_args(events))
    assert all(entry.reason for entry in table.IGNORED)


@of_either_member
def test_every_status_can_be_reached_and_only_fatal_has_no_way_out(
    table: ModuleType, statuses: Any, events: Any
) -> None:
    assert {to for row in table.RULES for to in row.to - {row.status}} == set(statuses)
    assert {row.status for row in table.RULES if row.to - {row.status}} == set(statuses) - {statuses.FATAL}


@pytest.mark.parametrize(
    ("module", "row", "member"),
    [
        (consumer_member, consumer.Row, consumer_member.Member(MemberSettings("billing"), "me")),
        (classic_member, classic.Row, classic_member.ClassicMember(ClassicSettings("billing"))),
    ],
    ids=["consumer", "classic"],
)
def test_a_rule_that_leads_where_the_table_does_not_is_a_bug(
    module: ModuleType, row: Any, member: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses = type(member.status)
    rule = row(member.status, Polled, lambda state, _event, _at: (state, ()), frozenset({statuses.FATAL}))
    monkeypatch.setattr(module, "TABLE", {(rule.status, rule.event): rule})
    with pytest.raises(AssertionError, match="UNSUBSCRIBED on Polled must not lead to"):
        member.handle(Polled(), 0.0, 0.5)


def test_a_code_that_is_in_no_table_of_a_classic_coordinator_is_fatal() -> None:
    at = ClassicContext(0.0, 0.5, ClassicSettings("billing"))
    stable = ClassicState(status=classic_states.Status.STABLE)
    state, _ = heartbeat_refused(stable, HeartbeatRefused(1, 9999, None), at)
    assert state.status is classic_states.Status.FATAL


def test_a_commit_that_fails_says_what_failed() -> None:
    assert commit_error_class(ErrorCode.UNKNOWN_MEMBER_ID) is CommitFailedError
    assert commit_error_class(ErrorCode.FENCED_INSTANCE_ID) is FencedInstanceError

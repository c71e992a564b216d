from __future__ import annotations

import runpy
from pathlib import Path
from typing import get_args

import pytest

from kafka_nextgen.membership import member as member_module
from kafka_nextgen.membership.events import Event, Polled
from kafka_nextgen.membership.states import Status
from kafka_nextgen.membership.transitions import IGNORED, RULES, TABLE, Row
from tests.membership.conversation import Conversation

PAGE_WRITER = Path(__file__).parents[2] / "docs" / "make_membership.py"


def test_every_pair_has_a_rule_or_a_reason() -> None:
    reasons = {(status, entry.event) for entry in IGNORED for status in entry.statuses}
    assert len(TABLE) + len(reasons) == len(Status) * len(get_args(Event))
    assert all(entry.reason for entry in IGNORED)


def test_a_rule_that_leads_where_the_table_does_not_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row(Status.UNSUBSCRIBED, Polled, lambda state, _event, _at: (state, ()), frozenset({Status.FATAL}))
    monkeypatch.setattr(member_module, "TABLE", {(row.status, row.event): row})
    with pytest.raises(AssertionError, match="UNSUBSCRIBED on Polled must not lead to"):
        Conversation().poll()


def test_every_status_can_be_reached_and_only_fatal_has_no_way_out() -> None:
    reached = {to for row in RULES for to in row.to - {row.status}}
    assert reached == set(Status)
    assert {row.status for row in RULES if row.to - {row.status}} == set(Status) - {Status.FATAL}


def test_the_diagram_has_the_arrows_of_the_table() -> None:
    drawn = runpy.run_path(str(PAGE_WRITER))["diagram"](RULES)
    assert drawn.startswith("stateDiagram-v2\n    [*] --> UNSUBSCRIBED\n")
    assert "    UNSUBSCRIBED --> JOINING: Subscribed\n" in drawn
    assert "    RECONCILING --> ACKNOWLEDGING: AssignFinished\n" in drawn
    assert "STABLE --> STABLE" not in drawn

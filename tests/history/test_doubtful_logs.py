"""Logs that can't all be true: their answers are marked, or do not make up what the log does not tell."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pytest
from hypothesis import given

from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.facts import GroupSummary, Holdup, Rebalance, Standstill, Tenure
from kafka_nextgen.history.member import _MAX_BUSY_SPANS
from kafka_nextgen.history.members import ACTIVE_AFTER_LEAVING
from kafka_nextgen.history.partition_state import _MAX_LAGS
from kafka_nextgen.history.rebalances import EPOCHS_FALL, MAX_OPEN, TOO_MANY_OPEN
from tests.history.making import EVENTS
from tests.history.story import story

BEGIN = "0 coordinator:1 joined A @1\n0 coordinator:1 group_epoch A @1\n0.1 consumer:a assigned A @1 t[0-1]\n"


def marks(text: str) -> str:
    (summary,) = analyze(story(text)).facts["groups"]
    assert isinstance(summary, GroupSummary)
    return summary.marks


def test_rebalances_that_are_not_waited_for_any_more_are_marked() -> None:
    told = "".join(f"{epoch} coordinator:1 group_epoch @{epoch}\n" for epoch in range(2, MAX_OPEN + 3))
    first, second, *_ = analyze(story(BEGIN + "1.5 coordinator:1 joined dead @1\n" + told)).facts["rebalances"]
    assert isinstance(second, Rebalance)
    assert (second.ended, second.marks) == (None, TOO_MANY_OPEN)
    assert isinstance(first, Rebalance)
    assert first.marks == ""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("5 coordinator:1 group_epoch @2\n6 consumer:a assigned A @2", ""),
        ("5 consumer:a assigned A @3\n5.1 consumer:b assigned B @2", "begins in the middle"),
        ("5 consumer:x joined X @2147483647\n6 coordinator:1 group_epoch @2", EPOCHS_FALL),
        ("5 coordinator:1 group_epoch @9\n6 coordinator:1 group_epoch @9\n7 coordinator:1 group_epoch @2", EPOCHS_FALL),
        ("5 coordinator:1 group_epoch @2\n6 coordinator:1 group_epoch @1", EPOCHS_FALL),
        ("5 coordinator:1 left A @1\n6 coordinator:1 joined B @1\n6 coordinator:1 group_epoch B @1", ""),
    ],
    ids=["they grow", "one is passed over", "forged", "a jump", "began anew unseen", "deleted while empty"],
)
def test_group_epochs_that_fall_are_marked(more: str, expected: str) -> None:
    assert marks(BEGIN + more) == expected


def test_a_commit_of_many_partitions_does_not_hide_what_a_member_did_before() -> None:
    commits = "".join(f"5 consumer:a committed A t[{number}] offset=1 ms=10\n" for number in range(_MAX_BUSY_SPANS + 1))
    told = (
        f"{BEGIN}1 coordinator:1 group_epoch @2\n4 consumer:a callback A ms=2000\n{commits}6 consumer:a assigned A @2"
    )
    holdup = analyze(story(told)).facts["holdups"][-1]
    assert isinstance(holdup, Holdup)
    assert (holdup.callback_ms, holdup.commit_ms) == (2_000, 10)


def test_the_lag_of_a_time_that_is_long_ago_is_not_made_up() -> None:
    lags = "".join(f"{at} poller:p lag t[0] offset=0 end={at * 10}\n" for at in range(1, _MAX_LAGS + 20))
    told = f"{BEGIN}{lags}50 consumer:a revoked A @1 t[0] ms=45000\n51 consumer:b assigned B @2 t[0]"
    (still,) = analyze(story(told)).facts["standstills"]
    assert isinstance(still, Standstill)
    assert still.lag_before is None


GONE = "5 poller:p left A @1\n"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("9 consumer:a assigned A @2", ACTIVE_AFTER_LEAVING),
        ("20 consumer:a committed A t[0] offset=5", ACTIVE_AFTER_LEAVING),
        ("6 consumer:a committed A t[0] offset=5\n6 consumer:a lost A @1 t[0-1]", ""),
        ("6 consumer:a assigned A @1 t[0]", ""),
        ("9 coordinator:1 joined A @2\n9 consumer:a assigned A @2", ""),
    ],
    ids=["comes to an epoch", "commits", "commits at last", "late", "comes back"],
)
def test_a_member_that_is_gone_by_one_source_and_goes_on_is_marked(more: str, expected: str) -> None:
    assert marks(BEGIN + GONE + more) == expected


# ---- whatever a log says, folding it ends, and its facts fit together


@given(EVENTS)
def test_facts_of_any_events_fit_together(events: list[Event]) -> None:
    facts = analyze(events).facts
    tenures: dict[int, list[Tenure]] = defaultdict(list)
    for tenure in facts["tenures"]:
        tenures[tenure.partition].append(tenure)
    for of_partition in tenures.values():
        assert [tenure.ended for tenure in of_partition[:-1]].count(None) == 0
        assert all(one.began <= one.ended <= other.began for one, other in pairwise(of_partition))
    for still in facts["standstills"]:
        assert still.began <= max(tenure.ended or 0 for tenure in tenures[still.partition])
        assert still.ended is None or still.ms == still.ended - still.began >= 0
    epochs = [each.epoch for each in facts["rebalances"]]
    assert len(epochs) == len(set(epochs))
    assert all(each.ended is None or each.ended >= each.began for each in facts["rebalances"])
    present = {(each.partition, each.member) for each in facts["tenures"] if each.ended is None}
    assert present == {(each.partition, each.member) for each in facts["owners"] if each.member}
    assert len(facts["groups"]) == (1 if events else 0)
    assert all(0 <= each.unsettled_ms <= each.last - each.first for each in facts["groups"])

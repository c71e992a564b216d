"""Whatever a log says, folding it ends, and its facts fit together."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from hypothesis import given

from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.facts import GroupSummary, Owner, Rebalance, Standstill, Tenure
from tests.history.making import EVENTS


@given(EVENTS)
def test_tenures_follow_each_other_with_standstills_between(events: list[Event]) -> None:
    facts = analyze(events).facts
    tenures: dict[int, list[Tenure]] = defaultdict(list)
    for tenure in facts["tenures"]:
        assert isinstance(tenure, Tenure)
        tenures[tenure.partition].append(tenure)
    for of_partition in tenures.values():
        assert [tenure.ended for tenure in of_partition[:-1]].count(None) == 0
        for one, other in pairwise(of_partition):
            assert one.ended is not None
            assert one.began <= one.ended <= other.began
    for still in facts["standstills"]:
        assert isinstance(still, Standstill)
        assert still.began <= max(tenure.ended or 0 for tenure in tenures[still.partition])
        assert still.ended is None or still.ms == still.ended - still.began >= 0


@given(EVENTS)
def test_every_epoch_is_one_rebalance_and_every_owner_has_a_tenure(events: list[Event]) -> None:
    facts = analyze(events).facts
    rebalances = [each for each in facts["rebalances"] if isinstance(each, Rebalance)]
    epochs = [each.epoch for each in rebalances]
    assert len(epochs) == len(set(epochs))
    assert all(each.ended is None or each.ended >= each.began for each in rebalances)
    present = {
        (each.partition, each.member) for each in facts["tenures"] if isinstance(each, Tenure) and each.ended is None
    }
    owners = {(each.partition, each.member) for each in facts["owners"] if isinstance(each, Owner) and each.member}
    assert present == owners


@given(EVENTS)
def test_a_group_has_one_summary_and_unsettled_time_within_its_time(events: list[Event]) -> None:
    summaries = analyze(events).facts["groups"]
    assert len(summaries) == (1 if events else 0)
    for summary in summaries:
        assert isinstance(summary, GroupSummary)
        assert 0 <= summary.unsettled_ms <= summary.last - summary.first

"""Whatever a log says, folding it ends, and its facts fit together."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.facts import GroupSummary, Owner, Rebalance, Standstill, Tenure

_MEMBERS = st.sampled_from([None, "A", "B", "C"])
_SOURCES = st.sampled_from(["consumer:A", "consumer:B", "coordinator:1", "offsets:4", "poller:p"])

EVENTS = st.lists(
    st.builds(
        Event,
        at=st.integers(0, 20_000),
        seq=st.integers(0, 1000),
        source=_SOURCES,
        cluster=st.just("c"),
        group=st.just("g"),
        kind=st.sampled_from(EventKind),
        member=_MEMBERS,
        epoch=st.none() | st.integers(-2, 6),
        topic=st.none() | st.just("t"),
        partitions=st.none() | st.lists(st.integers(0, 2), max_size=2).map(tuple),
        offset=st.none() | st.integers(0, 50),
        end=st.none() | st.integers(0, 50),
        ms=st.none() | st.integers(0, 5_000),
        cause=st.none() | st.sampled_from(["poll timeout", "session timeout"]),
    ),
    max_size=40,
)


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

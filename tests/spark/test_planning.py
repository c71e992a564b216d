"""Plans of batches and streams, and what is lost between two batches."""

from __future__ import annotations

import pickle
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.spark.admission import rate_limited
from kafka_nextgen.spark.errors import DataLossError, StartBeyondEndError
from kafka_nextgen.spark.losses import LossKind, report_losses
from kafka_nextgen.spark.planning import Plan, SplitOptions, plan_batch, plan_stream
from kafka_nextgen.spark.values import ClusterOffsets, PartitionRange
from kafka_nextgen.types import TopicPartition
from tests.spark.strategies import clusters, progress

T0, T1, T2 = (TopicPartition("t", number) for number in range(3))
TOPIC_ID = UUID(int=1)
WHOLE = SplitOptions()
Offsets = dict[TopicPartition, int]


def ranges(plan: Plan) -> list[tuple[int, int, int]]:
    return [(part.partition, part.start, part.end) for part in plan.ranges]


def at(offset: int | None) -> Offsets:
    return {} if offset is None else {T0: offset}


def test_a_batch_reads_from_start_to_end() -> None:
    cluster = ClusterOffsets({T0: 0, T1: 0}, {T0: 100, T1: 100}, {T0: TOPIC_ID, T1: TOPIC_ID})
    plan = plan_batch({T1: 5, T0: 0}, {T0: 10, T1: 5}, cluster, SplitOptions(min_partitions=2))
    assert plan == Plan((PartitionRange("t", 0, 0, 5, TOPIC_ID), PartitionRange("t", 0, 5, 10, TOPIC_ID)))
    assert str(plan.ranges[0]) == "t[0] 0..5"


def test_a_batch_with_a_start_beyond_its_end_is_refused() -> None:
    cluster = ClusterOffsets({T0: 0}, {T0: 30})
    with pytest.raises(StartBeyondEndError, match=r"in t\[0\] \(40 > 30\); the option is wrong") as refused:
        plan_batch({T0: 40}, {T0: 30}, cluster, WHOLE)
    assert refused.value.partitions == (T0,)


@pytest.mark.parametrize(
    ("start", "end", "kinds", "read"),
    [
        pytest.param(5, 50, [LossKind.AGED_OUT], [(0, 20, 50)], id="the first records aged out"),
        pytest.param(19, 50, [LossKind.AGED_OUT], [(0, 20, 50)], id="one record aged out"),
        pytest.param(5, 15, [LossKind.AGED_OUT], [], id="all of them aged out"),
        pytest.param(30, 120, [LossKind.TRUNCATED], [(0, 30, 100)], id="the end is beyond the log"),
        pytest.param(30, 101, [LossKind.TRUNCATED], [(0, 30, 100)], id="it is by one"),
        pytest.param(20, 100, [], [(0, 20, 100)], id="all the log has"),
        pytest.param(110, 120, [LossKind.TRUNCATED], [], id="so is the start"),
        pytest.param(5, 120, [LossKind.AGED_OUT, LossKind.TRUNCATED], [(0, 20, 100)], id="both ends"),
        pytest.param(5, 5, [], [], id="nothing is asked for"),
        pytest.param(110, 110, [], [], id="nor here"),
    ],
)
def test_a_batch_reads_what_the_log_has_and_names_the_rest(
    start: int, end: int, kinds: list[LossKind], read: list[tuple[int, int, int]]
) -> None:
    plan = plan_batch({T0: start}, {T0: end}, ClusterOffsets({T0: 20}, {T0: 100}), WHOLE)
    assert [loss.kind for loss in plan.losses] == kinds
    assert ranges(plan) == read


def test_a_streaming_batch_reads_new_partitions_from_their_earliest_offset() -> None:
    plan = plan_stream({T0: 5}, {T0: 10, T1: 7}, ClusterOffsets({T1: 0}, {}), WHOLE)
    assert ranges(plan) == [(0, 5, 10), (1, 0, 7)]
    assert plan.losses == ()


@pytest.mark.parametrize(
    ("start", "end", "earliest", "latest", "kind", "read", "warning"),
    [
        (5, None, None, None, LossKind.DELETED, [], "no longer exists; it was deleted, or its topic is no longer"),
        (None, 9, None, None, LossKind.VANISHED, [], "before it was read; its records up to offset 9"),
        (None, 9, 4, None, LossKind.NOT_FROM_ZERO, [(0, 4, 9)], "begins at offset 4 instead of 0; reading begins at 4"),
        (None, 9, 1, None, LossKind.NOT_FROM_ZERO, [(0, 1, 9)], "begins at offset 1 instead of 0; reading begins at 1"),
        (None, 9, 0, 5, LossKind.TRUNCATED, [(0, 0, 5)], "offsets 5 to 8 are skipped, and the next batch begins at 9"),
        (10, 9, 0, 9, LossKind.RECEDED, [], "was read up to offset 10 and now ends at 9"),
        (50, 9, 0, 9, LossKind.RECEDED, [], "nothing is read from it now, and the next batch begins at 9"),
        (5, 30, 20, None, LossKind.AGED_OUT, [(0, 20, 30)], "offsets 5 to 19 are skipped; reading continues at 20"),
        (5, 15, 20, None, LossKind.AGED_OUT, [], "offsets 5 to 14 are skipped; the batch has no other records from it"),
        (5, 20, 20, None, LossKind.AGED_OUT, [], "offsets 5 to 19 are skipped; the batch has no other records from it"),
        (5, 15, None, 12, LossKind.TRUNCATED, [(0, 5, 12)], "offsets 12 to 14 are skipped, and the next batch begins"),
        (5, 15, None, 2, LossKind.TRUNCATED, [], "offsets 5 to 14 are skipped"),
    ],
)
def test_a_streaming_batch_reads_what_there_is_and_names_the_rest(
    start: int, end: int, earliest: int, latest: int, kind: LossKind, read: list[tuple[int, int, int]], warning: str
) -> None:
    plan = plan_stream(at(start), at(end), ClusterOffsets(at(earliest), at(latest)), WHOLE)
    assert [loss.kind for loss in plan.losses] == [kind]
    assert ranges(plan) == read
    (loss,) = plan.losses
    assert str(loss).startswith("t[0] ")
    assert warning in str(loss)


def test_a_loss_ends_the_query_unless_the_option_says_otherwise(caplog: pytest.LogCaptureFixture) -> None:
    many = {TopicPartition("t", number): 7 for number in range(8)}
    plan = plan_stream(many, {}, ClusterOffsets({}, {}), WHOLE)
    with pytest.raises(
        DataLossError, match=r"t\[4\] no longer exists.*and 3 more partitions.*failOnDataLoss"
    ) as failed:
        report_losses(plan.losses, fail_on_data_loss=True)
    assert failed.value.losses == plan.losses
    assert failed.value.partitions == tuple(many)
    copy = pickle.loads(pickle.dumps(failed.value))
    assert copy.losses == plan.losses
    report_losses(plan.losses, fail_on_data_loss=False)
    assert caplog.messages == [f"records may be lost: {loss}" for loss in plan.losses]
    assert len(caplog.messages) == 8


def covered(plan: Plan) -> dict[TopicPartition, set[int]]:
    offsets: dict[TopicPartition, set[int]] = {}
    for part in plan.ranges:
        seen = offsets.setdefault(part.topic_partition, set())
        assert seen.isdisjoint(range(part.start, part.end))
        seen.update(range(part.start, part.end))
    return offsets


@st.composite
def offsets_of(draw: st.DrawFn) -> Offsets:
    return {tp: draw(st.integers(0, 30)) for tp in (T0, T1, T2) if draw(st.booleans())}


@given(offsets_of(), offsets_of(), offsets_of(), offsets_of())
def test_a_gap_is_never_silent(start: Offsets, end: Offsets, earliest: Offsets, latest: Offsets) -> None:
    cluster = ClusterOffsets(earliest, latest)
    options = SplitOptions(min_partitions=7, max_records_per_partition=11)
    plan = plan_stream(start, end, cluster, options)
    assert plan == plan_stream(dict(reversed(start.items())), dict(reversed(end.items())), cluster, options)
    assert list(plan.losses) == sorted(plan.losses, key=lambda loss: loss.partition)
    read = covered(plan)
    lossy = {loss.partition for loss in plan.losses}
    assert read.keys() <= end.keys()
    for tp in start.keys() | end.keys():
        new = tp not in start
        wanted = set(range(0 if new else start[tp], end.get(tp, 0)))
        assert read.get(tp, set()) <= wanted
        if read.get(tp, set()) != wanted or tp not in end:
            assert tp in lossy
        available = range(earliest.get(tp, 0), min(latest.get(tp, 31), 31))
        if not (new and tp not in earliest):
            assert read.get(tp, set()) == {offset for offset in wanted if offset in available}


@given(st.data(), st.integers(1, 10**6))
def test_batches_follow_each_other_without_a_gap(data: st.DataObject, limit: int) -> None:
    cluster = data.draw(clusters())
    start = data.draw(progress(cluster))
    reached = {tp: start.get(tp, cluster.earliest[tp]) for tp in cluster.latest}
    for _ in range(3):
        end = rate_limited(start, cluster.latest, cluster.earliest, limit)
        for part in plan_stream(start, end, cluster, SplitOptions(min_partitions=5)).ranges:
            assert part.start == reached[part.topic_partition]
            reached[part.topic_partition] = part.end
        start = end
        assert reached == end

"""Start and end, from what the options say to offsets."""

from __future__ import annotations

import pickle

import pytest

from kafka_nextgen.spark.errors import CommittedOffsetError, PartitionsMismatchError, TimestampNotFoundError
from kafka_nextgen.spark.limits import (
    Edge,
    GlobalTimestamp,
    GroupFallback,
    GroupOffsets,
    NoMatch,
    OffsetLimit,
    SpecificOffsets,
    SpecificTimestamps,
)
from kafka_nextgen.spark.offsets import EARLIEST, LATEST
from kafka_nextgen.spark.resolving import resolve_ending_offsets, resolve_starting_offsets, timestamps_to_look_up
from kafka_nextgen.spark.values import ClusterOffsets
from kafka_nextgen.types import TopicPartition

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
CLUSTER = ClusterOffsets({T0: 10, T1: 20}, {T0: 100, T1: 200})


@pytest.mark.parametrize(
    ("limit", "offsets"),
    [
        (Edge.EARLIEST, {T0: 10, T1: 20}),
        (Edge.LATEST, {T0: 100, T1: 200}),
        (SpecificOffsets({T1: LATEST, T0: EARLIEST}), {T0: 10, T1: 200}),
        (SpecificOffsets({}, {"t": EARLIEST}), {T0: 10, T1: 20}),
        (SpecificOffsets({}, {"t": LATEST}), {T0: 100, T1: 200}),
        (SpecificOffsets({T0: 3, T1: 999}), {T0: 3, T1: 999}),  # planning tells what the log has of that
    ],
)
def test_edges_and_offsets_mean_the_same_for_start_and_end(
    limit: OffsetLimit, offsets: dict[TopicPartition, int]
) -> None:
    assert resolve_starting_offsets(limit, CLUSTER) == offsets
    assert resolve_ending_offsets(limit, CLUSTER) == offsets


@pytest.mark.parametrize("named", [{T0: 1}, {T0: 1, T1: 1, TopicPartition("u", 0): 1}, {}])
def test_offsets_must_name_the_partitions_that_are_read(named: dict[TopicPartition, int]) -> None:
    with pytest.raises(
        PartitionsMismatchError, match=r"use -1 for latest, -2 for earliest.*assigned t\[0-1\]"
    ) as refused:
        resolve_starting_offsets(SpecificOffsets(named), CLUSTER)
    assert set(refused.value.partitions) == named.keys() ^ CLUSTER.latest.keys()


def test_a_topic_with_offsets_must_be_one_that_is_read() -> None:
    with pytest.raises(PartitionsMismatchError, match=r"given for topic u, which is not read: .*t\[0-1\]"):
        resolve_starting_offsets(SpecificOffsets({}, {"t": EARLIEST, "u": EARLIEST}), CLUSTER)


def test_timestamps_must_name_the_partitions_that_are_read() -> None:
    with pytest.raises(PartitionsMismatchError, match=r"timestamps by partition .*specified t\[0\], assigned t\[0-1\]"):
        timestamps_to_look_up(SpecificTimestamps({T0: 1}), [T0, T1])


def test_what_to_look_up_depends_on_the_limit() -> None:
    assert timestamps_to_look_up(GlobalTimestamp(7), [T1, T0]) == {T0: 7, T1: 7}
    assert timestamps_to_look_up(SpecificTimestamps({T1: 8, T0: 9}), [T0, T1]) == {T0: 9, T1: 8}
    assert timestamps_to_look_up(Edge.EARLIEST, [T0]) == timestamps_to_look_up(GroupOffsets("g"), [T0]) == {}


@pytest.mark.parametrize("limit", [GlobalTimestamp(7), SpecificTimestamps({T0: 7, T1: 7})])
def test_a_start_without_a_record_as_young_is_an_error_by_default(limit: OffsetLimit) -> None:
    with pytest.raises(TimestampNotFoundError, match=r"in t\[1\] \(timestamp 7\); set starting") as refused:
        resolve_starting_offsets(limit, CLUSTER, {T0: 50, T1: None})
    assert refused.value.partitions == (T1,)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


@pytest.mark.parametrize(
    "limit", [GlobalTimestamp(7, NoMatch.LATEST), SpecificTimestamps({T0: 7, T1: 7}, NoMatch.LATEST)]
)
def test_or_the_latest_offset_as_the_strategy_says(limit: OffsetLimit) -> None:
    assert resolve_starting_offsets(limit, CLUSTER, {T0: 50, T1: None}) == {T0: 50, T1: 200}


@pytest.mark.parametrize("limit", [GlobalTimestamp(7), SpecificTimestamps({T0: 7, T1: 7})])
def test_an_end_without_a_record_as_young_is_the_latest_offset(limit: OffsetLimit) -> None:
    assert resolve_ending_offsets(limit, CLUSTER, {T0: 0}) == {T0: 0, T1: 200}


def test_a_group_starts_where_it_has_committed() -> None:
    assert resolve_starting_offsets(GroupOffsets("g"), CLUSTER, {T0: 0, T1: 150}) == {T0: 0, T1: 150}


@pytest.mark.parametrize(("fallback", "offset"), [(GroupFallback.EARLIEST, 20), (GroupFallback.LATEST, 200)])
def test_a_group_without_a_commit_starts_at_its_fallback(fallback: GroupFallback, offset: int) -> None:
    limit = GroupOffsets("g", fallback)
    assert resolve_starting_offsets(limit, CLUSTER, {T0: 30, T1: None}) == {T0: 30, T1: offset}
    assert resolve_starting_offsets(limit, CLUSTER, {T0: 30}) == {T0: 30, T1: offset}


def test_or_is_refused_by_name() -> None:
    with pytest.raises(
        CommittedOffsetError, match=r'^group "g" has no committed offset for t\[0-1\]; set groupFallback'
    ):
        resolve_starting_offsets(GroupOffsets("g"), CLUSTER)

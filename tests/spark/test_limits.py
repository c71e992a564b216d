"""What a batch's options can't say, before the cluster is asked."""

from __future__ import annotations

import pytest

from kafka_nextgen.spark.errors import OffsetLimitError, PartitionsMismatchError, StartBeyondEndError
from kafka_nextgen.spark.limits import (
    Edge,
    GlobalTimestamp,
    GroupFallback,
    GroupOffsets,
    OffsetLimit,
    SpecificOffsets,
    SpecificTimestamps,
    check_batch_limits,
)
from kafka_nextgen.spark.offsets import EARLIEST, LATEST
from kafka_nextgen.types import TopicPartition

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (Edge.LATEST, Edge.LATEST, "startingOffsets: a batch can't start at the latest offset"),
        (SpecificOffsets({T0: 1, T1: LATEST}), Edge.LATEST, r"startingOffsets: .*latest offset \(in t\[1\]\)"),
        (Edge.EARLIEST, Edge.EARLIEST, "endingOffsets: a batch can't end at the earliest offset"),
        (Edge.EARLIEST, SpecificOffsets({T0: EARLIEST}), r"endingOffsets: .*earliest offset \(in t\[0\]\)"),
    ],
)
def test_a_batch_needs_a_start_and_an_end_that_make_sense(start: OffsetLimit, end: OffsetLimit, message: str) -> None:
    with pytest.raises(OffsetLimitError, match=f"^{message}$") as refused:
        check_batch_limits(start, end)
    assert refused.value.key == message.split(":", 1)[0]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (SpecificOffsets({T0: 1}), SpecificOffsets({T0: 1, T1: 1})),
        (SpecificTimestamps({T0: 1, T1: 1}), SpecificTimestamps({T0: 1})),
    ],
)
def test_start_and_end_name_the_same_partitions(start: OffsetLimit, end: OffsetLimit) -> None:
    with pytest.raises(PartitionsMismatchError, match="must name the same partitions: start ") as refused:
        check_batch_limits(start, end)
    assert refused.value.partitions == (T1,)


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (SpecificOffsets({T0: 5, T1: 6}), SpecificOffsets({T0: 5, T1: 4}), r"offset .* in t\[1\] \(6 > 4\)$"),
        (SpecificTimestamps({T0: 9}), SpecificTimestamps({T0: 8}), r"timestamp .* in t\[0\] \(9 > 8\)$"),
        (GlobalTimestamp(2), GlobalTimestamp(1), "startingTimestamp 2 is greater than endingTimestamp 1"),
    ],
)
def test_no_start_is_greater_than_its_end(start: OffsetLimit, end: OffsetLimit, message: str) -> None:
    with pytest.raises(StartBeyondEndError, match=message):
        check_batch_limits(start, end)


def test_limits_are_equal_by_value() -> None:
    for kind in (SpecificOffsets, SpecificTimestamps):
        one, same, other = kind({T0: 5, T1: 6}), kind({T1: 6, T0: 5}), kind({T0: 5, T1: 7})
        assert one == same
        assert hash(one) == hash(same)
        assert one != other


def test_an_error_names_five_partitions_and_counts_the_rest() -> None:
    many = {TopicPartition("t", number): 9 for number in range(8)}
    with pytest.raises(StartBeyondEndError, match=r"t\[4\] \(9 > 8\) and 3 more$") as refused:
        check_batch_limits(SpecificOffsets(many), SpecificOffsets(dict.fromkeys(many, 8)))
    assert len(refused.value.partitions) == 8


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (Edge.EARLIEST, Edge.LATEST),
        (SpecificOffsets({T0: 5}), SpecificOffsets({T0: LATEST})),
        (SpecificOffsets({T0: EARLIEST}), SpecificOffsets({T0: 0})),
        (SpecificOffsets({T0: 5}), SpecificOffsets({T0: 5})),
        (SpecificOffsets({T0: 5}), SpecificTimestamps({T1: 5})),
        (GlobalTimestamp(1), GlobalTimestamp(1)),
        (GroupOffsets("g", GroupFallback.LATEST), Edge.LATEST),
    ],
)
def test_what_can_be_known_only_from_the_cluster_passes(start: OffsetLimit, end: OffsetLimit) -> None:
    check_batch_limits(start, end)

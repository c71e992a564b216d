"""Ranges among tasks: maxRecordsPerPartition, minPartitions and minRecordsPerPartition."""

from __future__ import annotations

from itertools import chain, groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.spark.planning import SplitOptions, join, split
from kafka_nextgen.spark.values import PartitionRange
from tests.spark.strategies import PARTITIONS, SIZES

Bounds = list[tuple[str, int, int]]


def outcome(bounds: Bounds, options: SplitOptions) -> Bounds:
    ranges = split([PartitionRange(topic, 1, start, end) for topic, start, end in bounds], options)
    return [(part.topic, part.start, part.end) for part in ranges]


# The cases and their outcomes are those that Spark tests its built-in source by (KafkaOffsetRangeCalculatorSuite).
@pytest.mark.parametrize(
    ("least", "bounds", "expected"),
    [
        (None, [("a", 1, 2), ("b", 1, 1)], [("a", 1, 2)]),
        (3, [("a", 1, 2), ("b", 1, 2), ("c", 1, 2)], [("a", 1, 2), ("b", 1, 2), ("c", 1, 2)]),
        (4, [("a", 1, 5)], [("a", 1, 2), ("a", 2, 3), ("a", 3, 4), ("a", 4, 5)]),
        (4, [("a", 1, 5), ("b", 1, 21)], [("a", 1, 5), ("b", 1, 7), ("b", 7, 14), ("b", 14, 21)]),
        (4, [("a", 1, 1), ("b", 1, 21)], [("b", 1, 6), ("b", 6, 11), ("b", 11, 16), ("b", 16, 21)]),
        (4, [("a", 1, 2), ("b", 1, 1001)], [("a", 1, 2), ("b", 1, 334), ("b", 334, 667), ("b", 667, 1001)]),
        (1, [("a", 1, 5), ("b", 1, 21)], [("a", 1, 5), ("b", 1, 21)]),
        (3, [("a", 1, 11)], [("a", 1, 4), ("a", 4, 7), ("a", 7, 11)]),
        (
            6,
            [("a", 0, 10), ("b", 0, 10), ("c", 0, 1)],
            [("a", 0, 3), ("a", 3, 6), ("a", 6, 10), ("b", 0, 3), ("b", 3, 6), ("b", 6, 10), ("c", 0, 1)],
        ),
        (
            6,
            [("a", 0, 500), ("b", 0, 12_000), ("c", 0, 15_001)],
            [
                ("a", 0, 500),
                ("b", 0, 6000),
                ("b", 6000, 12_000),
                ("c", 0, 5000),
                ("c", 5000, 10_000),
                ("c", 10_000, 15_001),
            ],
        ),
        (
            6,
            [("a", 0, 1), ("b", 0, 1), ("c", 0, 10_000)],
            [("a", 0, 1), ("b", 0, 1), ("c", 0, 2500), ("c", 2500, 5000), ("c", 5000, 7500), ("c", 7500, 10_000)],
        ),
    ],
)
def test_min_partitions_splits_as_the_built_in_source_does(least: int | None, bounds: Bounds, expected: Bounds) -> None:
    assert outcome(bounds, SplitOptions(min_partitions=least)) == expected


@pytest.mark.parametrize(
    ("least", "most", "bounds", "expected"),
    [
        (None, 4, [("a", 1, 5)], [("a", 1, 5)]),
        (None, 4, [("a", 1, 6)], [("a", 1, 3), ("a", 3, 6)]),
        (
            None,
            20,
            [("a", 1, 40), ("b", 1, 50)],
            [("a", 1, 20), ("a", 20, 40), ("b", 1, 17), ("b", 17, 33), ("b", 33, 50)],
        ),
        (1, 20, [("a", 1, 40)], [("a", 1, 20), ("a", 20, 40)]),
        (4, 20, [("a", 1, 40)], [("a", 1, 10), ("a", 10, 20), ("a", 20, 30), ("a", 30, 40)]),
    ],
)
def test_max_records_come_first_as_in_the_built_in_source(
    least: int | None, most: int, bounds: Bounds, expected: Bounds
) -> None:
    assert outcome(bounds, SplitOptions(least, most)) == expected


def test_one_part_whose_share_is_one_keeps_its_whole_partition_as_it_is() -> None:
    # 7 of 18 times 4 is 1.56 parts, 6 of 18 times 4 is 1.33: without the rule the part of 7 would be split.
    parts = outcome([("a", 0, 13), ("b", 0, 5)], SplitOptions(4, 7))
    assert parts == [("a", 0, 6), ("a", 6, 13), ("b", 0, 5)]


def test_as_many_ranges_as_min_partitions_are_not_split() -> None:
    # The shares alone would give the greatest range two parts.
    bounds = [("a", 0, 32), ("b", 0, 128), *((topic, 0, 5) for topic in "cdefghij")]
    assert outcome(bounds, SplitOptions(min_partitions=10)) == bounds
    assert len(outcome(bounds, SplitOptions(min_partitions=11))) > len(bounds)


def test_no_range_is_split_into_more_parts_than_it_has_offsets() -> None:
    assert outcome([("a", 5, 8)], SplitOptions(min_partitions=2**31 - 1)) == [("a", 5, 6), ("a", 6, 7), ("a", 7, 8)]


@pytest.mark.parametrize("options", [{"min_partitions": 0}, {"max_records_per_partition": -1}])
def test_an_option_below_one_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be >= 1"):
        SplitOptions(**options)


@st.composite
def whole_ranges(draw: st.DrawFn) -> list[PartitionRange]:
    partitions = draw(st.lists(PARTITIONS, unique=True, max_size=8))
    starts = [draw(st.integers(0, 100)) for _ in partitions]
    # Sizes below 0 are what planning makes of logs that became shorter.
    return [PartitionRange(*tp, start, start + draw(SIZES) - 1) for tp, start in zip(partitions, starts, strict=True)]


@st.composite
def split_options(draw: st.DrawFn, ranges: list[PartitionRange]) -> SplitOptions:
    greatest = max((one.size for one in ranges), default=1)
    least_records = max(greatest // 50, 1)  # no test needs more than 50 parts of a range
    most = draw(st.none() | st.integers(least_records, max(greatest, least_records)))
    return SplitOptions(draw(st.none() | st.integers(1, 60)), most)


@given(st.data())
def test_parts_cover_the_ranges_exactly_and_in_order(data: st.DataObject) -> None:
    ranges = data.draw(whole_ranges())
    options = data.draw(split_options(ranges))
    parts = split(ranges, options)
    joined = []
    for _, group in groupby(parts, key=lambda part: part.topic_partition):
        pieces = list(group)
        assert all(before.end == after.start for before, after in pairwise(pieces))
        joined.append(PartitionRange(pieces[0].topic, pieces[0].partition, pieces[0].start, pieces[-1].end))
    assert joined == sorted(one for one in ranges if one.size > 0)
    assert all(part.size > 0 for part in parts)
    assert list(parts) == sorted(parts)
    assert split(list(reversed(ranges)), options) == parts


@given(st.data())
def test_counts_are_respected(data: st.DataObject) -> None:
    ranges = [one for one in data.draw(whole_ranges()) if one.size > 0]
    options = data.draw(split_options(ranges))
    parts = split(ranges, options)
    capped = split(ranges, SplitOptions(None, options.max_records_per_partition))
    if options.max_records_per_partition is not None:
        assert all(part.size <= options.max_records_per_partition for part in parts)
        needed = sum(-(-one.size // options.max_records_per_partition) for one in ranges)
        assert len(capped) == needed
    if options.min_partitions is None or options.min_partitions <= len(capped):
        assert parts == capped
    else:
        # Each share is rounded by at most a half, or up to one.
        assert len(capped) <= len(parts) <= options.min_partitions + len(capped)


def joined(sizes: list[int], options: SplitOptions) -> list[list[int]]:
    """The sizes of the ranges of each task, given one of each partition."""
    ranges = [PartitionRange("t", number, 7, 7 + size) for number, size in enumerate(sizes)]
    return [[one.size for one in task] for task in join(split(ranges, options), options)]


@pytest.mark.parametrize(
    ("least", "sizes", "tasks"),
    [
        pytest.param(0, [1, 1], [[1], [1]], id="never"),
        pytest.param(1, [1, 1], [[1], [1]], id="nor here, for none is empty"),
        pytest.param(10, [], [], id="nothing to read"),
        pytest.param(10, [1, 0, 2, 3], [[1, 2, 3]], id="all are small"),
        pytest.param(10, [9, 9, 9], [[9, 9], [9]], id="until there are enough"),
        pytest.param(10, [10, 10], [[10], [10]], id="each is enough"),
        pytest.param(10, [1, 50, 2, 50], [[1, 2], [50], [50]], id="small ones between large ones"),
        pytest.param(10, [50, 1], [[50], [1]], id="a large one takes none"),
    ],
)
def test_small_ranges_are_one_task_until_it_has_enough(least: int, sizes: list[int], tasks: list[list[int]]) -> None:
    assert joined(sizes, SplitOptions(min_records_per_partition=least)) == tasks


@pytest.mark.parametrize(
    ("options", "sizes", "tasks"),
    [
        pytest.param(SplitOptions(3, None, 10), [1] * 5, [[1, 1, 1], [1], [1]], id="no fewer than minPartitions"),
        pytest.param(SplitOptions(5, None, 10), [1] * 5, [[1]] * 5, id="as many as there are ranges"),
        pytest.param(SplitOptions(4, None, 100), [8, 8], [[4], [4], [4], [4]], id="what was split for minPartitions"),
        pytest.param(SplitOptions(None, 4, 100), [2, 2, 2, 6], [[2, 2], [2], [3], [3]], id="maxRecordsPerPartition"),
    ],
)
def test_the_other_options_come_first(options: SplitOptions, sizes: list[int], tasks: list[list[int]]) -> None:
    assert joined(sizes, options) == tasks


@st.composite
def plans(draw: st.DrawFn) -> tuple[list[PartitionRange], SplitOptions]:
    partitions = draw(st.lists(PARTITIONS, unique=True, max_size=18))
    ranges = [PartitionRange(*tp, 3, 3 + draw(st.integers(0, 60))) for tp in partitions]
    numbers = st.none() | st.integers(1, 40)
    return ranges, SplitOptions(draw(numbers), draw(numbers), draw(st.integers(0, 80)))


@given(plans())
def test_tasks_have_all_that_was_split_each_once(plan: tuple[list[PartitionRange], SplitOptions]) -> None:
    ranges, options = plan
    parts = split(ranges, options)
    tasks = join(parts, options)
    assert sorted(chain(*tasks)) == sorted(parts)
    assert [task[0] for task in tasks] == sorted(task[0] for task in tasks)
    assert all(list(task) == sorted(task) for task in tasks)
    assert all(len({one.topic_partition for one in task}) == len(task) > 0 for task in tasks)
    least, most = options.min_records_per_partition, options.max_records_per_partition
    for records in (sum(one.size for one in task) for task in tasks if len(task) > 1):
        assert records < 2 * least
        assert most is None or records <= most
    assert len(tasks) >= min(len(parts), options.min_partitions or 0)


@given(plans())
def test_no_two_tasks_could_be_one(plan: tuple[list[PartitionRange], SplitOptions]) -> None:
    ranges, options = plan
    whole = [one for one in ranges if one.size > 0]
    tasks = join(sorted(whole), SplitOptions(min_records_per_partition=options.min_records_per_partition))
    small = [task for task in tasks if sum(one.size for one in task) < options.min_records_per_partition]
    assert len(small) <= 1

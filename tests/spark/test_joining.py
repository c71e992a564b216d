"""Small ranges among tasks: minRecordsPerPartition."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.spark.planning import SplitOptions, join, split
from kafka_nextgen.spark.values import PartitionRange
from tests.spark.strategies import PARTITIONS


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


@given(plans())
def test_tasks_of_several_ranges_stay_small_and_no_task_is_saved_that_was_asked_for(
    plan: tuple[list[PartitionRange], SplitOptions],
) -> None:
    ranges, options = plan
    parts = split(ranges, options)
    tasks = join(parts, options)
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

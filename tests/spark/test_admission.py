"""How far a streaming batch reads: limits by backlog, delays, AvailableNow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.spark.admission import TriggerLimits, admit, check_available_now, rate_limited, receded
from kafka_nextgen.spark.errors import AvailableNowError
from kafka_nextgen.types import TopicPartition
from tests.spark.strategies import clusters, progress

T0, T1, T2 = (TopicPartition("t", number) for number in range(3))
U0 = TopicPartition("u", 0)
Offsets = dict[TopicPartition, int]


def test_without_a_limit_a_batch_reads_everything() -> None:
    assert rate_limited({T0: 5}, {T1: 9, T0: 7}, {T1: 0}, None) == {T0: 7, T1: 9}


def test_shares_are_proportional_and_no_partition_starves() -> None:
    # 10 of 101, 11 and 1: 8.9 is rounded down to 8, 0.97 and 0.09 up to 1.
    start = {T0: 100, T1: 10, T2: 0}
    latest = {T0: 201, T1: 21, T2: 1}
    first = rate_limited(start, latest, {}, 10)
    assert first == {T0: 108, T1: 11, T2: 1}
    assert rate_limited(first, latest, {}, 10) == {T0: 117, T1: 12, T2: 1}


def test_a_limit_below_the_number_of_partitions_still_reads_one_of_each() -> None:
    assert rate_limited({T0: 0, T1: 0, T2: 0}, {T0: 9, T1: 9, T2: 9}, {}, 1) == {T0: 1, T1: 1, T2: 1}


def test_rounding_is_that_of_floating_point_as_in_the_built_in_source() -> None:
    # 22 * (15 / 22) is 14.999999999999998, so one record waits for the next batch although the limit allows it.
    start, latest = {T0: 0, T1: 0}, {T0: 15, T1: 7}
    assert rate_limited(start, latest, {}, 22) == {T0: 14, T1: 7}
    assert rate_limited(start, latest, {}, 23) == latest


def test_a_new_partition_counts_from_its_earliest_offset() -> None:
    assert rate_limited({T0: 0}, {T0: 100, T1: 1100}, {T1: 1000}, 10) == {T0: 5, T1: 1005}


def test_a_new_partition_that_is_gone_already_is_left_to_planning() -> None:
    assert rate_limited({T0: 0}, {T0: 100, T1: 1100}, {}, 10) == {T0: 10, T1: 1100}


def test_a_log_that_became_shorter_takes_no_share() -> None:
    assert rate_limited({T0: 0, T1: 500}, {T0: 100, T1: 20}, {}, 10) == {T0: 10, T1: 20}


def test_records_that_aged_out_take_no_share() -> None:
    assert rate_limited({T0: 0}, {T0: 1000}, {T0: 900}, 10) == {T0: 910}


@pytest.mark.parametrize("limit", [None, 10])
def test_a_recreated_partition_ends_where_it_begins(limit: int | None) -> None:
    start, latest, earliest = {T0: 700, T1: 0}, {T0: 1000, T1: 10}, {T0: 2}
    assert rate_limited(start, latest, earliest, limit, recreated=[T0]) == {T0: 2, T1: 10}


def test_a_recreated_partition_is_not_delayed() -> None:
    limits = TriggerLimits(min_offsets=100)
    assert admit({T0: 5}, {T0: 5}, {T0: 0}, limits, [T0], since_last_s=1.0) == {T0: 0}


def test_a_partition_that_no_longer_exists_is_left_out() -> None:
    assert rate_limited({T0: 0, T1: 0}, {T0: 100}, {}, 10) == {T0: 10}


def test_the_first_batch_of_a_run_is_not_delayed() -> None:
    assert admit({T0: 0}, {T0: 1}, {}, TriggerLimits(min_offsets=100)) == {T0: 1}


@pytest.mark.parametrize(
    ("backlog", "since_last_s", "delayed"),
    [
        pytest.param(99, 9.9, True, id="too little, too early"),
        pytest.param(100, 0.0, False, id="enough"),
        pytest.param(99, 10.0, False, id="overdue"),
    ],
)
def test_a_small_backlog_waits_for_the_trigger_delay(backlog: int, since_last_s: float, delayed: bool) -> None:
    limits = TriggerLimits(min_offsets=100, max_delay_s=10.0)
    end = admit({T0: 7}, {T0: 7 + backlog, T1: 0}, {T1: 0}, limits, since_last_s=since_last_s)
    assert end == (None if delayed else {T0: 7 + backlog, T1: 0})


def test_a_shorter_log_does_not_hide_the_backlog_of_others() -> None:
    limits = TriggerLimits(min_offsets=100)
    assert admit({T0: 0, T1: 900}, {T0: 100, T1: 0}, {}, limits, since_last_s=1.0) == {T0: 100, T1: 0}


def test_minimum_and_maximum_work_together() -> None:
    limits = TriggerLimits(max_offsets=10, min_offsets=5)
    assert admit({T0: 0}, {T0: 100}, {}, limits, since_last_s=1.0) == {T0: 10}
    assert admit({T0: 0}, {T0: 4}, {}, limits, since_last_s=1.0) is None


def test_offsets_that_went_backwards_are_told() -> None:
    assert receded({T0: 5, T1: 5, T2: 5}, {U0: 0, T1: 4, T0: 5}) == [T1]


def test_an_available_now_batch_within_its_snapshot_passes() -> None:
    check_available_now({T0: 10, T1: 5}, {T0: 3, T1: 5}, {T0: 99, T1: 5, T2: 1})


@pytest.mark.parametrize(
    ("snapshot", "end", "latest", "message"),
    [
        ({T0: 10}, {T0: 10, T1: 5}, {T0: 10, T1: 5}, r"^t\[1\] appeared or vanished during the run"),
        ({T0: 10}, {T0: 11}, {T0: 20}, r"^t\[0\] end beyond the offsets taken when the run began"),
        ({T0: 10, T1: 1}, {T0: 10, T1: 1}, {T0: 10}, r"^t\[1\] were deleted during the run"),
        ({T0: 10}, {T0: 8}, {T0: 7}, r"^t\[0\] lost records of the planned range"),
    ],
)
def test_an_available_now_batch_that_does_not_fit_any_more_is_refused(
    snapshot: Offsets, end: Offsets, latest: Offsets, message: str
) -> None:
    with pytest.raises(AvailableNowError, match=message):
        check_available_now(snapshot, end, latest)


@pytest.mark.parametrize("options", [{"max_offsets": 0}, {"min_offsets": -1}])
def test_a_limit_below_one_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be >= 1"):
        TriggerLimits(**options)


@given(st.data(), st.integers(1, 10**7))
def test_a_limit_is_kept_and_there_is_progress(data: st.DataObject, limit: int) -> None:
    cluster = data.draw(clusters())
    start = data.draw(progress(cluster))
    end = rate_limited(start, cluster.latest, cluster.earliest, limit)
    begins = {tp: start.get(tp, cluster.earliest[tp]) for tp in end}
    waiting = [tp for tp in end if begins[tp] < cluster.latest[tp]]
    assert end.keys() == cluster.latest.keys()
    assert all(begins[tp] <= end[tp] <= cluster.latest[tp] for tp in end)
    assert all(end[tp] > begins[tp] for tp in waiting)
    assert sum(end[tp] - begins[tp] for tp in end) <= limit + len(waiting)
    assert rate_limited(dict(reversed(start.items())), cluster.latest, cluster.earliest, limit) == end


@given(st.data(), st.integers(1, 10**6))
def test_available_now_ends_at_its_snapshot(data: st.DataObject, limit: int) -> None:
    cluster = data.draw(clusters())
    start = data.draw(progress(cluster))
    most = max(limit, max(cluster.latest.values()) // 20 + 1)
    batches = 0
    while start != cluster.latest:
        end = rate_limited(start, cluster.latest, cluster.earliest, most)
        check_available_now(cluster.latest, end, cluster.latest)
        assert end != start
        start = end
        batches += 1
        assert batches < 600
    assert rate_limited(start, cluster.latest, cluster.earliest, most) == start

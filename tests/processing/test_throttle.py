"""How much is read ahead of the work."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.processing.settings import Throttle
from kafka_nextgen.types import TopicPartition
from tests.processing.stage import P0, P1

THROTTLE = Throttle(40, concurrency=8, min_share=1)  # a share of two partitions is 10


def test_a_partition_with_its_share_is_paused() -> None:
    assert THROTTLE.to_pause({P0: 9, P1: 0}, paused=()) == frozenset()
    assert THROTTLE.to_pause({P0: 10, P1: 0}, paused=()) == {P0}


def test_a_paused_partition_goes_on_when_half_its_share_is_left() -> None:
    assert THROTTLE.to_pause({P0: 6, P1: 0}, paused=[P0]) == {P0}
    assert THROTTLE.to_pause({P0: 5, P1: 0}, paused=[P0]) == frozenset()


def test_everything_is_paused_at_the_limit() -> None:
    assert THROTTLE.to_pause({P0: 40, P1: 0}, paused=()) == {P0, P1}


def test_a_poll_brings_one_share_and_not_more_than_there_is_room() -> None:
    assert THROTTLE.max_records({P0: 0, P1: 0}) == 10
    assert THROTTLE.max_records({P0: 33, P1: 0}) == 7
    assert THROTTLE.max_records({P0: 40, P1: 5}) == 1  # a poll can't bring none


def test_without_partitions_half_the_limit_may_come() -> None:
    assert THROTTLE.max_records({}) == 20
    assert THROTTLE.to_pause({}, paused=()) == frozenset()


def test_with_many_partitions_each_has_a_share_worth_polling_for() -> None:
    windows = {TopicPartition("orders", number): 0 for number in range(1000)}
    assert Throttle(500, concurrency=2000).max_records(windows) == 8
    assert Throttle(500, concurrency=8).max_records(windows) == 1000  # eight slow ones leave room for the others


@given(st.integers(1, 50), st.integers(1, 8), st.integers(1, 20), st.data())
def test_what_is_in_hand_never_exceeds_the_limit(
    limit: int, concurrency: int, partitions: int, data: st.DataObject
) -> None:
    throttle = Throttle(limit, concurrency, min_share=1)
    limit = max(limit, 2 * partitions)
    windows = {TopicPartition("orders", number): 0 for number in range(partitions)}
    paused: frozenset[TopicPartition] = frozenset()
    for _ in range(20):
        paused = throttle.to_pause(windows, paused)
        flowing = sorted(windows.keys() - paused)
        if flowing:
            windows[data.draw(st.sampled_from(flowing))] += throttle.max_records(windows)
        assert sum(windows.values()) <= limit
        done = data.draw(st.sampled_from(sorted(windows)))
        windows[done] -= data.draw(st.integers(0, windows[done]))


@given(st.integers(1, 500), st.integers(1, 20))
def test_when_the_work_is_done_everything_flows(limit: int, partitions: int) -> None:
    windows = {TopicPartition("orders", number): 0 for number in range(partitions)}
    assert Throttle(limit, 8).to_pause(windows, paused=windows.keys()) == frozenset()

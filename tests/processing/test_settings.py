"""The arguments and settings of ``run``, how a failed record is retried, and how much is read ahead of the work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import ConfigError, DeserializationError
from kafka_nextgen.processing.arguments import Order
from kafka_nextgen.processing.settings import ProcessingSettings, RetryPolicy, Throttle
from kafka_nextgen.types import TopicPartition
from tests.processing.stage import P0, P1, record


def settings_of(
    concurrency: int = 8,
    order: Order | str = "partition",
    attempts: int = 3,
    drain_timeout_s: float = 30,
    **config: object,
) -> ProcessingSettings:
    given: dict[str, object] = {"bootstrap_servers": "localhost:9092", "group_id": "g", "enable_auto_commit": False}
    parsed = ConsumerConfig.parse({**given, **config})
    return ProcessingSettings.of(parsed, concurrency, order, attempts, drain_timeout_s)


def test_auto_commit_is_refused_because_it_would_commit_what_is_not_finished() -> None:
    with pytest.raises(ConfigError, match=r"set enable\.auto\.commit=false") as refused:
        settings_of(enable_auto_commit=True)
    assert refused.value.key == "enable.auto.commit"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"concurrency": 0}, "concurrency=0 must be at least 1"),
        ({"attempts": 0}, "attempts=0 must be at least 1"),
        ({"drain_timeout_s": -1}, "must not be negative"),
        ({"order": "random"}, "'random' is not a valid Order"),
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        settings_of(**wrong)


def test_settings_are_the_arguments_and_the_configured_ones() -> None:
    settings = settings_of(
        1, "key", 4, 0, retry_backoff_ms=200, retry_backoff_max_ms=5_000, auto_commit_interval_ms=700
    )
    assert (settings.concurrency, settings.order, settings.drain_timeout_s) == (1, Order.KEY, 0)
    assert settings.retries == RetryPolicy(attempts=4, backoff_s=0.2, backoff_max_s=5.0)
    assert settings.commit_interval_s == 0.7


@pytest.mark.parametrize(
    ("given", "revocation_s"),
    [
        ({"rebalance_timeout_ms": 10_000}, 8.0),  # there is time left for the commit and the heartbeat
        ({"max_poll_interval_ms": 10_000, "rebalance_timeout_ms": 60_000}, 8.0),  # or it is removed for not polling
        ({"drain_timeout_s": 2.0}, 2.0),
    ],
)
def test_a_revocation_waits_as_long_as_there_is_time(given: dict[str, object], revocation_s: float) -> None:
    assert settings_of(**given).revocation_timeout_s == pytest.approx(revocation_s)


@pytest.mark.parametrize(("config", "commit_s"), [({}, 1.0), ({"default_api_timeout_ms": 500}, 0.5)])
def test_a_last_commit_has_a_tenth_of_that_time_and_not_more_than_any_call(
    config: dict[str, object], commit_s: float
) -> None:
    assert settings_of(rebalance_timeout_ms=10_000, **config).commit_timeout_s == pytest.approx(commit_s)


POLICY = RetryPolicy(attempts=5, backoff_s=0.5, backoff_max_s=3.0)


def test_the_pause_doubles_up_to_its_maximum_until_all_attempts_are_made() -> None:
    pauses = [POLICY.next_attempt(failures, ValueError(), now=100.0) for failures in (1, 2, 3, 4, 5)]
    assert pauses == [100.5, 101.0, 102.0, 103.0, None]


def test_what_cannot_be_deserialized_is_given_up_at_once() -> None:
    assert POLICY.next_attempt(1, DeserializationError("no number", record(P0, 5), "value"), now=100.0) is None


def test_many_failures_do_not_overflow() -> None:
    patient = RetryPolicy(attempts=10**6, backoff_s=0.5, backoff_max_s=3.0)
    assert patient.next_attempt(10**5, ValueError(), now=0.0) == 3.0


THROTTLE = Throttle(40, concurrency=8, min_share=1)  # a share of two partitions is 10


@pytest.mark.parametrize(
    ("in_hand", "paused", "pauses"),
    [
        ((9, 0), (), ()),
        ((10, 0), (), (P0,)),  # it has its share
        ((6, 0), (P0,), (P0,)),
        ((5, 0), (P0,), ()),  # half its share is left
        ((40, 0), (), (P0, P1)),  # the limit
    ],
)
def test_a_partition_with_its_share_is_paused_until_half_of_it_is_done(
    in_hand: tuple[int, int], paused: tuple[TopicPartition, ...], pauses: tuple[TopicPartition, ...]
) -> None:
    assert THROTTLE.to_pause(dict(zip((P0, P1), in_hand, strict=True)), paused) == set(pauses)


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

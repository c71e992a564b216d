"""A consumer shows itself, in any state, and says what it subscribes to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    ConfigError,
    Consumer,
    OffsetAndMetadata,
    RebalanceConsumer,
    RebalanceListener,
    SubscriptionPattern,
    TopicPartition,
)
from kafka_nextgen.requests.list_offsets import LATEST
from tests.engine.stage import TOPIC, Stage, poll_until, poll_until_async, read, tp
from tests.support.forking import in_forked_process


def test_a_member_shows_its_group_its_subscription_and_its_partitions(stage: Stage) -> None:
    with stage.after_reading(10, partitions=2) as consumer:
        assert (
            repr(consumer) == "<Consumer of group billing: subscribed to orders, assigned orders[0-1], member stable>"
        )
        consumer.pause([tp(1)])
        shown = consumer._repr_html_()
    assert "<caption>Consumer of group billing</caption>" in shown
    assert "<td>orders[0]</td><td>10</td><td>0</td><td></td>" in shown
    assert "<td>orders[1]</td><td>10</td><td>0</td><td>paused</td>" in shown
    assert "problem" not in shown


def test_a_problem_is_shown_and_nothing_of_it_is_markup(stage: Stage) -> None:
    with stage.consumer(group_id="<b>", allow_auto_create_topics=False) as consumer:
        consumer.subscribe(["missing"])
        poll_until(consumer, lambda: consumer.health().problem is not None)
        shown = consumer._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "problem: subscribed to missing, which does not exist yet" in shown
    assert "<b>" not in shown


def test_a_reader_by_hand_shows_that_it_has_no_group(stage: Stage) -> None:
    stage.create(partitions=2)
    with stage.reader(1) as consumer:
        assert repr(consumer) == "<Consumer without a group: assigned orders[1]>"
        assert "<td>orders[1]</td><td>" in consumer._repr_html_()


def test_a_consumer_that_reads_nothing_or_is_closed_says_so(stage: Stage) -> None:
    consumer = stage.consumer()
    assert repr(consumer) == "<Consumer of group billing: nothing subscribed or assigned>"
    consumer.close()
    assert repr(consumer) == "<Consumer of group billing: closed>"
    assert "<td>closed</td>" in consumer._repr_html_()


def test_a_consumer_whose_constructor_raised_can_be_shown_in_a_traceback() -> None:
    consumer = Consumer.__new__(Consumer)
    with pytest.raises(ConfigError):
        consumer.__init__(gruop_id="billing")  # type: ignore[misc]
    assert repr(consumer) == "<Consumer: not created>"
    assert consumer._repr_html_() == "&lt;Consumer: not created&gt;"


def test_a_forked_process_is_not_kept_waiting_by_a_lock(stage: Stage) -> None:
    stage.create()
    with stage.subscribed() as consumer, ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(consumer._core.fetches.__enter__).result()
        in_forked_process(lambda: _expect("created before this process was forked" in repr(consumer)))
        elsewhere.submit(consumer._core.fetches.__exit__).result()


def _expect(is_so: bool) -> None:
    assert is_so


def test_the_async_consumer_shows_the_same(stage: Stage) -> None:
    async def show() -> None:
        async with AsyncConsumer(stage.config()) as consumer:
            await consumer.subscribe(SubscriptionPattern("ord.*"))
            assert "subscribed to the pattern ord.*, assigned" in repr(consumer)
            await poll_until_async(consumer, lambda: consumer.assignment() == {tp()})
            assert consumer.subscription() == {TOPIC}
            assert repr(consumer).startswith("<AsyncConsumer of group billing")

    stage.create()
    asyncio.run(show())


def test_a_subscription_is_what_was_subscribed_to(stage: Stage) -> None:
    stage.create()
    with stage.consumer() as consumer:
        assert consumer.subscription() == frozenset()
        consumer.subscribe(name for name in [TOPIC, "audit"])  # type: ignore[arg-type]  # what can be gone through once
        assert consumer.subscription() == {TOPIC, "audit"}
        consumer.unsubscribe()
        assert consumer.subscription() == frozenset()
        consumer.assign([tp()])
        assert consumer.subscription() == frozenset()


# ---- what callbacks can look up


class LooksUp(RebalanceListener):
    def __init__(self) -> None:
        self.found: list[object] = []

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.found.append(consumer.committed(partitions))
        self.found.append(consumer.offsets_for_times(dict.fromkeys(partitions, LATEST))[tp()].offset)


class AwaitsLookUp(AsyncRebalanceListener):
    def __init__(self) -> None:
        self.found: list[object] = []

    async def on_partitions_assigned(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        self.found.append(await consumer.committed(partitions))
        self.found.append((await consumer.offsets_for_times(dict.fromkeys(partitions, LATEST)))[tp()].offset)


def test_a_callback_looks_up_committed_offsets_and_offsets_by_time(stage: Stage) -> None:
    with stage.after_reading(10) as consumer:
        consumer.commit()
    listener = LooksUp()
    with stage.subscribed(listener) as consumer:
        poll_until(consumer, lambda: bool(listener.found))
    assert listener.found == [{tp(): OffsetAndMetadata(10, 0)}, 10]


def test_an_async_callback_does_the_same(stage: Stage) -> None:
    async def look_up() -> list[object]:
        listener = AwaitsLookUp()
        async with AsyncConsumer(stage.config()) as consumer:
            await consumer.subscribe([TOPIC], listener)
            await poll_until_async(consumer, lambda: bool(listener.found))
        return listener.found

    stage.create(records=10)
    assert asyncio.run(look_up()) == [{tp(): None}, 10]


def test_a_record_gives_its_partition_as_calls_take_it(stage: Stage) -> None:
    with stage.after_reading(10) as consumer:
        consumer.seek(tp(), 3)
        (record,) = read(consumer, 1)
        consumer.seek(record.topic_partition, record.offset)
        assert read(consumer, 1) == [record]
        assert record.topic_partition == tp()

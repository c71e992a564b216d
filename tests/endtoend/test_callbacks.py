"""What rebalance callbacks may do, and what comes of it.

* A callback may take longer than the session: heartbeats go on, the member stays, and nobody gets its partitions
  before it has returned.
* What ``on_partitions_assigned`` raises reaches the caller of ``poll`` as it is. The assignment is not acknowledged,
  the partitions stay this member's, and none of their records is handed out: the next poll calls it again.
* No record of a partition is handed out from the moment in which its revocation begins.
* What is lost is not committed, by nobody.

``tests/engine/test_callbacks.py`` has what else they may and may not do.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import groupby

import pytest
from attrs import define, field

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    CommitFailedError,
    Consumer,
    MisuseError,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
)
from kafka_nextgen.testing import Cluster
from tests.endtoend.heard import Heard, HeardAsync
from tests.endtoend.reading import config_of, numbers, poll_until, read, read_async
from tests.support.clients import create_topic, members_of, produce, stored_offsets
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S, eventually

PARTITIONS = 4
#: Longer than a session of 45 s, and shorter than the rebalance timeout of 60 s.
LONG_S = 50
#: A consumer that seldom fetches, so that a minute is short.
SELDOM = {"fetch_max_wait_ms": 20_000}


def numbered_topic(kafka: KafkaServer | Cluster, count: int = 40) -> str:
    """Return a topic with records 0 to 39."""
    topic = create_topic(kafka.bootstrap_servers, "callbacks", PARTITIONS)
    produce(kafka.bootstrap_servers, topic, count, partitions=PARTITIONS)
    return topic


@pytest.fixture(scope="module")
def topic(kafka: KafkaServer) -> str:
    """Return a topic with records 0 to 39, for tests that write nothing to it."""
    return numbered_topic(kafka)


@pytest.fixture(scope="module")
def turned_topic(turned: Cluster) -> str:
    return numbered_topic(turned)


def join(
    stack: ExitStack, kafka: KafkaServer | Cluster, group: str, topic: str, heard: Heard, **more: object
) -> Consumer:
    consumer = stack.enter_context(Consumer(config_of(kafka, group, **more)))
    consumer.subscribe([topic], listener=heard)
    return consumer


def fail(_: RebalanceConsumer, partitions: object) -> None:
    raise ZeroDivisionError(f"with {partitions}")


# ---- longer than the session


def test_a_callback_longer_than_the_session_costs_nothing(
    turned: Cluster, turned_topic: str, group: str, stack: ExitStack
) -> None:
    order: list[str] = []

    def give_up_slowly(*_: object) -> None:
        turned.advance(seconds=LONG_S)
        order.append("given up")

    def start_slowly(_: object, partitions: object) -> None:
        order.append("taken" if partitions else "nothing yet")
        if not partitions:
            turned.advance(seconds=LONG_S)

    first_heard, second_heard = Heard({"revoked": give_up_slowly}), Heard({"assigned": start_slowly})
    first = join(stack, turned, group, turned_topic, first_heard, **SELDOM)
    read(first, 40)
    (first_id,) = members_of(turned.bootstrap_servers, group)
    second = join(stack, turned, group, turned_topic, second_heard, **SELDOM)
    with ThreadPoolExecutor(1) as pool:
        gave_up = pool.submit(poll_until, [first], lambda: len(first.assignment()) == 2)
        poll_until([second], lambda: len(second.assignment()) == 2)
        gave_up.result()

    assert order == ["nothing yet", "given up", "taken"]
    half = {tp.partition for tp in second.assignment()}
    assert first_heard.moves() == [("assigned", {0, 1, 2, 3}), ("revoked", half)]
    assert second_heard.moves() == [("assigned", half)]
    members = members_of(turned.bootstrap_servers, group)
    assert (len(members), members[first_id]) == (2, {0, 1, 2, 3} - half)
    first_heard.actions = {}


@pytest.mark.parametrize("blocks_the_loop", [False, True], ids=["awaits", "blocks the loop"])
def test_so_does_one_of_an_async_consumer(
    turned: Cluster, turned_topic: str, group: str, blocks_the_loop: bool
) -> None:
    def block(*_: object) -> None:
        turning = threading.Thread(target=turned.advance, args=(LONG_S,))
        turning.start()
        turning.join()

    def wait(*_: object) -> Coroutine[object, object, None]:
        return asyncio.to_thread(turned.advance, LONG_S)

    listener: AsyncRebalanceListener | RebalanceListener
    listener = Heard({"assigned": block}) if blocks_the_loop else HeardAsync({"assigned": wait})

    async def scene() -> None:
        async with AsyncConsumer(config_of(turned, group, **SELDOM)) as consumer:
            await consumer.subscribe([turned_topic], listener=listener)
            assert numbers(await read_async(consumer, 40)) == list(range(40))
            while not consumer.rebalances():  # it ends when the coordinator has heard of it
                await consumer.poll(timeout=0.1)
            (rebalance,) = consumer.rebalances()
            assert rebalance.epoch_after == consumer.group_metadata().member_epoch, "it was never out"

    asyncio.run(asyncio.wait_for(scene(), GUARD_S))


# ---- what is raised


def test_a_failed_assignment_is_given_up_like_any_other_on_closing(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack
) -> None:
    heard = Heard({"assigned": fail})
    consumer = join(stack, kafka, group, topic, heard)
    with pytest.raises(ZeroDivisionError, match=topic):
        poll_until([consumer], lambda: False)
    assert "poll() calls it again" in (consumer.health().problem or "")
    assert list(members_of(kafka.bootstrap_servers, group).values()) == [{0, 1, 2, 3}]
    consumer.close()
    assert heard.events == [("assigned", {0, 1, 2, 3}), ("revoked", {0, 1, 2, 3})]
    assert members_of(kafka.bootstrap_servers, group) == {}


def test_a_failed_assignment_can_be_taken_back_before_it_succeeds(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack
) -> None:
    heard = Heard({"assigned": fail})
    first = join(stack, kafka, group, topic, heard)
    with pytest.raises(ZeroDivisionError, match=topic):
        poll_until([first], lambda: False)
    heard.actions = {}
    second = join(stack, kafka, group, topic, Heard())
    eventually("the second is in", lambda: second.health().member_epoch > first.health().member_epoch)
    moment = time.monotonic()
    eventually("the first is told", lambda: time.monotonic() - (first.health().since_heartbeat_s or 0) > moment)
    records = poll_until([first, second], lambda: len(first.assignment()) == len(second.assignment()) == 2)
    gone = {tp.partition for tp in second.assignment()}
    assert heard.events == [("assigned", {0, 1, 2, 3}), ("revoked", gone), ("assigned", {0, 1, 2, 3} - gone)]
    poll_until([first, second], lambda: len(records) == 40, records)
    assert numbers(records) == list(range(40))


def test_a_callback_may_commit_seek_and_pause_by_its_view_while_it_runs(
    kafka: KafkaServer, topic: str, group: str
) -> None:
    views: list[AsyncRebalanceConsumer] = []
    sought, paused = TopicPartition(topic, 0), TopicPartition(topic, 1)

    async def arrange(view: AsyncRebalanceConsumer, _: object) -> None:
        views.append(view)
        await view.commit({sought: 5})
        view.seek(sought, 7)
        view.pause([paused])

    async def scene() -> None:
        async with AsyncConsumer(config_of(kafka, group)) as consumer:
            await consumer.subscribe([topic], listener=HeardAsync({"assigned": arrange}))
            records = await read_async(consumer, 3 + 10 + 10)
            assert sorted(record.offset for record in records if record.partition == 0) == [7, 8, 9]
            assert consumer.paused() == {paused}
            with pytest.raises(MisuseError, match="expired when the rebalance callback"):
                await views[0].commit()

    asyncio.run(asyncio.wait_for(scene(), GUARD_S))
    assert stored_offsets(kafka.bootstrap_servers, group) == {0: 5}


# ---- what is handed out


@define
class Log:
    """What an application that iterates went through: ``(partition, offset)`` of a record, or what was revoked."""

    entries: list[tuple[int, int] | set[int]] = field(factory=list)
    stopped: bool = False
    is_told: Callable[[], object] = lambda: True

    def read(self, consumer: Consumer) -> None:
        for record in consumer:
            self.entries.append((record.partition, record.offset))
            if len(self.entries) == 2_000:  # and records are left when its partitions go
                self.is_told()
            if self.stopped:
                return

    def revoke(self, view: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.entries.append({tp.partition for tp in partitions})
        view.commit()


def test_nothing_of_a_partition_is_handed_out_from_its_revocation_on(
    kafka: KafkaServer, group: str, stack: ExitStack
) -> None:
    topic, first_is_told = numbered_topic(kafka, 40_000), threading.Event()
    log = Log(is_told=lambda: first_is_told.wait(GUARD_S))
    first = join(stack, kafka, group, topic, Heard({"revoked": log.revoke}))
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(log.read, first)
        try:
            eventually("the first reads", lambda: len(log.entries) > 1_000)
            second = join(stack, kafka, group, topic, Heard())
            eventually("the first is to give some up", lambda: first.health().rebalancing is not None)
            first_is_told.set()
            records = poll_until([second], lambda: len(second.assignment()) == 2)
            poll_until([second], lambda: bool(records), records)
        finally:
            log.stopped = True
            first_is_told.set()
            produce(kafka.bootstrap_servers, topic, PARTITIONS, partitions=PARTITIONS)  # it looks with every record
        reading.result(GUARD_S)

    (at,) = (index for index, entry in enumerate(log.entries) if isinstance(entry, set))
    given_up = log.entries[at]
    before, after = log.entries[:at], log.entries[at + 1 :]
    assert after, "it went on with what it kept"
    assert {partition for partition, _ in after} <= {0, 1, 2, 3} - given_up
    read_before = {
        partition: max((offset for which, offset in before if which == partition), default=-1) for partition in given_up
    }
    records.sort(key=lambda record: (record.partition, record.offset))
    for partition, group_of in groupby(records, key=lambda record: record.partition):
        assert next(group_of).offset == read_before[partition] + 1


# ---- what is lost


def test_what_is_lost_is_committed_by_nobody(turned: Cluster, turned_topic: str, group: str, stack: ExitStack) -> None:
    def commit(by: Consumer | RebalanceConsumer, _: object = None) -> None:
        with pytest.raises(CommitFailedError):
            by.commit(timeout=GUARD_S)

    heard = Heard({"lost": commit})
    auto = {"enable_auto_commit": True, "auto_commit_interval_ms": 3600_000}
    consumer = join(stack, turned, group, turned_topic, heard, max_poll_interval_ms=60_000, **auto, **SELDOM)
    read(consumer, 40)
    turned.advance(seconds=61)  # without a poll: it has left
    assert members_of(turned.bootstrap_servers, group) == {}
    commit(consumer)
    assert numbers(read(consumer, 40)) == list(range(40)), "from the beginning"
    assert heard.moves() == [("assigned", {0, 1, 2, 3}), ("lost", {0, 1, 2, 3}), ("assigned", {0, 1, 2, 3})]
    assert stored_offsets(turned.bootstrap_servers, group) == {}

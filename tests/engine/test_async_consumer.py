"""AsyncConsumer: the same rules, and what cancelling, tasks and two kinds of listeners add to them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    ConcurrentUseError,
    DeserializationError,
    MisuseError,
    RebalanceConsumer,
    RebalanceListener,
    Record,
    RequestTimeoutError,
    TopicPartition,
    UnsupportedProtocolError,
)
from kafka_nextgen.engine.application.iteration import BREATH_S
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, OFFSET_FETCH
from tests.engine.stage import PATIENCE_S, Hears, Stage, tp, values
from tests.support.waiting import eventually


def play(scene: Awaitable[None]) -> None:
    async def within_reason() -> None:
        await asyncio.wait_for(scene, PATIENCE_S)

    asyncio.run(within_reason())


async def read(consumer: AsyncConsumer, count: int) -> list[Record]:
    records: list[Record] = []
    while len(records) < count:
        records += await consumer.poll(timeout=0.1, max_records=count - len(records))
    return records


async def poll_until(consumer: AsyncConsumer, is_so: Callable[[], bool]) -> list[Record]:
    records: list[Record] = []
    while not is_so():
        records += await consumer.poll(timeout=0.05)
    return records


class ActsIn(AsyncRebalanceListener):
    """Acts in the callback of that name, where it may end with an error."""

    def __init__(self, name: str, error: Exception | None = None) -> None:
        self.name, self.error = name, error

    async def act(self) -> None:
        raise NotImplementedError

    async def _call(self, name: str) -> None:
        if name == self.name:
            await self.act()
            if self.error is not None:
                raise self.error

    async def on_partitions_assigned(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await self._call("assigned")

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await self._call("revoked")


class Waits(ActsIn):
    """Says when it is in the callback of that name, and stays there until it may leave."""

    def __init__(self, name: str, error: Exception | None = None) -> None:
        super().__init__(name, error)
        self.inside, self.may_leave = asyncio.Event(), asyncio.Event()
        self.calls = 0
        self.was_cancelled = False
        self.at_last: Callable[[], Awaitable[object]] | None = None

    async def act(self) -> None:
        self.calls += 1
        self.inside.set()
        try:
            await self.may_leave.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        if self.at_last is not None:
            await self.at_last()


@pytest.mark.parametrize("error", [None, ZeroDivisionError("mine")], ids=["returns", "raises"])
def test_a_callback_whose_poll_was_cancelled_goes_on_and_the_next_poll_hears_of_it(
    stage: Stage, error: Exception | None
) -> None:
    async def scene() -> None:
        listener = Waits("assigned", error)
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe(["orders"], listener)
            for _ in range(3):
                polling = asyncio.ensure_future(consumer.poll(timeout=60))
                await listener.inside.wait()
                await asyncio.sleep(0)
                polling.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await polling
            listener.may_leave.set()
            if error is None:
                assert values(await read(consumer, 5)) == [0, 1, 2, 3, 4]
            else:
                with pytest.raises(ZeroDivisionError, match="mine"):
                    await consumer.poll(timeout=10)
            assert listener.calls == 1

    stage.create(records=5)
    play(scene())


def test_close_cancels_a_callback_that_outlasts_it_and_leaves_all_the_same(stage: Stage) -> None:
    async def scene() -> None:
        listener = Waits("revoked")
        consumer = AsyncConsumer(**stage.config())
        await consumer.subscribe(["orders"], listener)
        await read(consumer, 5)
        with pytest.raises(RequestTimeoutError, match="on_partitions_revoked"):
            await consumer.close(timeout=1.0)
        assert listener.was_cancelled
        with pytest.raises(MisuseError, match="closed"):
            await consumer.poll()

    stage.create(records=5)
    play(scene())
    eventually("it left", lambda: stage.members() == 0)  # the coordinator's answer was perhaps not waited for


def test_a_callback_that_waits_for_a_position_does_not_hold_up_a_close(stage: Stage) -> None:
    class Asks(AsyncRebalanceListener):
        async def on_partitions_assigned(
            self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
        ) -> None:
            inside.set()
            positions.append(await consumer.position(partitions[0]))

    async def scene() -> None:
        consumer = AsyncConsumer(**stage.config())
        await consumer.subscribe(["orders"], Asks())
        polling = asyncio.ensure_future(consumer.poll(timeout=60))
        while not (inside.is_set() and asked.is_set()):
            await asyncio.sleep(0.001)
        polling.cancel()
        closing = asyncio.ensure_future(consumer.close())
        while not consumer._core.closing:
            await asyncio.sleep(0.001)
        stage.handle(OFFSET_FETCH, original)
        await closing

    inside, positions = asyncio.Event(), list[int]()
    stage.create(records=5)
    original = stage.original(OFFSET_FETCH)
    asked = stage.busy(OFFSET_FETCH)
    play(scene())
    assert positions == [0]


def test_a_close_that_is_cancelled_goes_on_and_another_waits_for_it(stage: Stage) -> None:
    async def scene() -> None:
        listener = Waits("revoked")
        consumer = AsyncConsumer(**stage.config())
        await consumer.subscribe(["orders"], listener)
        await read(consumer, 5)
        closing = asyncio.ensure_future(consumer.close())
        await listener.inside.wait()
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        listener.may_leave.set()
        await consumer.close()
        assert not consumer._core.engine.thread._thread.is_alive()

    stage.create(records=5)
    play(scene())
    assert stage.members() == 0


def test_close_ends_another_tasks_poll_even_in_a_callback_that_never_returns(stage: Stage) -> None:
    async def scene() -> None:
        listener = Waits("assigned")
        consumer = AsyncConsumer(**stage.config())
        await consumer.subscribe(["orders"], listener)
        polling = asyncio.ensure_future(consumer.poll(timeout=60))
        await listener.inside.wait()
        with pytest.raises(ConcurrentUseError):
            await consumer.close(timeout=0.3)
        with pytest.raises(MisuseError):
            await polling
        assert listener.was_cancelled

    stage.create(records=5)
    play(scene())
    eventually("it left", lambda: stage.members() == 0)


class Closes(ActsIn):
    """Closes its consumer in the callback of that name, and goes on there."""

    def __init__(self, name: str, error: Exception | None = None) -> None:
        super().__init__(name, error)
        self.outer: AsyncConsumer | None = None
        self.heard: list[str] = []

    async def act(self) -> None:
        assert self.outer is not None
        await self.outer.close()
        self.heard.append(f"{sorted(map(str, self.outer.assignment()))} after close")

    async def _call(self, name: str) -> None:
        self.heard.append(name)
        await super()._call(name)


@pytest.mark.parametrize("error", [None, ZeroDivisionError("mine")], ids=["returns", "raises"])
def test_close_inside_a_callback_is_done_when_that_ends_by_the_call_that_runs_it(
    stage: Stage, error: Exception | None
) -> None:
    async def scene() -> None:
        listener.outer = consumer = AsyncConsumer(**stage.config())
        await consumer.subscribe(["orders"], listener)
        with pytest.raises(type(error) if error else MisuseError, match="mine" if error else "closed during the call"):
            await consumer.poll(timeout=60)
        assert not consumer._core.engine.thread._thread.is_alive()
        with pytest.raises(MisuseError, match="closed"):
            await consumer.poll()
        await consumer.close()

    listener = Closes("assigned", error)
    stage.create(records=5)
    play(scene())
    assert listener.heard == ["assigned", "['orders[0]'] after close", "revoked"]
    assert stage.members() == 0


def test_close_inside_the_callback_of_a_close_changes_nothing(stage: Stage) -> None:
    async def scene() -> None:
        async with AsyncConsumer(**stage.config()) as listener.outer:
            await listener.outer.subscribe(["orders"], listener)
            await read(listener.outer, 5)

    listener = Closes("revoked")
    stage.create(records=5)
    play(scene())
    assert listener.heard == ["assigned", "revoked", "['orders[0]'] after close"]
    assert stage.members() == 0


def test_close_inside_the_callback_of_a_rebalance_gives_the_other_member_everything(stage: Stage) -> None:
    async def poll_both(first: AsyncConsumer, second: AsyncConsumer) -> None:
        while True:
            await first.poll(timeout=0.01)
            await second.poll(timeout=0)

    async def scene() -> None:
        listener.outer = first = AsyncConsumer(**stage.config())
        await first.subscribe(["orders"], listener)
        await poll_until(first, lambda: len(first.assignment()) == 2)
        async with AsyncConsumer(**stage.config()) as second:
            await second.subscribe(["orders"])
            with pytest.raises(MisuseError, match="closed during the call"):
                await poll_both(first, second)
            await poll_until(second, lambda: len(second.assignment()) == 2)

    listener = Closes("revoked")
    stage.create(partitions=2)
    play(scene())
    assert listener.heard[:3] == ["assigned", "revoked", "['orders[0]', 'orders[1]'] after close"]
    assert listener.heard.count("revoked") == 2, "once for the rebalance, and once for what was left"


def test_a_wish_to_close_outlives_the_poll_that_was_cancelled(stage: Stage) -> None:
    async def scene() -> None:
        waits = Waits("assigned")
        consumer = AsyncConsumer(**stage.config())
        await consumer.subscribe(["orders"], waits)
        polling = asyncio.ensure_future(consumer.poll(timeout=60))
        await waits.inside.wait()
        polling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await polling
        waits.at_last = consumer.close
        waits.may_leave.set()
        with pytest.raises(MisuseError, match="closed during the call"):
            await consumer.poll(timeout=60)

    stage.create(records=5)
    play(scene())
    assert stage.members() == 0


def test_close_ends_a_call_that_waits_for_the_coordinator(stage: Stage) -> None:
    async def scene() -> None:
        consumer = AsyncConsumer(**stage.config())
        await consumer.subscribe(["orders"])
        await read(consumer, 5)
        asked = stage.busy(OFFSET_FETCH)
        waiting = asyncio.ensure_future(consumer.committed([tp()], timeout=60))
        while not asked.is_set():
            await asyncio.sleep(0.001)
        with pytest.raises(ConcurrentUseError):
            await consumer.close(timeout=0.3)
        with pytest.raises(MisuseError, match="closed during the call"):
            await waiting

    stage.create(records=5)
    play(scene())


def test_a_second_task_is_refused_while_the_first_is_inside(stage: Stage) -> None:
    async def scene() -> None:
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe(["orders"])
            polling = asyncio.ensure_future(consumer.poll(timeout=60))
            await asyncio.sleep(0)
            with pytest.raises(ConcurrentUseError, match=r"commit\(\).*poll\(\)"):
                await consumer.commit()
            polling.cancel()

    stage.create()
    play(scene())


def test_an_async_listener_may_use_the_consumer_itself_also_from_tasks_it_awaits(stage: Stage) -> None:
    class Uses(AsyncRebalanceListener):
        async def on_partitions_revoked(
            self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
        ) -> None:
            await asyncio.wait_for(outer.commit(), 10)
            heard.append(await outer.position(tp()))
            heard.append(await consumer.position(tp()))
            with pytest.raises(MisuseError, match="rebalance callback"):
                await outer.poll()

    async def scene() -> None:
        nonlocal outer
        async with AsyncConsumer(**stage.config()) as outer:
            await outer.subscribe(["orders"], Uses())
            await read(outer, 5)

    outer: AsyncConsumer
    heard: list[int] = []
    stage.create(records=5)
    play(scene())
    assert heard == [5, 5]
    assert stage.committed() == {0: 5}


def test_a_plain_listener_needs_no_await_for_its_commit(stage: Stage) -> None:
    class Plain(RebalanceListener):
        def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
            consumer.commit()
            heard.append(consumer.position(tp()))

    async def scene() -> None:
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe(["orders"], Plain())
            await read(consumer, 5)

    heard: list[int] = []
    stage.create(records=5)
    play(scene())
    assert heard == [5]
    assert stage.committed() == {0: 5}


def test_what_is_lost_is_heard_of_and_read_again(stage: Stage) -> None:
    async def scene() -> None:
        listener = Hears()
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe(["orders"], listener)
            await read(consumer, 5)
            await asyncio.to_thread(stage.fence, consumer)
            again = await poll_until(consumer, lambda: bool(listener.lost))
            assert values([*again, *await read(consumer, 5 - len(again))]) == [0, 1, 2, 3, 4]

    stage.create(records=5)
    play(scene())


def test_unsubscribing_can_be_undone(stage: Stage) -> None:
    async def scene() -> None:
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe(["orders"])
            await read(consumer, 5)
            await consumer.unsubscribe()
            with pytest.raises(MisuseError, match="subscribe"):
                await consumer.poll()
            await consumer.subscribe(["orders"])
            assert len(await read(consumer, 5)) == 5

    stage.create(records=5)
    play(scene())


def test_what_is_fatal_is_raised_by_every_poll(stage: Stage) -> None:
    async def scene() -> None:
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe(["orders"])
            for _ in range(2):
                with pytest.raises(UnsupportedProtocolError, match=r"group\.protocol=classic"):
                    await poll_until(consumer, lambda: False)

    stage.create()
    stage.handle(CONSUMER_GROUP_HEARTBEAT, None)
    play(scene())


def test_positions_and_lookups_are_awaited_and_iteration_goes_on_where_it_is_told_to(stage: Stage) -> None:
    def refuse_three(data: bytes) -> int:
        assert data != b"3"
        return int(data)

    async def scene() -> None:
        async with AsyncConsumer(**stage.config(value_deserializer=refuse_three)) as consumer:
            await consumer.subscribe(["orders"])
            assert [(await consumer.__anext__()).value for _ in range(3)] == [0, 1, 2]
            with pytest.raises(DeserializationError):
                await consumer.__anext__()
            await consumer.seek(tp(), 4)
            assert (await consumer.__anext__()).value == 4
            await consumer.seek_to_beginning([])
            assert await consumer.position(tp()) == 5
            await consumer.commit_async()
            await consumer.seek(tp(), 8)
            await consumer.pause([tp()])
            assert (consumer.paused(), len(await consumer.poll(timeout=0))) == ({tp()}, 0)
            await consumer.resume([tp()])
            async for batch in consumer.batches():
                assert [record.value for record in batch] == [8, 9]
                break
            assert await consumer.committed([tp()]) != {tp(): None}
            assert await consumer.beginning_offsets([tp()]) == {tp(): 0}
            assert await consumer.end_offsets([tp()]) == {tp(): 10}
            assert await consumer.partitions_for("orders") == (0,)
            assert await consumer.topics() == ("orders",)
            await consumer.seek_to_end()
            assert await consumer.position(tp()) == 10

    stage.create(records=10)
    play(scene())


def test_a_loop_that_awaits_nothing_lets_other_tasks_run(stage: Stage) -> None:
    async def count_turns(turns: list[int]) -> None:
        while True:
            turns.append(1)
            await asyncio.sleep(0)

    async def scene() -> None:
        turns: list[int] = []
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe(["orders"])
            other, turns_before = asyncio.ensure_future(count_turns(turns)), 0
            async for record in consumer:
                turns_before = turns_before or len(turns)
                if len(turns) > turns_before or record.offset == 1999:
                    break
                time.sleep(BREATH_S / 50)  # what the body does without awaiting
            other.cancel()
            assert len(turns) > turns_before

    stage.create(records=2000)
    play(scene())


def test_a_loop_object_outlives_the_errors_it_raises(stage: Stage) -> None:
    def refuse_three(data: bytes) -> int:
        assert data != b"3"
        return int(data)

    async def scene() -> None:
        async with AsyncConsumer(**stage.config(value_deserializer=refuse_three)) as consumer:
            records = aiter(consumer)
            with pytest.raises(MisuseError, match="subscribe"):
                await anext(records)
            await consumer.subscribe(["orders"])
            assert [(await anext(records)).value for _ in range(3)] == [0, 1, 2]
            with pytest.raises(DeserializationError):
                await anext(records)
            await consumer.seek(tp(), 4)
            assert (await anext(records)).value == 4

    stage.create(records=5)
    play(scene())


def test_an_error_that_ends_the_block_is_seen_and_keeps_its_record_uncommitted(stage: Stage) -> None:
    async def scene() -> None:
        async with AsyncConsumer(**stage.config(enable_auto_commit=True)) as consumer:
            await consumer.subscribe(["orders"])
            async for record in consumer:
                assert record.offset < 4, "in work"

    stage.create(records=10)
    with pytest.raises(AssertionError, match="in work"):
        play(scene())
    assert stage.committed() == {0: 4}


def test_a_listener_may_await_what_does_not_wait_and_ask_for_offsets_by_time(stage: Stage) -> None:
    stage.create(records=10)
    found: list[int] = []

    class Seeks(AsyncRebalanceListener):
        async def on_partitions_assigned(
            self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
        ) -> None:
            await consumer.seek(tp(), 7)
            await consumer.pause(partitions)
            await consumer.resume(partitions)
            offsets = await consumer.offsets_for_times(dict.fromkeys(partitions, -2))
            found.extend(at.offset for at in offsets.values())

    async def scene() -> None:
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe(["orders"], Seeks())
            assert values(await read(consumer, 3)) == [7, 8, 9]

    play(scene())
    assert found == [0]

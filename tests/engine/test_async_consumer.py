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
    RequestTimeoutError,
    TopicPartition,
)
from kafka_nextgen.engine.application.iteration import BREATH_S
from kafka_nextgen.wire.apis import OFFSET_FETCH
from tests.engine.stage import TOPIC, Stage, poll_until_async, tp, values
from tests.engine.stage import read_async as read
from tests.support.waiting import GUARD_S, eventually

Act = Callable[[AsyncRebalanceConsumer], Awaitable[object]]
MAY_FAIL = pytest.mark.parametrize("error", [None, ZeroDivisionError("mine")], ids=["returns", "raises"])


class Acts(AsyncRebalanceListener):
    """Acts in the callback of that name, which may end with an error."""

    def __init__(self, name: str, act: Act | None = None, error: Exception | None = None) -> None:
        self.name, self.act, self.error = name, act, error
        self.heard: list[str] = []

    async def _call(self, name: str, consumer: AsyncRebalanceConsumer) -> None:
        self.heard.append(name)
        if name != self.name:
            return
        if self.act is not None:
            await self.act(consumer)
        if self.error is not None:
            raise self.error

    async def on_partitions_assigned(self, consumer: AsyncRebalanceConsumer, _: Sequence[TopicPartition]) -> None:
        await self._call("assigned", consumer)

    async def on_partitions_revoked(self, consumer: AsyncRebalanceConsumer, _: Sequence[TopicPartition]) -> None:
        await self._call("revoked", consumer)

    def close_in_it(self, consumer: AsyncConsumer) -> None:
        async def close(_: AsyncRebalanceConsumer) -> None:
            await consumer.close()
            self.heard.append(f"{sorted(map(str, consumer.assignment()))} after close")

        self.act = close


class Waits(Acts):
    """Says when it is in the callback of that name, and stays there until it may leave."""

    def __init__(self, name: str, error: Exception | None = None) -> None:
        super().__init__(name, self._wait, error)
        self.inside, self.may_leave = asyncio.Event(), asyncio.Event()
        self.was_cancelled = False
        self.at_last: Callable[[], Awaitable[object]] | None = None

    async def _wait(self, _: AsyncRebalanceConsumer) -> None:
        self.inside.set()
        try:
            await self.may_leave.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        if self.at_last is not None:
            await self.at_last()


async def subscribed(stage: Stage, listener: Acts | RebalanceListener | None = None, **more: object) -> AsyncConsumer:
    consumer = AsyncConsumer(**stage.config(**more))
    await consumer.subscribe([TOPIC], listener)
    return consumer


async def cancel(task: asyncio.Future[object]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.fixture(autouse=True)
def _five_records(stage: Stage) -> None:
    stage.create(records=5)


@MAY_FAIL
async def test_a_callback_whose_poll_was_cancelled_goes_on_and_the_next_poll_hears_of_it(
    stage: Stage, error: Exception | None
) -> None:
    listener = Waits("assigned", error)
    async with await subscribed(stage, listener) as consumer:
        for _ in range(3):
            polling = asyncio.ensure_future(consumer.poll(timeout=GUARD_S))
            await listener.inside.wait()
            await asyncio.sleep(0)
            await cancel(polling)
        listener.may_leave.set()
        if error is None:
            assert values(await read(consumer, 5)) == [0, 1, 2, 3, 4]
        else:
            with pytest.raises(ZeroDivisionError, match="mine"):
                await consumer.poll(timeout=GUARD_S)
        assert listener.heard == ["assigned"]


# ---- closing


async def test_close_cancels_a_callback_that_outlasts_it_and_leaves_all_the_same(stage: Stage) -> None:
    listener = Waits("revoked")
    consumer = await subscribed(stage, listener)
    await read(consumer, 5)
    with pytest.raises(RequestTimeoutError, match="on_partitions_revoked"):
        await consumer.close(timeout=0.2)
    assert listener.was_cancelled
    with pytest.raises(MisuseError, match="closed"):
        await consumer.poll()
    eventually("it left", lambda: stage.members() == 0)  # the coordinator's answer was perhaps not waited for


async def test_a_callback_that_waits_for_a_position_does_not_hold_up_a_close(stage: Stage) -> None:
    async def ask(view: AsyncRebalanceConsumer) -> None:
        inside.set()
        positions.append(await view.position(tp()))

    inside, positions = asyncio.Event(), list[int]()
    original, asked = stage.original(OFFSET_FETCH), stage.busy(OFFSET_FETCH)
    consumer = await subscribed(stage, Acts("assigned", ask))
    polling = asyncio.ensure_future(consumer.poll(timeout=GUARD_S))
    await inside.wait()
    await asyncio.to_thread(asked.wait)
    polling.cancel()
    closing = asyncio.ensure_future(consumer.close())
    while not consumer._core.closing:
        await asyncio.sleep(0)
    stage.handle(OFFSET_FETCH, original)
    await closing
    assert positions == [0]


async def test_a_close_that_is_cancelled_goes_on_and_another_waits_for_it(stage: Stage) -> None:
    listener = Waits("revoked")
    consumer = await subscribed(stage, listener)
    await read(consumer, 5)
    closing = asyncio.ensure_future(consumer.close())
    await listener.inside.wait()
    await cancel(closing)
    listener.may_leave.set()
    await consumer.close()
    assert not consumer._core.engine.thread._thread.is_alive()
    assert stage.members() == 0


async def test_close_ends_another_tasks_poll_even_in_a_callback_that_never_returns(stage: Stage) -> None:
    listener = Waits("assigned")
    consumer = await subscribed(stage, listener)
    polling = asyncio.ensure_future(consumer.poll(timeout=GUARD_S))
    await listener.inside.wait()
    with pytest.raises(ConcurrentUseError):
        await consumer.close(timeout=0.2)
    with pytest.raises(MisuseError):
        await polling
    assert listener.was_cancelled
    eventually("it left", lambda: stage.members() == 0)


async def test_close_ends_a_call_that_waits_for_the_coordinator(stage: Stage) -> None:
    consumer = await subscribed(stage)
    await read(consumer, 5)
    asked = stage.busy(OFFSET_FETCH)
    waiting = asyncio.ensure_future(consumer.committed([tp()], timeout=GUARD_S))
    await asyncio.to_thread(asked.wait)
    with pytest.raises(ConcurrentUseError):
        await consumer.close(timeout=0.2)
    with pytest.raises(MisuseError, match="closed during the call"):
        await waiting


@MAY_FAIL
async def test_close_inside_a_callback_is_done_when_that_ends_by_the_call_that_runs_it(
    stage: Stage, error: Exception | None
) -> None:
    listener = Acts("assigned", error=error)
    consumer = await subscribed(stage, listener)
    listener.close_in_it(consumer)
    with pytest.raises(type(error) if error else MisuseError, match="mine" if error else "closed during the call"):
        await consumer.poll(timeout=GUARD_S)
    assert not consumer._core.engine.thread._thread.is_alive()
    with pytest.raises(MisuseError, match="closed"):
        await consumer.poll()
    await consumer.close()
    assert listener.heard == ["assigned", "['orders[0]'] after close", "revoked"]
    assert stage.members() == 0


async def test_close_inside_the_callback_of_a_close_changes_nothing(stage: Stage) -> None:
    listener = Acts("revoked")
    async with await subscribed(stage, listener) as consumer:
        listener.close_in_it(consumer)
        await read(consumer, 5)
    assert listener.heard == ["assigned", "revoked", "['orders[0]'] after close"]
    assert stage.members() == 0


async def test_close_inside_the_callback_of_a_rebalance_gives_the_other_member_everything(stage: Stage) -> None:
    async def poll_both() -> None:
        while True:
            await first.poll(timeout=0.01)
            await second.poll(timeout=0)

    stage.cluster.create_topic("audit", 2)
    listener, first = Acts("revoked"), AsyncConsumer(**stage.config())
    listener.close_in_it(first)
    await first.subscribe(["audit"], listener)
    await poll_until_async(first, lambda: len(first.assignment()) == 2)
    async with AsyncConsumer(**stage.config()) as second:
        await second.subscribe(["audit"])
        with pytest.raises(MisuseError, match="closed during the call"):
            await poll_both()
        await poll_until_async(second, lambda: len(second.assignment()) == 2)
    assert listener.heard.count("revoked") == 2, "once for the rebalance, and once for what was left"


async def test_a_wish_to_close_outlives_the_poll_that_was_cancelled(stage: Stage) -> None:
    listener = Waits("assigned")
    consumer = await subscribed(stage, listener)
    polling = asyncio.ensure_future(consumer.poll(timeout=GUARD_S))
    await listener.inside.wait()
    await cancel(polling)
    listener.at_last = consumer.close
    listener.may_leave.set()
    with pytest.raises(MisuseError, match="closed during the call"):
        await consumer.poll(timeout=GUARD_S)
    assert stage.members() == 0


# ---- tasks and listeners


async def test_a_second_task_is_refused_while_the_first_is_inside(stage: Stage) -> None:
    async with await subscribed(stage) as consumer:
        polling = asyncio.ensure_future(consumer.poll(timeout=GUARD_S))
        await asyncio.sleep(0)
        with pytest.raises(ConcurrentUseError, match=r"commit\(\).*poll\(\)"):
            await consumer.commit()
        polling.cancel()


async def test_an_async_listener_may_use_the_consumer_itself_also_from_tasks_it_awaits(stage: Stage) -> None:
    async def use(view: AsyncRebalanceConsumer) -> None:
        await asyncio.wait_for(consumer.commit(), GUARD_S)
        heard.append(await consumer.position(tp()))
        heard.append(await view.position(tp()))
        with pytest.raises(MisuseError, match="rebalance callback"):
            await consumer.poll()

    heard: list[int] = []
    async with await subscribed(stage, Acts("revoked", use)) as consumer:
        await read(consumer, 5)
    assert heard == [5, 5]
    assert stage.committed() == {0: 5}


async def test_a_plain_listener_needs_no_await_for_its_commit(stage: Stage) -> None:
    class Plain(RebalanceListener):
        def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
            consumer.commit()
            heard.append(consumer.position(tp()))

    heard: list[int] = []
    async with await subscribed(stage, Plain()) as consumer:
        await read(consumer, 5)
    assert heard == [5]
    assert stage.committed() == {0: 5}


async def test_a_listener_may_await_what_does_not_wait_and_ask_for_offsets_by_time(stage: Stage) -> None:
    async def seek(view: AsyncRebalanceConsumer) -> None:
        await view.seek(tp(), 2)
        await view.pause([tp()])
        await view.resume([tp()])
        offsets = await view.offsets_for_times({tp(): -2})
        found.extend(at.offset for at in offsets.values())

    found: list[int] = []
    async with await subscribed(stage, Acts("assigned", seek)) as consumer:
        assert values(await read(consumer, 3)) == [2, 3, 4]
    assert found == [0]


# ---- the calls


async def test_positions_and_lookups_are_awaited_and_iteration_goes_on_where_it_is_told_to(stage: Stage) -> None:
    def refuse_three(data: bytes) -> int:
        assert data != b"3"
        return int(data)

    stage.write(0, 5)
    async with AsyncConsumer(**stage.config(value_deserializer=refuse_three)) as consumer:
        records = aiter(consumer)  # which outlives the errors that it raises
        with pytest.raises(MisuseError, match="subscribe"):
            await anext(records)
        await consumer.subscribe([TOPIC])
        assert [(await anext(records)).value for _ in range(3)] == [0, 1, 2]
        with pytest.raises(DeserializationError):
            await anext(records)
        await consumer.seek(tp(), 4)
        assert (await anext(records)).value == 4
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
        assert await consumer.partitions_for(TOPIC) == (0,)
        assert await consumer.topics() == (TOPIC,)
        await consumer.seek_to_end()
        assert await consumer.position(tp()) == 10
        await consumer.unsubscribe()
        with pytest.raises(MisuseError, match="subscribe"):
            await consumer.poll()


async def test_a_loop_that_awaits_nothing_lets_other_tasks_run(stage: Stage) -> None:
    async def count_turns() -> None:
        while True:
            turns.append(1)
            await asyncio.sleep(0)

    stage.write(0, 2000)
    turns: list[int] = []
    async with await subscribed(stage) as consumer:
        other, turns_before = asyncio.ensure_future(count_turns()), 0
        async for record in consumer:
            turns_before = turns_before or len(turns)
            if len(turns) > turns_before or record.offset == 1999:
                break
            time.sleep(BREATH_S / 50)  # what the body does without awaiting
        other.cancel()
        assert len(turns) > turns_before


async def test_an_error_that_ends_the_block_is_seen_and_keeps_its_record_uncommitted(stage: Stage) -> None:
    async def block() -> None:
        async with await subscribed(stage, enable_auto_commit=True) as consumer:
            async for record in consumer:
                assert record.offset < 4, "in work"

    with pytest.raises(AssertionError, match="in work"):
        await block()
    assert stage.committed() == {0: 4}

"""``AsyncConsumer.run`` in a group: the same promises, kept by tasks of one event loop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    MisuseError,
    Record,
    StopHandle,
    TopicPartition,
)
from kafka_nextgen.engine.application.arguments import Topics
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.processing.aio_worker_pool import AsyncWorkerPool
from kafka_nextgen.testing import Cluster
from tests.processing.group import BROKER, PARTITIONS, PATIENCE_S, fill, member_config
from tests.support.clients import stored_offsets, unique

COUNT = 400
WHOLE = dict.fromkeys(range(PARTITIONS), COUNT // PARTITIONS)


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster(config=BROKER) as running:
        running.create_topic("orders", PARTITIONS)
        fill(running.bootstrap_servers, COUNT, "orders")
        yield running.bootstrap_servers


class Notes:
    """Counts what was handled and stops the run when all was."""

    def __init__(self, enough: int = COUNT) -> None:
        self.handled: Counter[bytes] = Counter()
        self.handle = StopHandle()
        self._enough = enough

    async def note(self, record: Record) -> None:
        assert isinstance(record.value, bytes)
        await asyncio.sleep(0)
        self.handled[record.value] += 1
        if len(self.handled) == self._enough:
            self.handle.stop()


async def work(
    servers: str, group: str, handler: Callable[[Record], object], handle: StopHandle | None = None, **options: object
) -> None:
    async with AsyncConsumer(member_config(servers, group)) as consumer:
        await consumer.run(handler, ["orders"], stop=handle, **options)  # type: ignore[arg-type]


def play(scene: Awaitable[None]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(scene, 2 * PATIENCE_S)

    asyncio.run(limited())


class Watched(AsyncConsumer):
    """A consumer whose revocations can be waited for."""

    def __init__(self, config: dict[str, object]) -> None:
        super().__init__(config)
        self.is_revoking = asyncio.Event()
        self.has_revoked = asyncio.Event()

    async def subscribe(self, topics: Topics, listener: AsyncRebalanceListener | None = None) -> None:
        await super().subscribe(topics, None if listener is None else _WatchedListener(self, listener))


class _WatchedListener(AsyncRebalanceListener):
    def __init__(self, watched: Watched, listener: AsyncRebalanceListener) -> None:
        self._watched = watched
        self._listener = listener

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        self._watched.is_revoking.set()
        await self._listener.on_partitions_revoked(consumer, partitions)
        self._watched.has_revoked.set()


@pytest.mark.parametrize("order", ["partition", "key"])
def test_every_record_is_handled_once_and_committed(servers: str, order: str) -> None:
    notes, group = Notes(), unique("once")
    play(work(servers, group, notes.note, notes.handle, order=order))
    assert set(notes.handled.values()) == {1}
    assert stored_offsets(servers, group) == WHOLE


def test_a_plain_function_is_a_handler_too(servers: str) -> None:
    seen: list[int] = []
    handle = StopHandle()

    def note(record: Record) -> None:
        seen.append(record.offset)
        if len(seen) == COUNT:
            handle.stop()

    play(work(servers, unique("plain"), note, handle))
    assert len(seen) == COUNT


def test_revocation_waits_for_the_record_that_is_being_worked_on(servers: str) -> None:
    group, notes = unique("revoke"), Notes()

    async def scene() -> None:
        opened, held = asyncio.Event(), 0
        all_held, second_began = asyncio.Event(), asyncio.Event()

        async def hold_the_first(record: Record) -> None:
            nonlocal held
            if record.offset == 0:
                held += 1
                if held == PARTITIONS:
                    all_held.set()
                await opened.wait()
            await notes.note(record)

        async def second_handler(record: Record) -> None:
            assert opened.is_set(), "worked on before its owner had given it up"
            assert record.offset > 0, "what the first member was working on was done twice"
            second_began.set()
            await notes.note(record)

        async with Watched(member_config(servers, group)) as consumer:
            first = asyncio.ensure_future(consumer.run(hold_the_first, ["orders"], stop=notes.handle))
            await all_held.wait()
            second = asyncio.ensure_future(work(servers, group, second_handler, notes.handle))
            await consumer.is_revoking.wait()
            assert not consumer.has_revoked.is_set()
            opened.set()
            await second_began.wait()
            assert consumer.has_revoked.is_set()
            await asyncio.gather(first, second)

    play(scene())
    assert set(notes.handled.values()) == {1}
    assert stored_offsets(servers, group) == WHOLE


def test_dead_letters_may_be_awaited(servers: str) -> None:
    group, notes, dead = unique("dead"), Notes(COUNT - 1), []

    async def handle(record: Record) -> None:
        if record.value == b"42":
            raise ValueError("no such order")
        await notes.note(record)

    async def bury(record: Record, error: Exception) -> None:
        await asyncio.sleep(0)
        dead.append((record.value, str(error)))

    play(work(servers, group, handle, notes.handle, dead_letter=bury))
    assert dead == [(b"42", "no such order")]
    assert stored_offsets(servers, group) == WHOLE


def test_dead_letters_nobody_takes_end_the_run(servers: str) -> None:
    group = unique("refused")

    async def handle(record: Record) -> None:
        if record.value == b"42":
            raise ValueError("no such order")

    async def bury(record: Record, error: Exception) -> None:
        raise OSError("the dead letter topic is gone")

    with pytest.raises(OSError, match="the dead letter topic is gone"):
        play(work(servers, group, handle, dead_letter=bury))
    assert stored_offsets(servers, group)[2] == 10


def test_without_dead_letters_only_the_prefix_is_committed(servers: str) -> None:
    group = unique("prefix")

    async def handle(record: Record) -> None:
        if record.value == b"42":  # partition 2, offset 10
            raise ValueError("no such order")

    with pytest.raises(ValueError, match="no such order"):
        play(work(servers, group, handle))
    assert stored_offsets(servers, group)[2] == 10


def test_a_handler_that_was_cancelled_by_others_has_failed(servers: str) -> None:
    async def handle(record: Record) -> None:
        raise asyncio.CancelledError

    with pytest.raises(MisuseError, match="the handler was cancelled, but not by run"):
        play(work(servers, unique("cancelled"), handle, attempts=1))


def test_a_cancelled_run_cancels_its_handlers_and_commits_what_is_finished(servers: str) -> None:
    group, cancelled = unique("cancel"), []

    async def scene() -> None:
        at_work = asyncio.Event()

        async def handle(record: Record) -> None:
            if record.offset < 3:
                return
            try:
                at_work.set()
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(record.partition)
                raise

        running = asyncio.ensure_future(work(servers, group, handle))
        await at_work.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    play(scene())
    assert cancelled
    stored = stored_offsets(servers, group)
    assert [stored[partition] for partition in cancelled] == [3] * len(cancelled)


def test_a_run_that_is_cancelled_again_while_it_ends_leaves_nothing_paused_or_behind(servers: str) -> None:
    group, handled = unique("again"), set[tuple[int, int]]()

    async def scene() -> None:
        at_work, tidying = asyncio.Event(), asyncio.Event()

        async def handle(record: Record) -> None:
            try:
                at_work.set()
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                tidying.set()
                await asyncio.Event().wait()  # it takes its time, until it is cancelled again

        async with AsyncConsumer(member_config(servers, group), max_poll_records=COUNT) as consumer:
            running = asyncio.ensure_future(consumer.run(handle, ["orders"]))
            for event in (at_work, tidying):
                await event.wait()
                while not consumer.paused():  # it has read ahead as far as it may
                    await asyncio.sleep(0.01)
                running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            assert consumer.paused() == frozenset()

            stop = StopHandle()

            async def note(record: Record) -> None:
                handled.add((record.partition, record.offset))
                if len(handled) == COUNT:
                    stop.stop()

            await consumer.run(note, ["orders"], stop=stop)

    play(scene())
    assert stored_offsets(servers, group) == WHOLE


def test_records_that_run_was_about_to_take_over_when_it_was_interrupted_are_read_again(
    servers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, group = Notes(), unique("interrupted")

    def interrupt(pool: AsyncWorkerPool, records: Records) -> None:
        if records:
            raise InterruptedError

    async def scene() -> None:
        async with AsyncConsumer(member_config(servers, group)) as consumer:
            with monkeypatch.context() as patched:
                patched.setattr(AsyncWorkerPool, "add", interrupt)
                with pytest.raises(InterruptedError):
                    await consumer.run(notes.note, ["orders"])
            await consumer.run(notes.note, ["orders"], stop=notes.handle)

    play(scene())
    assert stored_offsets(servers, group) == WHOLE


def test_handlers_that_take_too_long_are_cancelled_at_the_end(servers: str) -> None:
    cancelled: list[int] = []
    handle = StopHandle()

    async def hang(record: Record) -> None:
        handle.stop()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(record.offset)
            raise

    group = unique("hang")
    play(work(servers, group, hang, handle, drain_timeout_s=0.01))
    assert set(cancelled) == {0}
    assert stored_offsets(servers, group) == {}


def test_partitions_assigned_by_hand_are_worked_on_without_joining(servers: str) -> None:
    group, notes = unique("by-hand"), Notes(COUNT // PARTITIONS)

    async def scene() -> None:
        async with AsyncConsumer(member_config(servers, group)) as consumer:
            await consumer.assign([TopicPartition("orders", 3)])
            await consumer.run(notes.note, stop=notes.handle)

    play(scene())
    assert set(notes.handled.values()) == {1}
    assert stored_offsets(servers, group) == {3: COUNT // PARTITIONS}

"""``AsyncConsumer.run`` in a group: the same promises, kept by tasks of one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace

import pytest

from kafka_nextgen import AsyncConsumer, MisuseError, Record, StopHandle, TopicPartition
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.processing.aio_worker_pool import AsyncWorkerPool
from tests.processing.group import COUNT, EVERYTHING, PARTITIONS, Diary, member_config, progress
from tests.support.clients import unique
from tests.support.waiting import GUARD_S

Work = Callable[..., Awaitable[None]]


@pytest.fixture
def work(servers: str, orders: str) -> Work:
    """Runs a handler as a member of a group."""

    async def run(group: str, handler: Callable[[Record], object], stop: StopHandle, **options: object) -> None:
        async with AsyncConsumer(member_config(servers, group)) as consumer:
            await consumer.run(handler, [orders], stop=stop, **options)  # type: ignore[arg-type]

    return run


async def fail_at_42(record: Record) -> None:
    if record.value == b"42":  # partition 2, offset 10
        raise ValueError("no such order")


async def test_every_record_is_handled_once_and_committed_and_dead_letters_are_awaited(
    servers: str, work: Work
) -> None:
    group, diary, dead = unique("once"), Diary(COUNT - 1), list[tuple[object, str]]()

    async def handle(record: Record) -> None:
        await asyncio.sleep(0)
        await fail_at_42(record)
        diary.note(record)

    async def bury(record: Record, error: Exception) -> None:
        await asyncio.sleep(0)
        dead.append((record.value, str(error)))

    await work(group, handle, diary.stop, order="key", dead_letter=bury)
    assert set(diary.handled.values()) == {1}
    assert dead == [(b"42", "no such order")]
    assert progress(servers, group) == EVERYTHING


async def test_a_plain_function_is_a_handler_of_partitions_assigned_by_hand_too(servers: str, orders: str) -> None:
    group, diary = unique("by-hand"), Diary(COUNT // PARTITIONS)
    async with AsyncConsumer(member_config(servers, group)) as consumer:
        await consumer.assign([TopicPartition(orders, 3)])
        await consumer.run(diary.note, stop=diary.stop)
    assert set(diary.handled.values()) == {1}
    assert progress(servers, group) == {3: COUNT // PARTITIONS}


async def test_revocation_waits_for_the_record_that_is_being_worked_on(
    servers: str, work: Work, revocation: SimpleNamespace
) -> None:
    group, diary = unique("revoke"), Diary()
    opened, held, all_held, second_began = asyncio.Event(), list[Record](), asyncio.Event(), asyncio.Event()

    async def hold_the_first(record: Record) -> None:
        if record.offset == 0:
            held.append(record)
            if len(held) == PARTITIONS:
                all_held.set()
            await opened.wait()
        diary.note(record)

    async def second_handler(record: Record) -> None:
        assert revocation.ended.is_set(), "worked on before its owner had given it up"
        assert record.offset > 0, "what the first member was working on was done twice"
        second_began.set()
        diary.note(record)

    first = asyncio.ensure_future(work(group, hold_the_first, diary.stop))
    await all_held.wait()
    second = asyncio.ensure_future(work(group, second_handler, diary.stop))
    assert await asyncio.to_thread(revocation.begun.wait, GUARD_S)
    assert not revocation.ended.is_set()
    opened.set()
    await second_began.wait()
    await asyncio.gather(first, second)
    assert set(diary.handled.values()) == {1}
    assert progress(servers, group) == EVERYTHING


async def refuse(record: Record, error: Exception) -> None:
    raise OSError("the dead letter topic is gone")


@pytest.mark.parametrize(
    ("bury", "error"), [(None, ValueError), (refuse, OSError)], ids=["no dead letters", "dead letters are refused"]
)
async def test_a_record_that_can_not_be_handled_ends_the_run_uncommitted(
    servers: str, work: Work, bury: object, error: type[Exception]
) -> None:
    group = unique("prefix")
    with pytest.raises(error):
        await work(group, fail_at_42, StopHandle(), dead_letter=bury)
    assert progress(servers, group)[2] == 10


async def test_a_handler_that_was_cancelled_by_others_has_failed(work: Work) -> None:
    async def handle(record: Record) -> None:
        raise asyncio.CancelledError

    with pytest.raises(MisuseError, match="the handler was cancelled, but not by run"):
        await work(unique("cancelled"), handle, StopHandle(), attempts=1)


async def test_a_cancelled_run_cancels_its_handlers_and_commits_what_is_finished(servers: str, work: Work) -> None:
    group, cancelled = unique("cancel"), list[int]()
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

    running = asyncio.ensure_future(work(group, handle, StopHandle()))
    await at_work.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert cancelled
    stored = progress(servers, group)
    assert [stored[partition] for partition in cancelled] == [3] * len(cancelled)


async def test_a_run_that_is_cancelled_again_while_it_ends_leaves_nothing_paused_or_behind(
    servers: str, orders: str
) -> None:
    group, diary = unique("again"), Diary()
    at_work, tidying = asyncio.Event(), asyncio.Event()

    async def handle(record: Record) -> None:
        try:
            at_work.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            tidying.set()
            await asyncio.Event().wait()  # it takes its time, until it is cancelled again

    async with AsyncConsumer(member_config(servers, group), max_poll_records=COUNT) as consumer:
        running = asyncio.ensure_future(consumer.run(handle, [orders]))
        for event in (at_work, tidying):
            await event.wait()
            while not consumer.paused():  # it has read ahead as far as it may
                await asyncio.sleep(0)
            running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert consumer.paused() == frozenset()
        await consumer.run(diary.note_async, [orders], stop=diary.stop)
    assert progress(servers, group) == EVERYTHING


async def test_records_that_run_was_about_to_take_over_when_it_was_interrupted_are_read_again(
    servers: str, orders: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    diary, group = Diary(), unique("interrupted")

    def interrupt(pool: AsyncWorkerPool, records: Records) -> None:
        if records:
            raise InterruptedError

    async with AsyncConsumer(member_config(servers, group)) as consumer:
        with monkeypatch.context() as patched:
            patched.setattr(AsyncWorkerPool, "add", interrupt)
            with pytest.raises(InterruptedError):
                await consumer.run(diary.note_async, [orders])
        await consumer.run(diary.note_async, [orders], stop=diary.stop)
    assert progress(servers, group) == EVERYTHING


async def test_handlers_that_take_too_long_are_named_and_cancelled_at_the_end(
    servers: str, orders: str, work: Work, caplog: pytest.LogCaptureFixture
) -> None:
    group, cancelled, stop = unique("hang"), list[int](), StopHandle()

    async def hang(record: Record) -> None:
        stop.stop()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(record.offset)
            raise

    await work(group, hang, stop, drain_timeout_s=0.01)
    assert set(cancelled) == {0}
    assert f"timed out waiting for records in progress, which are not committed: {orders}[" in caplog.text
    assert progress(servers, group) == {}

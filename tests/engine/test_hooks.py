"""Hooks hear of what a consumer does, when it does it, and can't get in its way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import islice

import pytest

from kafka_nextgen import (
    CommitFailedError,
    Hooks,
    OffsetAndMetadata,
    Rebalance,
    RebalanceCause,
    Record,
    Records,
    TopicPartition,
)
from kafka_nextgen.engine.observability.hooks import HookList
from kafka_nextgen.processing.aio_worker_pool import watched_async
from kafka_nextgen.processing.worker_pool import watched
from tests.engine.stage import ONE_ATTEMPT, Stage, poll_until, read, tp, values
from tests.processing.stage import P0, record
from tests.support.waiting import GUARD_S


class Diary(Hooks):
    """Writes down what it hears."""

    def __init__(self) -> None:
        self.received_values: list[list[int]] = []
        self.commits: list[tuple[Mapping[TopicPartition, OffsetAndMetadata], BaseException | None]] = []
        self.causes: list[RebalanceCause] = []
        self.processed: list[str] = []

    def received(self, records: Records, began_at: float, took_s: float) -> None:
        assert began_at > 1_700_000_000
        assert took_s >= 0
        self.received_values.append(values(list(records)))

    def committed(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        began_at: float,
        took_s: float,
        error: BaseException | None,
    ) -> None:
        self.commits.append((offsets, error))

    def rebalanced(self, rebalance: Rebalance) -> None:
        self.causes.append(rebalance.cause)

    @contextmanager
    def _noting(self, record: Record) -> Iterator[None]:
        self.processed.append(f"begin {record.offset}")
        try:
            yield
        except BaseException as error:
            self.processed.append(f"{type(error).__name__} {record.offset}")
            raise
        self.processed.append(f"end {record.offset}")

    def processing(self, record: Record) -> AbstractContextManager[None]:
        return self._noting(record)


class Broken(Hooks):
    def processing(self, record: Record) -> AbstractContextManager[object]:
        raise ZeroDivisionError("processing")


class BrokenAtTheEnd(Hooks):
    @contextmanager
    def _broken(self) -> Iterator[None]:
        yield
        raise ZeroDivisionError("at the end")

    def processing(self, record: Record) -> AbstractContextManager[None]:
        return self._broken()


@pytest.fixture
def diary() -> Diary:
    return Diary()


def test_a_poll_tells_of_what_it_hands_over_and_an_empty_one_of_nothing(stage: Stage, diary: Diary) -> None:
    stage.create(records=10)
    with stage.subscribed(hooks=[diary]) as consumer:
        read(consumer, 10)
        consumer.poll(timeout=0.05)
    assert [value for values in diary.received_values for value in values] == list(range(10))
    assert [] not in diary.received_values


def test_iteration_tells_of_what_it_gave_out_and_of_nothing_twice(stage: Stage, diary: Diary) -> None:
    stage.create(records=30)
    with stage.subscribed(hooks=[diary]) as consumer:
        list(islice(consumer, 7))
        assert diary.received_values == []
        consumer.seek(tp(), 20)
        assert diary.received_values == [list(range(7))]
        list(islice(consumer, 3))
    assert diary.received_values == [list(range(7)), [20, 21, 22]]


def test_commits_are_told_of_with_their_error_and_rebalances_when_they_are_over(stage: Stage, diary: Diary) -> None:
    stage.create(records=10)
    nowhere = {TopicPartition("nowhere", 0): OffsetAndMetadata(1)}
    with stage.subscribed(hooks=[diary], **ONE_ATTEMPT) as consumer:
        read(consumer, 10)
        consumer.commit()
        with pytest.raises(CommitFailedError) as caught:
            consumer.commit(nowhere, timeout=GUARD_S)
        poll_until(consumer, lambda: bool(diary.causes))
    assert [offset.offset for offset in diary.commits[0][0].values()] == [10]
    assert diary.commits[0][1] is None
    assert diary.commits[1] == (nowhere, caught.value)
    assert diary.causes == [RebalanceCause.JOINED, RebalanceCause.CLOSED]


# ---- around handlers


def fail(record: Record) -> None:
    raise KeyError(record.offset)


def hooks_of(*hooks: Hooks) -> HookList:
    listed = HookList()
    for one in hooks:
        listed.add(one)
    return listed


def test_a_handler_runs_inside_and_what_it_raises_is_seen_and_raised(diary: Diary) -> None:
    watched(lambda record: None, hooks_of(diary))(record(P0, 1))
    with pytest.raises(KeyError):
        watched(fail, hooks_of(diary))(record(P0, 2))
    assert diary.processed == ["begin 1", "end 1", "begin 2", "KeyError 2"]


async def test_an_async_handler_is_watched_until_it_is_awaited(diary: Diary) -> None:
    async def handle(record: Record) -> None:
        await asyncio.sleep(0)
        diary.processed.append("handled")

    outcome = watched_async(handle, hooks_of(diary))(record(P0, 1))
    assert isinstance(outcome, object)
    await outcome  # type: ignore[misc]
    await watched_async(lambda record: None, hooks_of(diary))(record(P0, 2))  # type: ignore[misc]
    assert diary.processed == ["begin 1", "handled", "end 1", "begin 2", "end 2"]


async def test_a_cancelled_handler_ends_what_it_was_in(diary: Diary) -> None:
    async def handle(record: Record) -> None:
        await asyncio.Event().wait()

    outcome = watched_async(handle, hooks_of(diary))(record(P0, 1))
    task = asyncio.ensure_future(outcome)  # type: ignore[arg-type]
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert diary.processed == ["begin 1", "CancelledError 1"]


@pytest.mark.parametrize("broken", [Broken(), BrokenAtTheEnd()])
def test_a_broken_hook_neither_fails_a_handler_nor_hides_its_failure(
    broken: Hooks, diary: Diary, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "kafka_nextgen.hooks"):
        watched(lambda record: None, hooks_of(broken, diary))(record(P0, 1))
    assert len(caplog.records) == 1
    with pytest.raises(KeyError):
        watched(fail, hooks_of(broken, diary))(record(P0, 2))
    assert diary.processed == ["begin 1", "end 1", "begin 2", "KeyError 2"]


def test_without_hooks_the_handler_is_called_as_it_is() -> None:
    handled: list[Record] = []
    watched(handled.append, HookList())(record(P0, 1))
    watched_async(handled.append, HookList())(record(P0, 2))
    assert [one.offset for one in handled] == [1, 2]

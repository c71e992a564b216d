"""Commits of a partition keep their order, whoever waits for them; callbacks are called where the application polls."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, wait

import pytest

from kafka_nextgen import OffsetAndMetadata, RebalanceConsumer, RebalanceListener, TopicPartition
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted
from kafka_nextgen.testing.messages import offset_commit
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, FIND_COORDINATOR, OFFSET_COMMIT
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatResponse, OffsetCommitRequest
from tests.engine.stage import Stage, no_coordinator, poll_for, poll_until, tp
from tests.support.waiting import GUARD_S


class Coordinator:
    """The coordinator, busy until it is ready; ``seen`` is what it was asked to commit for partition 0."""

    def __init__(self, stage: Stage) -> None:
        self.seen: list[int] = []
        self.asked, self.is_ready = threading.Event(), False
        self._commit = stage.original(OFFSET_COMMIT)
        stage.handle(OFFSET_COMMIT, self.commit)

    async def commit(self, request: OffsetCommitRequest, context: Context) -> object:
        directory = context.cluster.directory()
        offsets = offset_commit.from_request(request, directory).offsets
        self.seen += [offsets[tp()].offset] if tp() in offsets else []
        self.asked.set()
        if self.is_ready:
            return await self._commit(request, context)
        busy = OffsetsCommitted(dict.fromkeys(offsets, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS))
        return offset_commit.to_response(request, directory, busy)


class Movement:
    """The coordinator moves, and can't be found while that ``is_on``."""

    def __init__(self, stage: Stage) -> None:
        self.is_on, self._looked = threading.Event(), threading.Event()
        self._find, self._heartbeat = stage.original(FIND_COORDINATOR), stage.original(CONSUMER_GROUP_HEARTBEAT)
        stage.handle(FIND_COORDINATOR, self.find_coordinator)
        stage.handle(CONSUMER_GROUP_HEARTBEAT, self.heartbeat)

    def begin(self) -> None:
        self.is_on.set()
        self.wait_for_a_look()

    def wait_for_a_look(self) -> None:
        self._looked.clear()
        assert self._looked.wait(GUARD_S)

    async def heartbeat(self, request: object, context: Context) -> object:
        if self.is_on.is_set():
            return ConsumerGroupHeartbeatResponse(error_code=ErrorCode.NOT_COORDINATOR)
        return await self._heartbeat(request, context)

    async def find_coordinator(self, request: object, context: Context) -> object:
        if not self.is_on.is_set():
            return await self._find(request, context)
        self._looked.set()
        return await no_coordinator()


class WaitsFor(RebalanceListener):
    """Gives partitions up when these have ended."""

    def __init__(self, *commits: Future[None]) -> None:
        self._commits = commits

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        wait(self._commits)


@pytest.fixture
def coordinator(stage: Stage) -> Coordinator:
    return Coordinator(stage)


def at(offset: int) -> dict[TopicPartition, OffsetAndMetadata]:
    return {tp(): OffsetAndMetadata(offset)}


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_the_repetition_of_an_earlier_commit_neither_sets_a_later_one_back_nor_keeps_it_waiting(
    stage: Stage, coordinator: Coordinator, is_cancelled: bool
) -> None:
    with stage.after_reading(10) as consumer:
        earlier = consumer.commit_async(at(3))
        assert coordinator.asked.wait(GUARD_S)
        if is_cancelled:
            earlier.cancel()
        coordinator.is_ready = True
        consumer.commit(at(7))
        assert is_cancelled or earlier.result(GUARD_S) is None
    assert stage.committed() == {0: 7}
    assert coordinator.seen == sorted(coordinator.seen)
    assert coordinator.seen.count(7) == 1


def test_commits_that_nobody_waited_for_end_in_the_order_they_were_asked_for(
    stage: Stage, coordinator: Coordinator
) -> None:
    ended: list[int] = []
    coordinator.is_ready = True
    with stage.after_reading(10) as consumer:
        for offset in range(1, 10):
            consumer.commit_async(at(offset)).add_done_callback(lambda _, offset=offset: ended.append(offset))
    assert ended == [*range(1, 10)]
    assert stage.committed() == {0: 9}
    assert coordinator.seen == sorted(coordinator.seen)


def test_a_commit_that_looks_for_the_coordinator_is_not_overtaken(stage: Stage, coordinator: Coordinator) -> None:
    """The later one can't wait, for the partition is given up, while the earlier one pauses before it looks again."""
    movement = Movement(stage)
    coordinator.is_ready = True
    with stage.after_reading(10, retry_backoff_ms=1000, retry_backoff_max_ms=1000) as consumer:
        movement.begin()
        earlier = consumer.commit_async(at(5))
        movement.wait_for_a_look()
        later = consumer.commit_async(at(9))
        movement.is_on.clear()
        consumer.committed([tp()])  # finds the coordinator
        stage.cluster.create_topic("others")
        consumer.subscribe(["others"], WaitsFor(earlier, later))
        poll_until(consumer, lambda: tp() not in consumer.assignment())
    assert coordinator.seen == [5, 9]
    assert stage.committed() == {0: 9}
    assert [earlier.exception(0), later.exception(0)] == [None, None]


# ---- callbacks of commits


class Hears:
    """Keeps the offsets, what went wrong, and on which thread it heard of it."""

    def __init__(self) -> None:
        self.calls: list[tuple[dict[TopicPartition, int], str | None, str]] = []

    def __call__(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], error: BaseException | None) -> None:
        at = {partition: offset.offset for partition, offset in offsets.items()}
        self.calls.append((at, None if error is None else type(error).__name__, threading.current_thread().name))


ME = threading.current_thread().name


def test_a_callback_hears_what_was_committed_where_the_application_polls_or_closes(stage: Stage) -> None:
    heard = Hears()
    with stage.after_reading(10) as consumer:
        consumer.commit_async(callback=heard).result(GUARD_S)
        assert heard.calls == []
        poll_until(consumer, lambda: bool(heard.calls))
        assert heard.calls == [({tp(): 10}, None, ME)]
        heard.calls.clear()
        for offset in range(1, 4):
            consumer.commit_async({tp(): offset}, heard)
    assert heard.calls == [({tp(): offset}, None, ME) for offset in range(1, 4)]


def test_a_callback_hears_what_went_wrong_and_what_it_raises_is_raised_there(stage: Stage) -> None:
    def fail(_offsets: object, _error: object) -> None:
        raise ZeroDivisionError("mine")

    heard = Hears()
    with stage.after_reading(10) as consumer:
        consumer.commit_async({tp(): OffsetAndMetadata(1, metadata="too long" * 1000)}, heard)
        poll_until(consumer, lambda: bool(heard.calls))
        consumer.commit_async(callback=fail)
        with pytest.raises(ZeroDivisionError, match="mine"):
            poll_for(consumer)
    assert heard.calls == [({tp(): 1}, "CommitFailedError", ME)]

"""What a task reads from brokers that answer oddly, and of logs that change while it reads: nothing twice, no gap."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pyarrow as pa
import pytest

from kafka_nextgen import CorruptRecordError, LogTruncationError, RequestTimeoutError
from kafka_nextgen.broker.context import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.spark import kept_consumers
from kafka_nextgen.spark import reading as reading_module
from kafka_nextgen.spark.errors import DataLossError
from kafka_nextgen.spark.java_config import read_java_config
from kafka_nextgen.spark.reading import ReadSettings, read_range
from kafka_nextgen.spark.values import PartitionRange
from kafka_nextgen.testing import Cluster
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.apis import FETCH, LIST_OFFSETS
from kafka_nextgen.wire.messages import FetchRequest, FetchResponse, ListOffsetsRequest
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.endtoend.transacting import send, transactional_producer
from tests.engine.stage import PATIENCE_S, SETTINGS, TOPIC, Stage

SCHEMA = pa.schema([("offset", pa.int64())])
RECORDS = 100
NODES = {**SETTINGS, "default.replication.factor": 2}

Change = Callable[[FetchResponse], None]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A hundred records in batches of ten, on two nodes; each fetch brings one batch."""
    with Cluster(brokers=2, config=NODES) as cluster:
        made = Stage(cluster, monkeypatch)
        made.create(records=RECORDS)
        yield made
        for consumer in kept_consumers._KEPT.values():
            consumer.close()
        kept_consumers._KEPT.clear()


def settings(stage: Stage, *, lenient: bool = False, timeout_s: float = 60.0, **kafka: str) -> ReadSettings:
    told = {
        "bootstrap.servers": stage.cluster.bootstrap_servers,
        "max.partition.fetch.bytes": "100",
        "retry.backoff.ms": "20",
        **{key.replace("_", "."): value for key, value in kafka.items()},
    }
    return ReadSettings(read_java_config(told), SCHEMA, 10, timeout_s, not lenient)


def reading(start: int, end: int, told: ReadSettings, topic_id: TopicId | None = None) -> Iterator[int]:
    """The offsets that a task reads, one after the other."""
    for batch in read_range(PartitionRange(TOPIC, 0, start, end, topic_id), told):
        yield from batch["offset"].to_pylist()


def first(count: int, offsets: Iterator[int]) -> list[int]:
    return [next(offsets) for _ in range(count)]


@contextmanager
def held_back(stage: Stage, offset: int) -> Iterator[None]:
    """Answer no fetch from that offset on as long as this lasts."""
    original, is_over = stage.original(FETCH), threading.Event()

    async def handle(request: FetchRequest, context: Context) -> object:
        asked = [each.fetch_offset for topic in request.topics for each in topic.partitions]
        while max(asked, default=0) >= offset and not is_over.is_set():
            await asyncio.sleep(0.005)
        return await original(request, context)

    stage.handle(FETCH, handle)
    yield
    is_over.set()


def changed(stage: Stage, change: Change, *numbers: int) -> None:
    """Have these answers to fetches changed, counted from 1; all of them without numbers."""
    original, seen = stage.original(FETCH), 0

    async def handle(request: FetchRequest, context: Context) -> object:
        nonlocal seen
        seen += 1
        is_to_change = not numbers or seen in numbers
        response = await original(request, context)
        if is_to_change:
            assert isinstance(response, FetchResponse)
            change(response)
            await asyncio.sleep(0.01)  # nobody asks as fast as that
        return response

    stage.handle(FETCH, handle)


def leave_out(response: FetchResponse) -> None:
    response.responses = []


def refuse(code: ErrorCode) -> Change:
    def change(response: FetchResponse) -> None:
        for topic in response.responses:
            for partition in topic.partitions:
                partition.error_code = code
                partition.records = None

    return change


def repeat(batch: bytes) -> Change:
    """Bring this batch, whatever was asked for."""

    def change(response: FetchResponse) -> None:
        for topic in response.responses:
            for partition in topic.partitions:
                partition.records = batch

    return change


# ---- answers


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(leave_out, id="left out"),
        *(
            pytest.param(refuse(code), id=code.name)
            for code in (
                ErrorCode.OFFSET_OUT_OF_RANGE,
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                ErrorCode.UNKNOWN_TOPIC_ID,
                ErrorCode.NOT_LEADER_OR_FOLLOWER,
                ErrorCode.UNKNOWN_SERVER_ERROR,
            )
        ),
    ],
)
@pytest.mark.parametrize("numbers", [(1,), (2, 3), (4,)])
def test_an_odd_answer_is_no_loss_and_nothing_comes_twice(
    stage: Stage, change: Change, numbers: tuple[int, ...]
) -> None:
    changed(stage, change, *numbers)
    assert list(reading(5, 95, settings(stage))) == list(range(5, 95))


@pytest.mark.parametrize("api", [FETCH, LIST_OFFSETS])
def test_a_partition_that_every_answer_leaves_out_ends_the_task_in_time(stage: Stage, api: object) -> None:
    async def handle(request: object, context: Context) -> object:
        response = await original(request, context)
        for topic in getattr(response, "topics", ()):
            topic.partitions = []
        return response

    changed(stage, leave_out)
    if api is LIST_OFFSETS:
        original = stage.original(LIST_OFFSETS)
        stage.handle(LIST_OFFSETS, handle)
    hurried = settings(stage, lenient=True, timeout_s=0.5, default_api_timeout_ms="1000", request_timeout_ms="1000")
    with pytest.raises(RequestTimeoutError):
        list(reading(5, 95, hurried))


def test_a_batch_that_was_not_asked_for_is_never_read_twice(stage: Stage) -> None:
    tasks = reading(5, 95, settings(stage, timeout_s=0.5))
    assert first(15, tasks) == list(range(5, 20))
    changed(stage, repeat(stage._stored(0)[0]))
    rest: list[int] = []
    with pytest.raises((RequestTimeoutError, CorruptRecordError)):
        rest.extend(tasks)
    assert rest == list(range(20, 20 + len(rest)))


def test_where_the_log_of_a_former_leader_ends_is_no_loss(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_module, "_POLL_S", 0.1)
    list_offsets, looks = stage.original(LIST_OFFSETS), list[int]()

    async def answer_as_one(request: ListOffsetsRequest, context: Context) -> object:
        response = await list_offsets(request, context)
        asked, told = request.topics[0].partitions[0], response.topics[0].partitions[0]  # type: ignore[attr-defined]
        looks.append(asked.current_leader_epoch)
        if asked.current_leader_epoch < 0:
            told.offset = min(told.offset, 30)
        elif len(looks) < 4:
            told.error_code = ErrorCode.UNKNOWN_LEADER_EPOCH
        return response

    tasks, holding = reading(5, 95, settings(stage)), ExitStack()
    holding.enter_context(held_back(stage, 30))
    assert first(25, tasks) == list(range(5, 30))
    stage.handle(LIST_OFFSETS, answer_as_one)
    threading.Timer(0.5, holding.close).start()
    assert list(tasks) == list(range(30, 95))
    assert len(looks) > 3


def test_an_offset_that_is_always_out_of_range_ends_the_task_in_time(stage: Stage) -> None:
    changed(stage, refuse(ErrorCode.OFFSET_OUT_OF_RANGE))
    with pytest.raises(RequestTimeoutError, match="reading is at offset 5"):
        list(reading(5, 95, settings(stage, lenient=True, timeout_s=0.5)))


# ---- logs that change


def test_a_leader_that_moves_amid_a_task_is_followed(stage: Stage) -> None:
    tasks = reading(5, 95, settings(stage))
    with held_back(stage, 30):
        assert first(15, tasks) == list(range(5, 20))
        leader = stage.cluster.leader_of(TOPIC, 0)
        stage.cluster.move_leader(TOPIC, 0, 1 if leader == 2 else 2)
    assert list(tasks) == list(range(20, 95))


def remake(stage: Stage, records: int) -> None:
    stage.run(lambda: stage.cluster._broker._cluster.topics.delete(stage.topic()))
    stage.create(records=records)


@pytest.mark.parametrize("is_named", [True, False])
def test_a_topic_that_is_made_again_amid_a_task_is_a_loss_and_not_read(stage: Stage, is_named: bool) -> None:
    for lenient in (False, True):
        tasks = reading(5, 95, settings(stage, lenient=lenient), stage.topic().topic_id if is_named else None)
        with held_back(stage, 30):
            assert first(25, tasks) == list(range(5, 30))
            remake(stage, 2 * RECORDS)
        if lenient:
            assert list(tasks) == []
        else:
            with pytest.raises(DataLossError, match="was deleted, or its topic created again"):
                next(tasks)


def test_records_that_age_out_amid_a_task_are_a_loss(stage: Stage) -> None:
    tasks = reading(5, 95, settings(stage))
    with held_back(stage, 30):
        assert first(25, tasks) == list(range(5, 30))
        stage.drop_batches(0)
    with pytest.raises(DataLossError, match=r"orders\[0\] was to be read from offset 30 and now begins at 90"):
        list(tasks)


def test_records_that_age_out_amid_a_task_are_skipped_if_that_is_allowed(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = reading(5, 95, settings(stage, lenient=True))
    with held_back(stage, 30), caplog.at_level(logging.WARNING):
        assert first(25, tasks) == list(range(5, 30))
        stage.drop_batches(0)
    assert list(tasks) == list(range(90, 95))
    assert "offsets 30 to 89 are skipped, reading goes on at 90" in caplog.text


@pytest.mark.parametrize("lenient", [False, True])
def test_a_log_that_is_cut_back_behind_what_was_read_fails_the_task(stage: Stage, lenient: bool) -> None:
    tasks = reading(5, 95, settings(stage, lenient=lenient))
    with held_back(stage, 30):
        assert first(25, tasks) == list(range(5, 30))
        stage.lose(0, keep=20)
        stage.write(0, RECORDS)
    with pytest.raises(LogTruncationError):
        list(tasks)
    assert list(reading(5, 95, settings(stage))) == list(range(5, 95)), "the next attempt reads it anew"


def test_a_log_that_is_cut_back_in_front_of_the_range_is_a_loss(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.lose(0, keep=80)
    with pytest.raises(DataLossError, match=r"orders\[0\] ends at offset 80, before the planned end 95"):
        list(reading(90, 95, settings(stage)))
    with caplog.at_level(logging.WARNING):
        assert list(reading(90, 95, settings(stage, lenient=True))) == []
    assert "offsets 90 to 94 are skipped" in caplog.text


# ---- logs with gaps


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        pytest.param(45, 55, range(45, 50), id="a batch that is gone at the end"),
        pytest.param(50, 60, range(0), id="a batch that is gone is all of it"),
        pytest.param(55, 65, range(60, 65), id="a batch that is gone at the start"),
        pytest.param(85, 95, [*range(85, 90), 90], id="records that are gone at the end"),
        pytest.param(91, 99, range(0), id="records that are gone are all of it"),
        pytest.param(91, 100, range(0), id="also at the end of the log"),
    ],
)
def test_what_compaction_took_is_no_loss(stage: Stage, start: int, end: int, found: range | list[int]) -> None:
    stored = stage._stored(0)
    stored[9] = encode_batch([NewRecord(b"90")], base_offset=90, last_offset_delta=9)
    stored[5], stored[6] = stored[6], b""  # nobody begins at 60 here
    assert list(reading(start, end, settings(stage, timeout_s=5.0))) == list(found)


def test_transactions_that_were_aborted_at_the_end_of_a_range_are_passed(stage: Stage) -> None:
    writer = transactional_producer(stage.cluster.bootstrap_servers, "writer")
    for is_kept in (True, False, False):
        writer.begin_transaction()
        send(writer, TOPIC, "one", "other")
        (writer.commit_transaction if is_kept else writer.abort_transaction)(PATIENCE_S)
    committed = settings(stage, isolation_level="read_committed", timeout_s=5.0)
    for end in range(100, 110):
        assert list(reading(95, end, committed)) == [*range(95, 100), *range(100, min(end, 102))]
    assert list(reading(103, 109, committed)) == []

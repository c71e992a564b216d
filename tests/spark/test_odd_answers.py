"""What a task reads from brokers that answer oddly: nothing twice, no gap, and an end in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from kafka_nextgen import CorruptRecordError, RequestTimeoutError
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.spark import reading as reading_module
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.wire.apis import FETCH, LIST_OFFSETS
from kafka_nextgen.wire.messages import FetchRequest, FetchResponse, ListOffsetsRequest
from tests.engine.stage import Stage
from tests.spark.odd_tasks import first, held_back, reading, settings
from tests.support.waiting import eventually, slowness

Change = Callable[[FetchResponse], FetchResponse]


def changed(stage: Stage, change: Change, *numbers: int) -> None:
    """Have these answers to fetches changed, counted from 1; all of them without numbers."""
    original, seen = stage.original(FETCH), 0

    async def handle(request: FetchRequest, context: Context) -> object:
        nonlocal seen
        seen += 1
        is_to_change = not numbers or seen in numbers
        response = await original(request, context)
        if not is_to_change:
            return response
        await asyncio.sleep(0.01)  # nobody asks as fast as that
        return change(response)

    stage.handle(FETCH, handle)


def leave_out(response: FetchResponse) -> FetchResponse:
    return response.replaced(responses=[])


def in_every_partition(**fields: object) -> Change:
    def change(response: FetchResponse) -> FetchResponse:
        return response.replaced(
            responses=[
                topic.replaced(partitions=[partition.replaced(**fields) for partition in topic.partitions])
                for topic in response.responses
            ]
        )

    return change


def refuse(code: ErrorCode) -> Change:
    return in_every_partition(error_code=code, records=None)


CODES = ["OFFSET_OUT_OF_RANGE", "UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC_ID", "NOT_LEADER_OR_FOLLOWER"]


@pytest.mark.parametrize("code", [None, *CODES, "UNKNOWN_SERVER_ERROR"])
def test_an_odd_answer_is_no_loss_and_nothing_comes_twice(stage: Stage, code: str | None) -> None:
    for numbers in (1,), (2, 3), (4,):
        changed(stage, leave_out if code is None else refuse(ErrorCode[code]), *numbers)
        assert list(reading(5, 95, settings(stage))) == list(range(5, 95)), numbers


@pytest.mark.parametrize("api", [FETCH, LIST_OFFSETS])
def test_a_partition_that_every_answer_leaves_out_ends_the_task_in_time(stage: Stage, api: object) -> None:
    async def handle(request: object, context: Context) -> object:
        response = await original(request, context)
        return response.replaced(topics=[topic.replaced(partitions=[]) for topic in response.topics])

    changed(stage, leave_out)
    if api is LIST_OFFSETS:
        original = stage.original(LIST_OFFSETS)
        stage.handle(LIST_OFFSETS, handle)
    hurried = settings(stage, lenient=True, timeout_s=0.5, default_api_timeout_ms="1000", request_timeout_ms="1000")
    with pytest.raises(RequestTimeoutError):
        list(reading(5, 95, hurried))


def test_a_batch_that_was_not_asked_for_is_never_read_twice(stage: Stage) -> None:
    tasks = reading(5, 95, settings(stage, timeout_s=slowness()))
    with held_back(stage, 30):
        assert first(25, tasks) == list(range(5, 30))
        changed(stage, in_every_partition(records=stage._stored(0)[0]))
    rest: list[int] = []
    with pytest.raises((RequestTimeoutError, CorruptRecordError)):
        rest.extend(tasks)
    assert rest == list(range(30, 30 + len(rest)))


def test_where_the_log_of_a_former_leader_ends_is_no_loss(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_module, "_POLL_S", 0.1)
    list_offsets, looks = stage.original(LIST_OFFSETS), list[int]()

    async def answer_as_one(request: ListOffsetsRequest, context: Context) -> object:
        response = await list_offsets(request, context)
        (topic,) = response.topics
        asked, told = request.topics[0].partitions[0], topic.partitions[0]
        looks.append(asked.current_leader_epoch)
        if asked.current_leader_epoch < 0:
            told = told.replaced(offset=min(told.offset, 30))
        elif len(looks) < 4:
            told = told.replaced(error_code=ErrorCode.UNKNOWN_LEADER_EPOCH)
        return response.replaced(topics=[topic.replaced(partitions=[told])])

    tasks, holding = reading(5, 95, settings(stage)), ExitStack()
    holding.enter_context(held_back(stage, 30))
    assert first(25, tasks) == list(range(5, 30))
    stage.handle(LIST_OFFSETS, answer_as_one)

    def go_on() -> None:
        eventually("it has looked again and again", lambda: len(looks) > 3)
        holding.close()

    with ThreadPoolExecutor(1) as pool:
        going_on = pool.submit(go_on)
        assert list(tasks) == list(range(30, 95))
        going_on.result()


def test_an_offset_that_is_always_out_of_range_ends_the_task_in_time(stage: Stage) -> None:
    changed(stage, refuse(ErrorCode.OFFSET_OUT_OF_RANGE))
    with pytest.raises(RequestTimeoutError, match="reading is at offset 5"):
        list(reading(5, 95, settings(stage, lenient=True, timeout_s=0.5)))

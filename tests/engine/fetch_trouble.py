"""Records that are written and read one by one, and a broker that fails a fetch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafka_nextgen import Consumer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.apis import FETCH
from tests.engine.stage import Stage, read, values

__all__ = ["LONG_MS", "fails", "hang_up", "one_by_one"]

LONG_MS = 5_000


def one_by_one(stage: Stage, consumer: Consumer, count: int) -> list[int]:
    """Write a record and read it, so many times; what was read."""
    records = []
    for _ in range(count):
        stage.write(0, 1)
        records += read(consumer, 1)
    return values(records)


def fails(stage: Stage, how: Callable[[], object]) -> None:
    """Let the broker fail once, where the next fetch is to be answered."""
    fetch = stage.original(FETCH)

    async def fail_once(*question: object) -> object:
        stage.handle(FETCH, fetch)
        how()
        answer: Any = await fetch(*question)
        return answer.replaced(error_code=ErrorCode.KAFKA_STORAGE_ERROR)

    stage.handle(FETCH, fail_once)


def hang_up() -> None:
    raise ConnectionResetError("the broker has had enough")

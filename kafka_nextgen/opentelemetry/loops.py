"""Loops whose every turn is a span: ``for record in traced(consumer)``.

A span begins when its record is given out and ends when the next one is asked for, or the loop is left. What the
body raises is not seen here, since it is not raised through the iterator; ``with process_span(record)`` sees it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager
from typing import overload

from opentelemetry.trace import Span

from kafka_nextgen.aio import AsyncConsumer
from kafka_nextgen.consumer import Consumer
from kafka_nextgen.opentelemetry.instrumentation import spans_of
from kafka_nextgen.types import Record

__all__ = ["traced"]


class _Turns:
    """The span of the turn that is under way."""

    _turn: AbstractContextManager[Span] | None = None

    def __init__(self, consumer: Consumer | AsyncConsumer) -> None:
        self._spans = spans_of(consumer)

    def _begin(self, record: Record) -> Record:
        self._turn = self._spans.process(record)
        self._turn.__enter__()
        return record

    def _end(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.__exit__(None, None, None)

    def __del__(self) -> None:  # the loop was left
        self._end()


class _Loop(_Turns, Iterator[Record]):
    def __init__(self, consumer: Consumer) -> None:
        super().__init__(consumer)
        self._records = consumer

    def __next__(self) -> Record:
        self._end()
        return self._begin(next(self._records))


class _AsyncLoop(_Turns, AsyncIterator[Record]):
    def __init__(self, consumer: AsyncConsumer) -> None:
        super().__init__(consumer)
        self._records = consumer

    async def __anext__(self) -> Record:
        self._end()
        return self._begin(await self._records.__anext__())


@overload
def traced(consumer: Consumer) -> Iterator[Record]: ...


@overload
def traced(consumer: AsyncConsumer) -> AsyncIterator[Record]: ...


def traced(consumer: Consumer | AsyncConsumer) -> Iterator[Record] | AsyncIterator[Record]:
    """Iterate over a consumer, each turn of the loop in a span as ``process_span`` makes it.

    It is the current span in the body. Raises what iterating over the consumer raises.
    """
    return _Loop(consumer) if isinstance(consumer, Consumer) else _AsyncLoop(consumer)

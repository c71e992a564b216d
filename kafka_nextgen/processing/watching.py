"""Wrap handlers so that each call runs inside the consumer's ``processing`` hooks."""

from __future__ import annotations

import inspect

from kafka_nextgen.engine.observability.hooks import HookList
from kafka_nextgen.processing.arguments import AsyncHandler, Handler
from kafka_nextgen.types import Record

__all__ = ["watched", "watched_async"]


def watched(handler: Handler, hooks: HookList) -> Handler:
    """The handler, run inside the hooks present at each call."""

    def handle(record: Record) -> object:
        if not hooks:
            return handler(record)
        with hooks.processing(record):
            return handler(record)

    return handle


def watched_async(handler: AsyncHandler, hooks: HookList) -> AsyncHandler:
    """The same for a handler whose result is awaited if it is awaitable; the hooks last until then."""

    async def handle(record: Record) -> None:
        with hooks.processing(record):
            outcome = handler(record)
            if inspect.isawaitable(outcome):
                await outcome

    return lambda record: handle(record) if hooks else handler(record)

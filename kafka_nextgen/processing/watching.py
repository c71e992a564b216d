"""Handlers, each call inside of what the consumer's hooks want it to be in."""

from __future__ import annotations

import inspect

from kafka_nextgen.engine.observability.hooks import HookList
from kafka_nextgen.processing.arguments import AsyncHandler, Handler
from kafka_nextgen.types import Record

__all__ = ["watched", "watched_async"]


def watched(handler: Handler, hooks: HookList) -> Handler:
    """The handler, watched by whatever hooks there are when it is called."""

    def handle(record: Record) -> object:
        if not hooks:
            return handler(record)
        with hooks.processing(record):
            return handler(record)

    return handle


def watched_async(handler: AsyncHandler, hooks: HookList) -> AsyncHandler:
    """The same for a handler whose outcome is awaited if it can be: it is watched until then."""

    async def handle(record: Record) -> None:
        with hooks.processing(record):
            outcome = handler(record)
            if inspect.isawaitable(outcome):
                await outcome

    return lambda record: handle(record) if hooks else handler(record)

"""Requests that must arrive in the order they were made.

One that looks for its broker is not overtaken: the next begins when the one before is on the connection, which keeps
the order from there on, or has given up. So the order does not depend on how long each of them pauses.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.transport.reply import Reply
from kafka_nextgen.wire.apis import Answer

__all__ = ["Turns"]


class Turns:
    """Lets one request after the other go out."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self, begin: Callable[[], Awaitable[Reply[Answer]]], deadline: Deadline) -> Answer:
        """Send by ``begin``, when it is this one's turn, and return the answer.

        Raises ``RequestTimeoutError``, or what ``begin`` or the reply raises.
        """
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._let_in()
        try:
            if not turn.done():
                await deadline.wait(turn)
            reply = await begin()
        finally:
            self._waiting.remove(turn)
            self._let_in()
        return await reply

    def _let_in(self) -> None:
        if self._waiting and not self._waiting[0].done():
            self._waiting[0].set_result(None)

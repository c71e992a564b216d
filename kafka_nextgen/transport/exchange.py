"""A request whose answer may be followed by the next request at once, without the task that awaits it.

Where answers come a thousand times a second, a task that wakes up for each costs more than the request does. So the
connection offers each answer to the exchange first, which may return the next request. The task that awaits the reply
gets the first answer that the exchange does not follow, or what ended the connection.
"""

from __future__ import annotations

from typing import Protocol

from kafka_nextgen.wire.apis import Question

__all__ = ["Exchange"]


class Exchange(Protocol):
    """Called on the event loop, and must not block. Each request has the whole time limit for itself."""

    def begin(self, version: int) -> Question:
        """The first request, in the version that both sides speak. May be called again before it is answered."""
        ...

    def follow(self, frame: memoryview, correlation_id: int) -> bytes | None:
        """The frame of the next request, with this correlation id and its length in front.

        None if the answer, a frame without its length, has to be read: then nothing has changed. An exception ends the
        exchange.
        """
        ...

    def sent(self) -> None:
        """The next request was sent, or will be as soon as the broker may be sent anything. Must not raise."""
        ...

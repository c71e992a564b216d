"""How tests change what the broker does with a request; ``kafka_nextgen.testing.faults`` has the changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.schema import Message

if TYPE_CHECKING:
    from kafka_nextgen.testing.broker.context import Context

__all__ = ["Handle", "Interceptor", "Meeting"]

#: Handles a request as usual.
Handle = Callable[["RequestFrame", "Context"], Awaitable["Message | None"]]


class Meeting(Protocol):
    """What happens to one request. Once it is handled, the other fields say what happens to its answer."""

    #: The throttle time in the answer (milliseconds).
    throttle_ms: int
    #: Whether the connection ends in the middle of the answer.
    is_cut: bool

    async def handle(self, handle: Handle) -> Message | None:
        """Handle the request, or let ``handle`` do so. Raises ``CloseConnectionError``."""


class Interceptor(Protocol):
    """Decides what happens to requests."""

    def meet(self, request: RequestFrame, context: Context) -> Meeting | None:
        """What happens to a request that arrives now; None if it is handled as usual."""

"""Requests that wait for others: JoinGroup and SyncGroup of classic groups.

A parked request has a number. It is answered by the outcome that it waits for, or when the coordinator moves. If its
connection ends, the waiting is cancelled, but the coordinator does not know and still treats the member as waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from kafka_nextgen.broker.coordination.refusals import refuse
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import Request
from kafka_nextgen.coordinator.responses import Response

__all__ = ["Parking"]


class Parking:
    """The parked requests of one coordinator, by number."""

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[Request, asyncio.Future[Response | None]]] = {}

    async def wait(self, number: int, request: Request) -> Response | None:
        """Wait for the answer to a request; None if it will never be answered."""
        answer: asyncio.Future[Response | None] = asyncio.get_running_loop().create_future()
        self._waiting[number] = request, answer
        try:
            return await answer
        finally:
            del self._waiting[number]

    def release(self, number: int, response: Response | None) -> None:
        """Answer a request, unless its waiting was cancelled."""
        if number in self._waiting and not self._waiting[number][1].done():
            self._waiting[number][1].set_result(response)

    def refuse(self, numbers: Iterable[int], error: ErrorCode) -> None:
        """Answer these requests with an error, since the outcome that would have answered them was not stored."""
        for number in numbers:
            if number in self._waiting:
                self.release(number, refuse(self._waiting[number][0], error))

    def refuse_all(self, error: ErrorCode) -> None:
        """Answer all requests with an error, since nothing else will."""
        self.refuse(tuple(self._waiting), error)

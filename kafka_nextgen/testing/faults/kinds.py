"""Faults of requests as a whole: delays, throttles, lost requests and answers, and silence."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.refusal import CloseConnectionError
from kafka_nextgen.testing.faults.kind import Active, Course, Kind, Next, Taken
from kafka_nextgen.testing.faults.question import Question
from kafka_nextgen.testing.faults.selection import Selection
from kafka_nextgen.wire.schema import Message

__all__ = ["Cut", "Delay", "Drop", "Silence", "Throttle"]


@frozen
class Delay(Kind):
    """The request is handled later, by the cluster's clock. Later requests of its connection wait, too."""

    delay_s: float

    def take(self, question: Question, active: Active) -> Taken:
        """Wait until the time has passed or the fault has ended."""

        async def serve(handle_rest: Next, _course: Course) -> Message | None:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(active.ended.wait(), self.delay_s)
            return await handle_rest()

        return Taken(serve, question)

    def __str__(self) -> str:
        return f"delay of {self.delay_s:g} s"


@frozen
class Throttle(Kind):
    """The answer has a throttle time, and the broker reads nothing from the client during it (KIP-219)."""

    throttle_s: float

    def complaint(self, selection: Selection) -> str | None:
        """The answer needs the field ``throttle_time_ms``."""
        if selection.api is None or _has_throttle(selection.api.value.response):
            return None
        return f"{selection.api} answers can't throttle a client"

    def take(self, question: Question, active: Active) -> Taken | None:
        """Throttle the client, unless the answer has no field for the throttle time."""
        if not _has_throttle(question.request.api.response):
            return None

        async def serve(handle_rest: Next, course: Course) -> Message | None:
            course.throttle_ms = max(course.throttle_ms, round(self.throttle_s * 1000))
            return await handle_rest()

        return Taken(serve, question)

    def __str__(self) -> str:
        return f"throttle of {self.throttle_s:g} s"


@frozen
class Drop(Kind):
    """The connection is closed instead of an answer: before the request was carried out, or after it."""

    is_after: bool

    def take(self, question: Question, active: Active) -> Taken:
        """Close the connection; with ``before``, later faults do not apply to the request."""
        when = "after" if self.is_after else "before"

        async def serve(handle_rest: Next, _course: Course) -> Message | None:
            if self.is_after:
                await handle_rest()
            raise CloseConnectionError(f"a fault of the test drops {question.request.api.name} {when} it was served")

        return Taken(serve, question, is_final=not self.is_after)

    def __str__(self) -> str:
        return f"drop {'after' if self.is_after else 'before'} it was served"


@frozen
class Cut(Kind):
    """The request is carried out, and the connection ends in the middle of its answer."""

    def take(self, question: Question, active: Active) -> Taken:
        """Send half of the answer."""

        async def serve(handle_rest: Next, course: Course) -> Message | None:
            course.is_cut = True
            return await handle_rest()

        return Taken(serve, question)

    def __str__(self) -> str:
        return "cut connection"


@frozen
class Silence(Kind):
    """The request is not handled until the fault ends, as by a suspended process; its connection stays open."""

    def take(self, question: Question, active: Active) -> Taken:
        """Wait until the fault ends."""

        async def serve(handle_rest: Next, _course: Course) -> Message | None:
            await active.ended.wait()
            return await handle_rest()

        return Taken(serve, question, is_final=True)

    def __str__(self) -> str:
        return "silence"


def _has_throttle(response: type[Message]) -> bool:
    return any(each.name == "throttle_time_ms" for each in response.FIELDS)

"""What a fault does to the requests that meet it.

A request meets the active faults in the order in which they were started. Each can act before and after the request is
handled, like nested ``with`` blocks. A *final* one answers the request itself, so that later faults do not meet it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import ClassVar, Protocol

from attrs import define, evolve, frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.cluster import Cluster
from kafka_nextgen.testing.broker.handlers import fetch
from kafka_nextgen.testing.broker.reading.asked import Asked
from kafka_nextgen.testing.broker.refusal import CloseConnectionError
from kafka_nextgen.testing.faults.places import Items, place_of
from kafka_nextgen.testing.faults.question import Question, topic_name
from kafka_nextgen.testing.faults.refusals import refuse
from kafka_nextgen.testing.faults.selection import Selection
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.messages import FetchRequest, ProduceRequest
from kafka_nextgen.wire.schema import Message

__all__ = ["Active", "Course", "Cut", "Delay", "Drop", "Error", "Kind", "Next", "Silence", "Taken", "Throttle"]

#: Handles the rest of a request: by later faults, then as usual.
Next = Callable[[], Awaitable["Message | None"]]


@define
class Course:
    """What happens to the answer of a request; see ``kafka_nextgen.testing.broker.interception.Meeting``."""

    throttle_ms: int = 0
    is_cut: bool = False


@frozen
class Taken:
    """A request that meets a fault: how it is handled, and the ``rest`` that is left to later faults.

    ``counts_itself`` if it is known only later whether the fault applied.
    """

    serve: Callable[[Next, Course], Awaitable[Message | None]]
    rest: Question
    is_final: bool = False
    counts_itself: bool = False


class Active(Protocol):
    """An active fault, as its kind sees it."""

    selection: Selection
    ended: asyncio.Event

    @property
    def is_used_up(self) -> bool:
        """Whether it has applied as often as it may."""

    def count(self) -> None:
        """Count that it applied."""


class Kind:
    """One kind of fault. ``usual_times`` is how often it applies unless the test says so; None is without limit.

    ``has_target`` if it changes the selected topic or partition, whether or not a request names that.
    """

    usual_times: ClassVar[int | None] = None
    has_target: ClassVar[bool] = False

    def complaint(self, selection: Selection) -> str | None:
        """Why this can't happen to such requests; None if it can."""
        return None

    def complaint_at(self, selection: Selection, cluster: Cluster) -> str | None:
        """Why this can't happen in ``cluster`` as it is now; None if it can."""
        return None

    def take(self, question: Question, active: Active) -> Taken | None:
        """What happens to a selected request; None if this can't happen to it. Nothing has happened yet."""
        raise NotImplementedError


@frozen
class Error(Kind):
    """The request is not carried out; its answer has an error code."""

    code: ErrorCode

    def complaint(self, selection: Selection) -> str | None:
        """An error needs an API, and a place in the answer of one of its versions."""
        if selection.api is None:
            return f"an error needs an API, as in fault(Api.OFFSET_COMMIT, error={self.code.name!r})"
        if self.code is ErrorCode.NONE:
            return "NONE is not an error"
        api = selection.api.value
        versions = range(api.min_version, api.max_version + 1)
        if all(place_of(api, version, self.code, selection.topic is not None) is None for version in versions):
            return f"the answer of {api} has no place for {self.code.name}"
        return None

    def take(self, question: Question, active: Active) -> Taken | None:
        """Refuse the request, or the selected part of it."""
        request, selection = question.request, active.selection
        is_partial = selection.topic is not None
        if isinstance(request.message, FetchRequest):
            place = place_of(FETCH, request.version, self.code, is_partial)
            if isinstance(place, Items):
                return self._take_partitions(question, request.message, selection)
        refused = refuse(question, self.code, selection.covers if is_partial else None)
        if refused is None:
            return None

        async def serve(handle_rest: Next, _course: Course) -> Message | None:
            served = None if refused.rest is None else await handle_rest()
            if isinstance(request.message, ProduceRequest) and request.message.acks == 0:
                raise CloseConnectionError("a fault of the test refused records whose producer expects no answer")
            if request.api.name.startswith("Sasl") and question.context.peer.sasl is not None:
                question.context.peer.sasl.fail()
            return refused.answer if served is None else refused.merged(served)

        rest = question if refused.rest is None else evolve(question, request=evolve(request, message=refused.rest))
        return Taken(serve, rest, is_final=refused.rest is None)

    def _take_partitions(self, question: Question, message: FetchRequest, selection: Selection) -> Taken | None:
        """Let the broker's reader answer the selected partitions with the error, unless an earlier fault does so."""
        context, earlier = question.context, question.context.injected

        def injected(asked: Asked) -> ErrorCode:
            before = ErrorCode.NONE if earlier is None else earlier(asked)
            if before is not ErrorCode.NONE:
                return before
            return self.code if selection.covers(topic_name(asked.topic, context), asked.index) else ErrorCode.NONE

        partitions = fetch.asked_of(message, context)
        errors = [injected(asked) for asked in partitions]
        if errors == [ErrorCode.NONE if earlier is None else earlier(asked) for asked in partitions]:
            return None
        rest = evolve(question, context=evolve(context, injected=injected))
        return Taken(_pass_on, rest, is_final=ErrorCode.NONE not in errors)

    def __str__(self) -> str:
        return f"error {self.code.name}"


@frozen
class Delay(Kind):
    """The request is handled later, by the cluster's clock. Later requests of its connection wait, too."""

    delay_s: float

    def take(self, question: Question, active: Active) -> Taken:
        """Wait until the time is over, or the fault."""

        async def serve(handle_rest: Next, _course: Course) -> Message | None:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(active.ended.wait(), self.delay_s)
            return await handle_rest()

        return Taken(serve, question)

    def __str__(self) -> str:
        return f"delay of {self.delay_s:g} s"


@frozen
class Throttle(Kind):
    """The answer tells the client to wait, and nothing is read from it meanwhile (KIP-219)."""

    throttle_s: float

    def complaint(self, selection: Selection) -> str | None:
        """The answer needs the field ``throttle_time_ms``."""
        if selection.api is None or _has_throttle(selection.api.value.response):
            return None
        return f"{selection.api} answers can't throttle a client"

    def take(self, question: Question, active: Active) -> Taken | None:
        """Throttle the client, unless the answer can't tell it."""
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
        """Close the connection; if it is done before, later faults do not meet the request."""
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


async def _pass_on(handle_rest: Next, _course: Course) -> Message | None:
    return await handle_rest()


def _has_throttle(response: type[Message]) -> bool:
    return any(each.name == "throttle_time_ms" for each in response.FIELDS)

"""Errors: the request, or its selected part, is not carried out, and its answer has an error code."""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.handlers import fetch
from kafka_nextgen.testing.broker.reading.asked import Asked
from kafka_nextgen.testing.broker.refusal import CloseConnectionError
from kafka_nextgen.testing.faults.kind import Active, Course, Kind, Next, Taken
from kafka_nextgen.testing.faults.place_kinds import Items
from kafka_nextgen.testing.faults.places import place_of
from kafka_nextgen.testing.faults.question import Question, topic_name
from kafka_nextgen.testing.faults.refusals import Refused, refuse
from kafka_nextgen.testing.faults.selection import Selection
from kafka_nextgen.wire.apis import FETCH, SASL_AUTHENTICATE, SASL_HANDSHAKE
from kafka_nextgen.wire.messages import FetchRequest, ProduceRequest
from kafka_nextgen.wire.schema import Message

__all__ = ["Error"]


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
        return None if refused is None else _refusal(question, refused)

    def _take_partitions(self, question: Question, message: FetchRequest, selection: Selection) -> Taken | None:
        """Let the broker's reader answer the selected partitions with the error, unless an earlier fault does so."""
        context = question.context

        def injected(asked: Asked) -> ErrorCode:
            earlier = _injected(asked, context)
            if earlier is not ErrorCode.NONE:
                return earlier
            return self.code if selection.covers(topic_name(asked.topic, context), asked.index) else ErrorCode.NONE

        partitions = fetch.asked_of(message, context)
        errors = [injected(asked) for asked in partitions]
        if errors == [_injected(asked, context) for asked in partitions]:
            return None
        rest = evolve(question, context=evolve(context, injected=injected))
        return Taken(_pass_on, rest, is_final=ErrorCode.NONE not in errors)

    def __str__(self) -> str:
        return f"error {self.code.name}"


def _refusal(question: Question, refused: Refused) -> Taken:
    """Answer the refused part of a request, and leave the rest."""
    request, rest = question.request, refused.rest

    async def serve(handle_rest: Next, _course: Course) -> Message | None:
        served = None if rest is None else await handle_rest()
        _close_like_kafka(question)
        return refused.answer if served is None else refused.merged(served)

    if rest is None:
        return Taken(serve, question, is_final=True)
    return Taken(serve, evolve(question, request=evolve(request, message=rest)))


def _close_like_kafka(question: Question) -> None:
    """Close the connection for errors that do so in Kafka: errors of logins, and of records that are not
    acknowledged."""
    request, sasl = question.request, question.context.peer.sasl
    if isinstance(request.message, ProduceRequest) and request.message.acks == 0:
        raise CloseConnectionError("a fault of the test refused records whose producer expects no answer")
    if request.api in (SASL_HANDSHAKE, SASL_AUTHENTICATE) and sasl is not None:
        sasl.fail()


def _injected(asked: Asked, context: Context) -> ErrorCode:
    return ErrorCode.NONE if context.injected is None else context.injected(asked)


async def _pass_on(handle_rest: Next, _course: Course) -> Message | None:
    return await handle_rest()

"""The answer that refuses a request, or the part of it that a test selected, with an error code.

The refused part is not carried out. If a request names several topics or partitions, the rest is served: its answer is
merged with the refusals, in the order of the request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.answered_versions import only_api_versions
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.faults.place_kinds import Items, Lone, Names, Top
from kafka_nextgen.testing.faults.places import element_of, place_of
from kafka_nextgen.testing.faults.question import Question, index_of, name_of
from kafka_nextgen.wire.apis import API_VERSIONS, Api
from kafka_nextgen.wire.messages import MetadataRequest
from kafka_nextgen.wire.schema import Message, Structure

__all__ = ["MESSAGE", "Covers", "Refused", "refuse"]

#: The fields that identify an element, in requests and answers.
_IDENTITY = frozenset(
    {
        *("name", "topic", "topic_id", "partition_index", "index", "partition"),
        *("group_id", "member_id", "group_instance_id", "transactional_id", "producer_id"),
        *("resource_type", "resource_name", "entity", "user"),
    }
)

#: The error message, in answers that have one.
MESSAGE = "the test injected this error (Cluster.fault)"

#: Whether a fault selects a topic, or a partition of it if the number is not None.
Covers = Callable[[str, int | None], bool]


@frozen
class Refused:
    """The ``answer`` to the refused part of a request, and the ``rest`` of the request, None if nothing is left."""

    answer: Message
    rest: Message | None
    items: Items | None = None
    asked: Message | None = None

    def merged(self, served: Message) -> Message:
        """The answer to the whole request, made from the answer to its rest."""
        assert self.items is not None
        assert self.asked is not None
        if not getattr(self.rest, self.items.asked):  # Metadata for no topics, which are all topics in version 0
            served = served.replaced(**{self.items.answered: []})
        elements = _merge(self.items, self.asked, self.answer, served)
        return served.replaced(**{self.items.answered: elements})


def refuse(question: Question, code: ErrorCode, covers: Covers | None) -> Refused | None:
    """Refuse the parts of a request that ``covers`` selects, or all of it; None if the answer can't carry the error."""
    frame, context = question.request, question.context
    if frame.message is None:
        return None
    place = place_of(frame.api, frame.version, code, covers is not None)
    if isinstance(place, Top):
        return Refused(_at_top(frame.api, frame.version, place, code, context), None)
    if isinstance(place, Lone):
        lone = _failed(element_of(frame.api.response, place.answered), "error_code", code, place.fields)
        return Refused(frame.api.response(**{place.answered: [lone]}), None)
    if place is None:
        return None
    message = question.spelled_out()
    assert message is not None
    divider = _Divider(code, covers or (lambda topic, index: True), context)
    answered, kept = divider.divide(place, message, frame.api.response, "")
    if not answered:
        return None
    answer = frame.api.response(**{place.answered: answered})
    rest = message.replaced(**{place.asked: kept}) if kept or isinstance(message, MetadataRequest) else None
    return Refused(answer, rest, place, message)


def _at_top(api: Api, version: int, place: Top, code: ErrorCode, context: Context) -> Message:
    if api is API_VERSIONS and code is ErrorCode.UNSUPPORTED_VERSION:
        return only_api_versions(context)
    nullable = {each.name for each in api.response.FIELDS if each.nullable.has(version)}
    null = {name: None for name in place.null if name in nullable}
    answer: Message = _failed(api.response, "error_code", code, {**place.fields, **null})
    return answer


def _failed(kind: Any, error_field: str, code: ErrorCode, fields: Mapping[str, object]) -> Any:
    message = {"error_message": MESSAGE} if any(each.name == "error_message" for each in kind.FIELDS) else {}
    return kind(**{error_field: code, **message, **fields})


@frozen
class _Divider:
    """Divides the elements of a request into those that are refused and those that are kept."""

    code: ErrorCode
    covers: Covers
    context: Context

    def divide(self, items: Items, asked: Structure, kind: type[Structure], topic: str) -> tuple[list[Any], list[Any]]:
        """Return the answers to the refused elements, and the elements that are kept."""
        element_kind = element_of(kind, items.answered)
        refused: list[Any] = []
        kept: list[Any] = []
        for element in _elements(items, asked):
            name = name_of(element, self.context) if items.names is Names.TOPIC else topic
            if items.below is not None:
                below, rest = self.divide(items.below, element, element_kind, name)
                if below:
                    refused.append(_echo(items, element, element_kind, {items.below.answered: below}))
                if rest or not below:
                    kept.append(element.replaced(**{items.below.asked: rest}))
            elif self.covers(name, index_of(element) if items.names is Names.PARTITION else None):
                failure = vars(_failed(element_kind, items.error_field, self.code, items.fields))
                refused.append(_echo(items, element, element_kind, failure))
            else:
                kept.append(element)
        return refused, kept


def _elements(items: Items, asked: Structure) -> Iterable[Any]:
    yield from getattr(asked, items.asked) or ()
    if items.also_asked:
        yield from getattr(asked, items.also_asked)


def _echo(items: Items, element: Any, kind: Any, more: Mapping[str, Any]) -> Any:
    """An element of the answer, with the fields that the request has, too."""
    return kind(**{**_identity(items, element, kind), **more})


def _identity(items: Items, element: Any, kind: type[Structure]) -> dict[str, Any]:
    if not isinstance(element, Structure):
        return {items.value_field: element}
    known = {each.name: each for each in kind.FIELDS if each.name in _IDENTITY}
    return {
        name: _copied(getattr(element, each.name), known[name].element)
        for each in element.FIELDS
        if (name := items.renamed.get(each.name, each.name)) in known
    }


def _copied(value: Any, element: Any) -> Any:
    """A value, with the request's structures replaced by the answer's."""
    if isinstance(element, type) and issubclass(element, Structure):
        return [element(**vars(each)) for each in value]
    return value


def _merge(items: Items, asked: Any, refused: Structure, served: Structure) -> list[Any]:
    """The elements of both answers in the order of the request."""
    kind = element_of(type(served), items.answered)
    merged: dict[Any, Any] = {}
    requested = {_key(_identity(items, each, kind)): each for each in _elements(items, asked)}
    names = [tuple(_identity(items, each, kind)) for each in requested.values()][:1]
    for element in (*getattr(refused, items.answered), *getattr(served, items.answered)):
        key = tuple(getattr(element, name) for name in names[0])
        if key in merged and items.below is not None:
            both = _merge(items.below, requested[key], merged[key], element)
            merged[key] = element.replaced(**{items.below.answered: both})
        else:
            merged[key] = element
    order = {key: number for number, key in enumerate(requested)}
    return [merged[key] for key in sorted(merged, key=lambda key: order.get(key, len(order)))]


def _key(identity: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(identity.values())

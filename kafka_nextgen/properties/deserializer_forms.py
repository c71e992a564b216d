"""How a deserializer is called. Its signature determines this, once, when a consumer is created.

| deserializer | call |
|---|---|
| a callable that takes the bytes | ``f(data)`` |
| a callable that takes the bytes and their context, such as confluent-kafka's deserializers | ``f(data, context)`` |
| kafka-python's ``Deserializer`` since 3.0 | ``deserialize(topic, headers, data)`` |
| kafka-python's ``Deserializer`` before 3.0, or aiokafka's | ``deserialize(topic, data)`` |

A second parameter gets the context if it is required, or if it is named ``ctx`` or ``context`` with the default None.
``bytes.decode``, whose second parameter is an encoding, therefore gets only the bytes, like a callable whose signature
can't be read, such as ``int``.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from enum import Enum
from typing import Any, Protocol, TypeAlias, TypeVar, get_origin

from kafka_nextgen.lazy_attrs import define, frozen

__all__ = [
    "AsyncDeserializerOf",
    "DeserializationContext",
    "DeserializerForm",
    "DeserializerOf",
    "Parameters",
    "form_of",
]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_CONTEXT_NAMES = ("ctx", "context")
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_AWAITABLE_ORIGINS = (Awaitable, Coroutine)
_AWAITABLE_NAMES = ("Awaitable", "Coroutine")
_EXPECTED = (
    "must be a callable that takes bytes, or bytes and a context, or an object with kafka-python's deserialize()"
)


@define
class DeserializationContext:
    """The origin of the bytes: the topic, ``"key"`` or ``"value"``, and the record's headers.

    confluent-kafka's deserializers accept it in place of their own ``SerializationContext``.
    """

    topic: str
    field: str
    headers: list[tuple[str, bytes | None]]


class OfTopicAndData(Protocol[T_co]):
    """A deserializer of kafka-python before 3.0."""

    def deserialize(self, topic: str, data: bytes, /) -> T_co:
        """Deserialize a key or value."""


class OfTopicHeadersAndData(Protocol[T_co]):
    """A deserializer of kafka-python since 3.0."""

    def deserialize(self, topic: str, headers: Any, data: bytes, /) -> T_co:
        """Deserialize a key or value."""


#: A deserializer that returns a ``T``, for type checkers.
DeserializerOf: TypeAlias = (
    Callable[[bytes], T] | Callable[[bytes, Any], T] | OfTopicAndData[T] | OfTopicHeadersAndData[T]
)
#: A deserializer that returns an awaitable ``T``.
AsyncDeserializerOf: TypeAlias = (
    Callable[[bytes], Awaitable[T]]
    | Callable[[bytes, Any], Awaitable[T]]
    | OfTopicAndData[Awaitable[T]]
    | OfTopicHeadersAndData[Awaitable[T]]
)


class Parameters(Enum):
    """The arguments that a deserializer is called with."""

    DATA = "data"
    DATA_AND_CONTEXT = "data, context"
    TOPIC_AND_DATA = "topic, data"
    TOPIC_HEADERS_AND_DATA = "topic, headers, data"


@frozen
class DeserializerForm:
    """The function to call, its arguments, and whether its result has to be awaited."""

    function: Callable[..., Any]
    parameters: Parameters
    is_async: bool

    @property
    def may_wait(self) -> bool:
        """Whether a call may take a long time: it is awaited, or takes a context, as those that query a registry do."""
        return self.is_async or self.parameters is not Parameters.DATA


def form_of(deserializer: object) -> DeserializerForm:
    """Return how this deserializer is called. Raises ValueError if it is not a deserializer."""
    method = getattr(deserializer, "deserialize", None)
    if isinstance(deserializer, type) and callable(method):
        raise ValueError(f"must be an object, not the class {deserializer.__name__}: pass an instance of it")
    if callable(deserializer):
        return DeserializerForm(deserializer, _parameters_of(deserializer), _is_async(deserializer))
    if callable(method):
        return DeserializerForm(method, _parameters_of_method(method), _is_async(method))
    raise ValueError(f"{_EXPECTED}, not {deserializer!r}")


def _parameters_of(function: Callable[..., Any]) -> Parameters:
    positional = _positional(function)
    if positional is None:
        return Parameters.DATA
    needed = [each for each in positional if each.default is each.empty]
    if not positional or len(needed) > 2:
        raise ValueError(f"{_EXPECTED}, not {function!r}, which takes {len(needed)} arguments")
    takes_context = len(needed) == 2 or (len(positional) > 1 and _is_context(positional[1]))
    return Parameters.DATA_AND_CONTEXT if takes_context else Parameters.DATA


def _parameters_of_method(method: Callable[..., Any]) -> Parameters:
    positional = _positional(method)
    count = 3 if positional is None else sum(each.default is each.empty for each in positional)
    if count not in (2, 3):
        raise ValueError(
            f"{_EXPECTED}: deserialize() takes the topic and the data, with the headers between them, not {count} "
            "arguments"
        )
    return Parameters.TOPIC_AND_DATA if count == 2 else Parameters.TOPIC_HEADERS_AND_DATA


def _positional(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """Return the positional parameters; None if they are unknown, or of any number."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return None
    return [each for each in parameters if each.kind in _POSITIONAL]


def _is_context(parameter: inspect.Parameter) -> bool:
    return parameter.name in _CONTEXT_NAMES and parameter.default is None


def _is_async(function: Callable[..., Any]) -> bool:
    """Whether it is a coroutine function, or is annotated to return an awaitable, as confluent-kafka's are."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
        return True
    try:
        returned = inspect.signature(function).return_annotation
    except (TypeError, ValueError):
        return False
    if isinstance(returned, str):  # such as "collections.abc.Awaitable[int]"
        return returned.partition("[")[0].rpartition(".")[2] in _AWAITABLE_NAMES
    return get_origin(returned) in _AWAITABLE_ORIGINS

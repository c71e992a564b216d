"""Deserializers in a configuration, and what to do with a record that one of them can't read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum

from kafka_nextgen.errors import DeserializationError
from kafka_nextgen.properties.value_types import ValueType, one_of

__all__ = [
    "DeserializationPolicy",
    "Deserializer",
    "OnDeserializationError",
    "deserializer",
    "on_deserialization_error",
]

#: Converts a record's key or value from bytes. Not called for None.
Deserializer = Callable[[bytes], object]


class DeserializationPolicy(Enum):
    """What to do with a record that can't be deserialized."""

    RAISE = "raise"
    SKIP = "skip"
    VALUE = "value"


#: A policy, or a function that is called with the error before the record is skipped.
OnDeserializationError = DeserializationPolicy | Callable[[DeserializationError], object]


def _read_deserializer(value: object) -> Deserializer:
    if not callable(value):
        raise ValueError(f"must be a callable that takes bytes, not {value!r}")
    _refuse_async(value, "; leave bytes, and await where you process the record")
    return value


def _refuse_async(value: Callable[..., object], advice: str = "") -> None:
    if inspect.iscoroutinefunction(value) or inspect.iscoroutinefunction(type(value).__call__):
        reason = "must be a function that is not async, since records are read synchronously"
        raise ValueError(f"{reason}{advice}: {value!r}")


deserializer: ValueType[Deserializer] = ValueType("callable", _read_deserializer)
_error_policy: ValueType[DeserializationPolicy] = one_of(DeserializationPolicy, or_else="callable")


def _read_on_deserialization_error(value: object) -> OnDeserializationError:
    if not callable(value):
        return _error_policy.read(value)
    _refuse_async(value)
    return value


on_deserialization_error: ValueType[OnDeserializationError] = ValueType(
    _error_policy.name, _read_on_deserialization_error
)

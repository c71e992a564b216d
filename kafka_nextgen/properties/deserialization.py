"""Deserializers in a configuration, and the policy for records that a deserializer can't read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from typing import Any

from kafka_nextgen.errors import DeserializationError
from kafka_nextgen.properties.deserializer_forms import form_of
from kafka_nextgen.properties.value_types import ValueType, one_of

__all__ = [
    "DeserializationPolicy",
    "Deserializer",
    "OnDeserializationError",
    "deserializer",
    "on_deserialization_error",
]

#: Converts a record's key or value from bytes: anything that ``form_of`` knows how to call. Not called for None.
Deserializer = Any


class DeserializationPolicy(Enum):
    """What to do with a record that can't be deserialized."""

    RAISE = "raise"
    SKIP = "skip"
    VALUE = "value"


#: A policy, or a function that is called with the error before the record is skipped.
OnDeserializationError = DeserializationPolicy | Callable[[DeserializationError], object]


def _read_deserializer(value: object) -> Deserializer:
    form_of(value)
    return value


deserializer: ValueType[Deserializer] = ValueType("callable", _read_deserializer)
_error_policy: ValueType[DeserializationPolicy] = one_of(DeserializationPolicy, or_else="callable")


def _read_on_deserialization_error(value: object) -> OnDeserializationError:
    if not callable(value):
        return _error_policy.read(value)
    if inspect.iscoroutinefunction(value) or inspect.iscoroutinefunction(type(value).__call__):
        raise ValueError(f"must be a function that is not async, since records are read synchronously: {value!r}")
    return value


on_deserialization_error: ValueType[OnDeserializationError] = ValueType(
    _error_policy.name, _read_on_deserialization_error
)

"""Deserializes the key and value of a record, and handles failures by ``on.deserialization.error``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CoroutineType

from attrs import evolve, frozen

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import DeserializationError, MisuseError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.deserialization import DeserializationPolicy, Deserializer, OnDeserializationError
from kafka_nextgen.text import describe_error
from kafka_nextgen.types import Record, TopicPartition

__all__ = ["Deserializers"]

logger = logger_of("kafka_nextgen.consumer")

_SKIPPED = object()


@frozen
class Deserializers:
    """The deserializers of keys and values; None leaves them as bytes."""

    key: Deserializer | None = None
    value: Deserializer | None = None
    on_error: OnDeserializationError = DeserializationPolicy.RAISE

    @classmethod
    def of(cls, config: ConsumerConfig) -> Deserializers:
        """Return the deserializers that are configured."""
        return cls(config.key_deserializer, config.value_deserializer, config.on_deserialization_error)

    @property
    def needed(self) -> Deserializers | None:
        """Return these deserializers, or None if all keys and values stay bytes."""
        return None if self.key is None and self.value is None else self

    @property
    def lenient(self) -> Deserializers:
        """The same deserializers for hooks: they raise nothing, and an error replaces the key or value."""
        return evolve(self, on_error=DeserializationPolicy.VALUE)

    def apply(self, record: Record) -> Record | None:
        """Deserialize the key and value, which are bytes or None; returns None if the record is to be skipped.

        Raises DeserializationError, or the exception raised by the callable for such errors.
        """
        key, value = record.key, record.value
        if self.key is not None and key is not None:  # nulls, such as tombstones, are not deserialized
            key = self._deserialize(self.key, key, "key", record)
            if key is _SKIPPED:
                return None
        if self.value is not None and value is not None:
            value = self._deserialize(self.value, value, "value", record)
            if value is _SKIPPED:
                return None
        return Record._make((*record[:5], key, value, *record[7:]))

    def _deserialize(self, deserializer: Deserializer, data: object, field: str, record: Record) -> object:
        assert isinstance(data, bytes), f"{record.offset}: the {field} was deserialized before"
        try:
            value = deserializer(data)
        except Exception as cause:
            if self.on_error is DeserializationPolicy.RAISE:
                raise _error_of(record, field, cause, _STOPS.format(record.offset + 1)) from cause
            is_skipped = self.on_error is not DeserializationPolicy.VALUE
            return self._instead(_error_of(record, field, cause, _SKIPS if is_skipped else ""))
        return self._without(value, field, record) if isinstance(value, CoroutineType) else value

    def _without(
        self, value: CoroutineType[object, object, object], field: str, record: Record
    ) -> DeserializationError:
        """Return the error that replaces a coroutine, or raise it; such a record is never skipped.

        A function that calls an async one can't be recognised before it is called.
        """
        value.close()
        cause = MisuseError(
            f"it returned a coroutine; leave the {field} as bytes, and await where you process the record"
        )
        error = _error_of(record, field, cause, "")
        if self.on_error is DeserializationPolicy.VALUE:
            return error
        raise error

    def _instead(self, error: DeserializationError) -> object:
        """Return what replaces the key or value."""
        if self.on_error is DeserializationPolicy.VALUE:
            return error
        if callable(self.on_error):
            _hand_to(self.on_error, error)
        else:
            assert error.__cause__ is not None
            logger.warning(
                "%s: skipped the record at offset %d: %s",
                error.partition,
                error.offset,
                describe_error(error.__cause__),
            )
        return _SKIPPED


def _hand_to(dead_letter: Callable[[DeserializationError], object], error: DeserializationError) -> None:
    outcome = dead_letter(error)
    if inspect.isawaitable(outcome):
        if inspect.iscoroutine(outcome):
            outcome.close()
        raise MisuseError("on_deserialization_error can't be async: nothing is awaited between two records") from error


_STOPS = "; reading stops there: seek to {} to skip it, or set on_deserialization_error"
_SKIPS = "; the record is skipped"


def _error_of(record: Record, field: str, cause: Exception, outcome: str) -> DeserializationError:
    partition = TopicPartition(record.topic, record.partition)
    message = (
        f"{partition}: the {field} deserializer failed on the record at offset {record.offset}: "
        f"{describe_error(cause)}{outcome}"
    )
    error = DeserializationError(message, record, field)
    error.__cause__ = cause
    return error

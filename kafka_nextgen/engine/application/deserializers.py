"""Deserializes the key and value of a record, and handles failures according to ``on.deserialization.error``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from attrs import evolve

from kafka_nextgen.errors import ConfigError, DeserializationError, MisuseError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.deserialization import DeserializationPolicy, Deserializer, OnDeserializationError
from kafka_nextgen.properties.deserializer_forms import (
    DeserializationContext,
    DeserializerForm,
    Parameters,
    form_of,
)
from kafka_nextgen.text import describe_error
from kafka_nextgen.types import Record, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.config import ConsumerConfig

__all__ = ["ContextualDeserializers", "Deserializers", "in_context", "refuse_async"]

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
        given = (("key", config.key_deserializer), ("value", config.value_deserializer))
        forms = {field: form_of(each) for field, each in given if each is not None}
        if not any(form.may_wait for form in forms.values()):
            functions = {field: form.function for field, form in forms.items()}
            return cls(**functions, on_error=config.on_deserialization_error)
        called = {field: in_context(form, field) for field, form in forms.items()}
        return ContextualDeserializers(**called, on_error=config.on_deserialization_error)

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
        assert isinstance(data, bytes), f"{record.offset}: the {field} has already been deserialized"
        try:
            value = deserializer(data)
        except Exception as cause:
            return self._failed(record, field, cause)
        return self._without(value, field, record) if isinstance(value, CoroutineType) else value

    def _failed(self, record: Record, field: str, cause: Exception) -> object:
        """Return the replacement for a key or value that can't be deserialized, or raise DeserializationError."""
        if self.on_error is DeserializationPolicy.RAISE:
            raise _error_of(record, field, cause, _STOPS.format(record.offset + 1)) from cause
        is_skipped = self.on_error is not DeserializationPolicy.VALUE
        return self._instead(_error_of(record, field, cause, _SKIPS if is_skipped else ""))

    def _without(
        self, value: CoroutineType[object, object, object], field: str, record: Record
    ) -> DeserializationError:
        """Close a coroutine and return the error that replaces it, or raise the error; the record is never skipped.

        An ordinary function that returns a coroutine can't be recognised before it is called.
        """
        value.close()
        cause = MisuseError(
            "it returned a coroutine, although its signature doesn't declare one: make it an async function, which "
            f"AsyncConsumer awaits, or leave the {field} as bytes, and await where you process the record"
        )
        error = _error_of(record, field, cause, "")
        if self.on_error is DeserializationPolicy.VALUE:
            return error
        raise error

    def _instead(self, error: DeserializationError) -> object:
        """Return the replacement for the key or value."""
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


@frozen
class ContextualDeserializers(Deserializers):
    """Deserializers that are also called with the record, as returned by ``in_context``."""

    def _deserialize(self, deserializer: Deserializer, data: object, field: str, record: Record) -> object:
        assert isinstance(data, bytes), f"{record.offset}: the {field} has already been deserialized"
        try:
            value = deserializer(data, record)
        except Exception as cause:
            return self._failed(record, field, cause)
        return self._without(value, field, record) if isinstance(value, CoroutineType) else value


def refuse_async(config: ConsumerConfig) -> None:
    """Raise ConfigError for an async deserializer, which ``Consumer`` can't await."""
    for field, given in (("key", config.key_deserializer), ("value", config.value_deserializer)):
        if given is not None and form_of(given).is_async:
            name = config.written_name(f"{field}.deserializer")
            raise ConfigError(
                f"{name} is async, which Consumer can't await: use AsyncConsumer, or a deserializer that is not async, "
                f"such as AvroDeserializer in place of AsyncAvroDeserializer: {given!r}",
                key=name,
            )


def in_context(form: DeserializerForm, field: str) -> Callable[[bytes, Record], Any]:
    """Return a function of the bytes and their record that calls a deserializer of keys or values (``field``)."""
    function, parameters = form.function, form.parameters
    if parameters is Parameters.DATA:
        return lambda data, record: function(data)
    if parameters is Parameters.TOPIC_AND_DATA:
        return lambda data, record: function(record.topic, data)
    if parameters is Parameters.TOPIC_HEADERS_AND_DATA:
        return lambda data, record: function(record.topic, list(record.headers), data)
    return lambda data, record: function(data, DeserializationContext(record.topic, field, list(record.headers)))


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

"""What turns the bytes of keys and values into the application's objects, record by record."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from kafka_nextgen.errors import DeserializationError
from kafka_nextgen.properties import Deserializer
from kafka_nextgen.types import Record, TopicPartition

__all__ = ["Deserializers"]


@frozen
class Deserializers:
    """The deserializer of keys and that of values; None leaves them as they are."""

    key: Deserializer | None = None
    value: Deserializer | None = None

    @property
    def to_apply(self) -> Callable[[Record], Record] | None:
        """What to do with each record; None if they all stay as they are."""
        return None if self.key is None and self.value is None else self.apply

    def apply(self, record: Record) -> Record:
        """The record with its key and value, which are bytes or None, deserialized.

        Raises DeserializationError.
        """
        key, value = record.key, record.value
        if self.key is not None and key is not None:  # of a null nothing is made: a tombstone, or no key
            key = _deserialize(self.key, key, "key", record)
        if self.value is not None and value is not None:
            value = _deserialize(self.value, value, "value", record)
        return Record._make((*record[:5], key, value, *record[7:]))


def _deserialize(deserializer: Deserializer, data: object, which: str, record: Record) -> object:
    assert isinstance(data, bytes), f"{record.offset}: the {which} was deserialized before"
    try:
        return deserializer(data)
    except Exception as error:
        partition = TopicPartition(record.topic, record.partition)
        message = f"{partition}: the {which} deserializer failed on the record at offset {record.offset}: {error!r}"
        raise DeserializationError(message, partition, record.offset) from error

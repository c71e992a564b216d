"""What ``poll`` returns: records in columns, made into objects only when somebody looks at one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from kafka_nextgen.errors import DeserializationError
from kafka_nextgen.properties import Deserializer
from kafka_nextgen.types import Record, TimestampType, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice, Headers

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Deserializers", "RecordIterator", "Records"]

_TIMESTAMP_TYPES = {int(kind): kind for kind in TimestampType}


@frozen
class Deserializers:
    """What turns the bytes of keys and values into objects; None leaves them as they are."""

    key: Deserializer | None = None
    value: Deserializer | None = None

    def apply(self, record: Record) -> Record:
        """The record with its key and value, which are bytes or None, deserialized.

        Raises DeserializationError.
        """
        partition = TopicPartition(record.topic, record.partition)
        if self.key is not None:
            record = evolve(record, key=_deserialize(self.key, record.key, "key", partition, record.offset))
        if self.value is not None:
            record = evolve(record, value=_deserialize(self.value, record.value, "value", partition, record.offset))
        return record


class Records:
    """Records of one or more partitions, in each partition's order.

    ``len()`` counts them, iterating makes a ``Record`` of each; ``partitions()`` and ``of()`` look at one
    partition at a time; ``to_arrow()`` and ``to_pandas()`` hand the columns over without a Python object per record.
    """

    def __init__(self, slices: Sequence[ColumnSlice] = (), deserializers: Deserializers | None = None) -> None:
        self._slices = tuple(slices)
        self._deserializers = deserializers or Deserializers()

    def __len__(self) -> int:
        return sum(map(len, self._slices))

    def __iter__(self) -> RecordIterator:
        return RecordIterator(self._slices, self._deserializers)

    def __repr__(self) -> str:
        return f"<Records: {len(self)} of {', '.join(map(str, self.partitions())) or 'no partition'}>"

    def partitions(self) -> tuple[TopicPartition, ...]:
        """The partitions there are records of."""
        return tuple(dict.fromkeys(part.partition for part in self._slices))

    def of(self, partition: TopicPartition) -> Records:
        """The records of one partition."""
        return Records([part for part in self._slices if part.partition == partition], self._deserializers)

    def headers(self) -> Iterator[Headers]:
        """The headers of each record that has any; of batches without any, no record is looked at."""
        for part in self._slices:
            columns = part.columns.headers
            if columns is not None:
                yield from filter(None, columns.to_list(part.start, part.stop))

    def raw(self) -> Records:
        """The same records with keys and values as bytes, for whoever deserializes later."""
        return Records(self._slices)

    def to_arrow(self) -> pyarrow.Table:
        """The records as a pyarrow Table; keys and values stay bytes. Needs the extra ``kafka-nextgen[arrow]``.

        Columns: topic, partition, offset, timestamp (milliseconds, UTC), key, value, headers.
        """
        from kafka_nextgen.engine.application.arrow import to_table

        return to_table(self._slices)

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a pandas DataFrame, by way of Arrow."""
        return self.to_arrow().to_pandas()


class RecordIterator(Iterator[Record]):
    """Makes one Record after the other, and goes on behind one whose deserializer raised."""

    def __init__(self, slices: Sequence[ColumnSlice], deserializers: Deserializers) -> None:
        self._slices = slices
        self._deserializers = deserializers
        self._which = 0
        self._row = slices[0].start if slices else 0

    def __next__(self) -> Record:
        part = self._current()
        row = self._row
        self._row += 1
        return _make_record(part, row, self._deserializers)

    def progress(self, but_last: bool = False) -> list[ColumnSlice]:
        """What was taken so far, slice by slice, perhaps without the last record taken."""
        done = list(self._slices[: self._which])
        if self._which < len(self._slices):
            part, stop = self._slices[self._which], self._row - but_last
            done += [ColumnSlice(part.columns, part.start, stop)] if stop > part.start else []
        return done

    def _current(self) -> ColumnSlice:
        while self._which < len(self._slices):
            part = self._slices[self._which]
            if self._row < part.stop:
                return part
            self._which += 1
            if self._which < len(self._slices):
                self._row = self._slices[self._which].start
        raise StopIteration


def _make_record(part: ColumnSlice, row: int, deserializers: Deserializers) -> Record:
    columns = part.columns
    key: object = columns.keys[row]
    value: object = columns.values[row]
    offset = columns.offsets[row]
    if deserializers.key is not None:
        key = _deserialize(deserializers.key, columns.keys[row], "key", part.partition, offset)
    if deserializers.value is not None:
        value = _deserialize(deserializers.value, columns.values[row], "value", part.partition, offset)
    return Record(
        topic=part.partition.topic,
        partition=part.partition.partition,
        offset=offset,
        timestamp=columns.timestamps[row],
        timestamp_type=_TIMESTAMP_TYPES[columns.timestamp_types[row]],
        key=key,
        value=value,
        headers=columns.headers[row] if columns.headers is not None else (),
        leader_epoch=columns.leader_epochs[row],
    )


def _deserialize(
    deserializer: Deserializer, data: object, which: str, partition: TopicPartition, offset: int
) -> object:
    if data is None:  # a tombstone, or no key: there is nothing to make anything of
        return None
    assert isinstance(data, bytes), f"{partition}: the {which} at offset {offset} was deserialized before"
    try:
        return deserializer(data)
    except Exception as error:
        message = f"{partition}: the {which} deserializer failed on the record at offset {offset}: {error!r}"
        raise DeserializationError(message, partition, offset) from error

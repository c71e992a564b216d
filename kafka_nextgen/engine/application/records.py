"""What ``poll`` returns: records in columns, made into objects only when they are looked at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, overload

from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.engine.application.record_rows import record_rows
from kafka_nextgen.engine.application.record_run import NO_WATCH, RecordRun, Watch
from kafka_nextgen.types import Record, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice, Headers

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from kafka_nextgen.engine.application.value_columns import OnError, ValueColumns
    from kafka_nextgen.values import ValueFormat

__all__ = ["RecordBatch", "Records"]

T = TypeVar("T")


class _Column(Sequence[T]):
    """Part of a column, of which objects are made when they are asked for."""

    def __init__(self, to_list: Callable[[int, int], list[T]], start: int, stop: int) -> None:
        self._to_list = to_list
        self._start, self._stop = start, stop

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        rows = range(self._start, self._stop)[index]
        if isinstance(rows, int):
            return self._to_list(rows, rows + 1)[0]
        if rows.step == 1:
            return _Column(self._to_list, rows.start, max(rows.start, rows.stop))
        return [self._to_list(row, row + 1)[0] for row in rows]

    def __iter__(self) -> Iterator[T]:
        return iter(self._to_list(self._start, self._stop))

    def __repr__(self) -> str:
        return f"<column of {len(self)}>"


@contextmanager
def _require_extra(call: str, extra: str) -> Iterator[None]:
    """Have a missing package in ``call`` raise an ImportError that names the extra which installs it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        message = f"{call} needs {missing.name}: pip install 'kafka-nextgen[{extra}]'"
        raise ImportError(message, name=missing.name) from missing


class _DataFrames(ABC):
    """Converts what ``to_arrow`` returns to data frames."""

    @abstractmethod
    def to_arrow(
        self,
        schema: pyarrow.Schema | None = None,
        *,
        value: ValueFormat | None = None,
        key: ValueFormat | None = None,
        on_error: OnError = "raise",
    ) -> pyarrow.Table | pyarrow.RecordBatch:
        """The records in pyarrow, in the columns of ``schema`` if given, or with their values decoded."""

    def to_pandas(self) -> pandas.DataFrame:
        """The same in pandas, by way of Arrow. Needs the extra ``kafka-nextgen[pandas]``."""
        with _require_extra("to_pandas()", "pandas"):
            import pandas  # noqa: F401  (pyarrow imports it, without a word about the extra)
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The same in polars, by way of Arrow. Needs the extra ``kafka-nextgen[polars]``."""
        with _require_extra("to_polars()", "polars"):
            import polars
        return polars.DataFrame(self.to_arrow())


class RecordBatch(_DataFrames):
    """Records of one partition that lie together, in columns; the i-th entry of each is of the same record.

    Iterating makes a ``Record`` of each. Libraries that know Arrow's PyCapsule interface take a batch as it is.
    """

    def __init__(
        self, part: ColumnSlice, deserializers: Deserializers | None = None, hand_over: Watch = NO_WATCH
    ) -> None:
        self._part = part
        self._deserializers = deserializers
        self._hand_over = hand_over

    def __len__(self) -> int:
        return len(self._part)

    def __iter__(self) -> Iterator[Record]:
        """Make one Record after the other. Raises DeserializationError as iterating over ``Records`` does."""
        return RecordRun([self._part], self._deserializers, self._hand_over).records

    def __repr__(self) -> str:
        return f"<RecordBatch: {len(self)} of {self.partition} from offset {self.offsets[0]}>"

    @property
    def partition(self) -> TopicPartition:
        """The partition they are all of."""
        return self._part.partition

    @property
    def offsets(self) -> memoryview[int]:
        """Their offsets, int64."""
        return self._part.columns.offsets[self._part.start : self._part.stop]

    @property
    def timestamps(self) -> memoryview[int]:
        """Their timestamps, int64: milliseconds since the epoch, -1 where there is none."""
        return self._part.columns.timestamps[self._part.start : self._part.stop]

    @property
    def timestamp_types(self) -> memoryview[int]:
        """Who set the timestamps, int8, by the numbers of ``TimestampType``: 0 the producer, 1 the broker."""
        return self._part.columns.timestamp_types[self._part.start : self._part.stop]

    @property
    def leader_epochs(self) -> memoryview[int]:
        """The leader epochs they were written in, int32, -1 where the broker gave none."""
        return self._part.columns.leader_epochs[self._part.start : self._part.stop]

    @property
    def keys(self) -> Sequence[bytes | None]:
        """Their keys as they came: no deserializer is applied."""
        return _Column(self._part.columns.keys.to_list, self._part.start, self._part.stop)

    @property
    def values(self) -> Sequence[bytes | None]:
        """Their values as they came: no deserializer is applied."""
        return _Column(self._part.columns.values.to_list, self._part.start, self._part.stop)

    @property
    def headers(self) -> Sequence[Headers]:
        """Their headers."""
        column = self._part.columns.headers
        return _Column(_none_at_all if column is None else column.to_list, self._part.start, self._part.stop)

    def to_arrow(
        self,
        schema: pyarrow.Schema | None = None,
        *,
        value: ValueFormat | None = None,
        key: ValueFormat | None = None,
        on_error: OnError = "raise",
    ) -> pyarrow.RecordBatch:
        """The same in pyarrow: the columns of ``Records.to_arrow``, those of ``schema``, or values decoded as there."""
        if value is not None or key is not None:
            return _value_columns(schema, value, key, on_error).batch(self._part)
        with _require_extra("to_arrow()", "arrow"):
            from kafka_nextgen.engine.application.arrow import to_batch
        return to_batch(self._part, schema)

    def __arrow_c_schema__(self) -> object:
        return self.to_arrow().schema.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        schema, array = self.to_arrow().__arrow_c_array__(requested_schema)
        return schema, array


def _value_columns(
    schema: pyarrow.Schema | None, value: ValueFormat | None, key: ValueFormat | None, on_error: OnError
) -> ValueColumns:
    if schema is not None:
        raise TypeError("to_arrow() takes a schema of the records' columns, or formats of values and keys, not both")
    with _require_extra("to_arrow()", "arrow"):
        from kafka_nextgen.engine.application.value_columns import ValueColumns
    return ValueColumns(value, key, on_error)


def _none_at_all(start: int, stop: int) -> list[Headers]:
    return [()] * (stop - start)


class Records(_DataFrames):
    """Records of one or more partitions, in each partition's order.

    ``len()`` counts them, iterating makes a ``Record`` of each; ``partitions()`` and ``of()`` look at one partition at
    a time, ``batches()`` at columns. ``to_arrow()``, ``to_pandas()`` and ``to_polars()`` hand the columns over without
    a Python object per record, and so does Arrow's PyCapsule interface, for any library that takes it.
    """

    def __init__(
        self,
        slices: Sequence[ColumnSlice] = (),
        deserializers: Deserializers | None = None,
        hand_over: Watch = NO_WATCH,
    ) -> None:
        self._slices = tuple(slices)
        self._deserializers = deserializers
        self._hand_over = hand_over

    def __len__(self) -> int:
        return sum(map(len, self._slices))

    def __iter__(self) -> Iterator[Record]:
        """Make one Record after the other.

        Raises DeserializationError at a record that can't be deserialized, unless ``on.deserialization.error`` says
        otherwise, and gives out nothing more. Of what the last ``poll`` handed over, all that was not given out counts
        as not handed over then, also of other partitions: positions go back to it, and the next ``poll`` hands it over.
        With deserializers the same holds if a signal handler raises between two records. If it raises before the first
        one, nothing has changed, and these records can be iterated once more.
        """
        if len(self._slices) == 1 and self._deserializers is None:
            (part,) = self._slices
            return iter(record_rows(part.columns, part.start, part.stop))
        return RecordRun(self._slices, self._deserializers, self._hand_over).records

    def __repr__(self) -> str:
        return f"<Records: {len(self)} of {', '.join(map(str, self.partitions())) or 'no partition'}>"

    def partitions(self) -> tuple[TopicPartition, ...]:
        """The partitions there are records of."""
        return tuple(dict.fromkeys(part.partition for part in self._slices))

    def next_offsets(self) -> dict[TopicPartition, int]:
        """The offset behind the last record of each partition: the position that these records lead to."""
        return {part.partition: part.next_offset for part in self._slices}

    def of(self, partition: TopicPartition) -> Records:
        """The records of one partition."""
        own = [part for part in self._slices if part.partition == partition]
        return Records(own, self._deserializers, self._hand_over)

    def batches(self) -> tuple[RecordBatch, ...]:
        """The records in columns, each batch of one partition; one that was fetched in parts may have several."""
        return tuple(RecordBatch(part, self._deserializers, self._hand_over) for part in self._slices)

    def headers(self) -> Iterator[Headers]:
        """The headers of each record that has any; of batches without any, no record is looked at."""
        for part in self._slices:
            columns = part.columns.headers
            if columns is not None:
                yield from filter(None, columns.to_list(part.start, part.stop))

    def raw(self) -> Records:
        """The same records with keys and values as bytes, to be deserialized later."""
        return Records(self._slices)

    def to_arrow(
        self,
        schema: pyarrow.Schema | None = None,
        *,
        value: ValueFormat | None = None,
        key: ValueFormat | None = None,
        on_error: OnError = "raise",
    ) -> pyarrow.Table:
        """The records as a pyarrow Table, nothing copied. Needs the extra ``kafka-nextgen[arrow]``.

        Columns: topic, partition, offset, timestamp (milliseconds, UTC), key and value (bytes, no deserializer is
        applied), headers (a list of structs of key and value). With ``schema``, its columns in its order and of its
        types; ``docs/use/columns.md`` has those that can be. Raises ArrowSchemaError, which names the column, for any
        other, and ImportError if pyarrow is not there.

        With ``value=Avro(...)`` the columns are partition, offset and timestamp, then each field of the values, typed
        as ``docs/use/values.md`` says; with ``key`` there is a column ``key`` in between. A bad key or value raises
        DeserializationError, which names the record; ``on_error="skip"`` leaves such records out, and ``"null"`` has
        nulls for them, with columns ``value_error`` and ``value_raw``, the reason and the bytes.
        """
        if value is not None or key is not None:
            return _value_columns(schema, value, key, on_error).table(self._slices)
        with _require_extra("to_arrow()", "arrow"):
            from kafka_nextgen.engine.application.arrow import to_table
        return to_table(self._slices, schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

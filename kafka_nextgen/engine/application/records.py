"""The result of ``poll``: records in columns, converted to objects only on access."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from kafka_nextgen.engine.application.record_run import NO_WATCH, RecordRun, Watch, record_rows
from kafka_nextgen.engine.application.value_formats import NO_FORMATS, Formats
from kafka_nextgen.types import KeyT, Record, TopicPartition, ValueT

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from kafka_nextgen.engine.application.deserializers import Deserializers
    from kafka_nextgen.engine.application.value_columns import OnError, ValueColumns
    from kafka_nextgen.values import ValueFormat
    from kafka_nextgen.wire.records import ColumnSlice, Headers

__all__ = ["RecordBatch", "Records", "require_extra"]

T = TypeVar("T")


class _Column(Sequence[T]):
    """Part of a column, whose objects are created on access."""

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
def require_extra(call: str, extra: str) -> Iterator[None]:
    """Raise an ImportError for ``call`` if a package is missing; the error names the extra that installs it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        message = f"{call} needs {missing.name}: pip install 'kafka-nextgen[{extra}]'"
        raise ImportError(message, name=missing.name) from missing


class _DataFrames(ABC):
    """Converts the result of ``to_arrow`` to data frames."""

    #: The formats passed to ``Consumer.batches``, used unless a call passes others.
    _formats = NO_FORMATS

    @abstractmethod
    def to_arrow(
        self,
        schema: pyarrow.Schema | None = None,
        *,
        value: ValueFormat | None = None,
        key: ValueFormat | None = None,
        on_error: OnError | None = None,
    ) -> pyarrow.Table | pyarrow.RecordBatch:
        """Convert the records to pyarrow, with the columns of ``schema`` if given, or with decoded values."""

    def to_pandas(
        self,
        schema: pyarrow.Schema | None = None,
        *,
        value: ValueFormat | None = None,
        key: ValueFormat | None = None,
        on_error: OnError | None = None,
    ) -> pandas.DataFrame:
        """Convert the records to pandas, via Arrow, with the arguments, columns and errors of ``to_arrow``.

        Requires the ``kafka-nextgen[pandas]`` extra.
        """
        with require_extra("to_pandas()", "pandas"):
            import pandas  # noqa: F401  (pyarrow also imports it, but its error does not name the extra)
        return self.to_arrow(schema, value=value, key=key, on_error=on_error).to_pandas()

    def to_polars(
        self,
        schema: pyarrow.Schema | None = None,
        *,
        value: ValueFormat | None = None,
        key: ValueFormat | None = None,
        on_error: OnError | None = None,
    ) -> polars.DataFrame:
        """Convert the records to polars, via Arrow, with the arguments, columns and errors of ``to_arrow``.

        Requires the ``kafka-nextgen[polars]`` extra.
        """
        with require_extra("to_polars()", "polars"):
            import polars
        return polars.DataFrame(self.to_arrow(schema, value=value, key=key, on_error=on_error))


class RecordBatch(_DataFrames, Generic[KeyT, ValueT]):
    """Contiguous records of one partition, in columns; the i-th entries of all columns belong to the same record.

    Iterating creates a ``Record`` for each. Libraries that support Arrow's PyCapsule interface accept a batch directly.
    """

    def __init__(
        self,
        part: ColumnSlice,
        deserializers: Deserializers | None = None,
        hand_over: Watch = NO_WATCH,
        formats: Formats = NO_FORMATS,
    ) -> None:
        self._part = part
        self._formats = formats
        self._deserializers = deserializers
        self._hand_over = hand_over

    def __len__(self) -> int:
        return len(self._part)

    def __iter__(self) -> Iterator[Record[KeyT, ValueT]]:
        """Create the records, one at a time. Raises DeserializationError like iterating over ``Records``."""
        return RecordRun([self._part], self._deserializers, self._hand_over).records

    def __repr__(self) -> str:
        return f"<RecordBatch: {len(self)} of {self.partition} from offset {self.offsets[0]}>"

    @property
    def partition(self) -> TopicPartition:
        """The partition of these records."""
        return self._part.partition

    @property
    def offsets(self) -> memoryview[int]:
        """The offsets, int64."""
        return self._part.columns.offsets[self._part.start : self._part.stop]

    @property
    def timestamps(self) -> memoryview[int]:
        """The timestamps, int64: milliseconds since the epoch, -1 for a record without one."""
        return self._part.columns.timestamps[self._part.start : self._part.stop]

    @property
    def timestamp_types(self) -> memoryview[int]:
        """Who set the timestamps, as int8 values of ``TimestampType``: 0 for the producer, 1 for the broker."""
        return self._part.columns.timestamp_types[self._part.start : self._part.stop]

    @property
    def leader_epochs(self) -> memoryview[int]:
        """The leader epochs in which the records were written, int32, -1 if the broker sent none."""
        return self._part.columns.leader_epochs[self._part.start : self._part.stop]

    @property
    def keys(self) -> Sequence[bytes | None]:
        """The keys as bytes: no deserializer is applied."""
        return _Column(self._part.columns.keys.to_list, self._part.start, self._part.stop)

    @property
    def values(self) -> Sequence[bytes | None]:
        """The values as bytes: no deserializer is applied."""
        return _Column(self._part.columns.values.to_list, self._part.start, self._part.stop)

    @property
    def headers(self) -> Sequence[Headers]:
        """The headers."""
        column = self._part.columns.headers
        return _Column(_none_at_all if column is None else column.to_list, self._part.start, self._part.stop)

    def to_arrow(
        self,
        schema: pyarrow.Schema | None = None,
        *,
        value: ValueFormat | None = None,
        key: ValueFormat | None = None,
        on_error: OnError | None = None,
    ) -> pyarrow.RecordBatch:
        """Convert the records to pyarrow; arguments, columns and errors are as in ``Records.to_arrow``."""
        formats = self._formats.or_those(value, key, on_error)
        if formats:
            return _value_columns(schema, formats).batch(self._part)
        with require_extra("to_arrow()", "arrow"):
            from kafka_nextgen.engine.application.arrow import to_batch
        return to_batch(self._part, schema)

    def __arrow_c_schema__(self) -> object:
        return self.to_arrow().schema.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        schema, array = self.to_arrow().__arrow_c_array__(requested_schema)
        return schema, array


def _value_columns(schema: pyarrow.Schema | None, formats: Formats) -> ValueColumns:
    with require_extra("to_arrow()", "arrow"):
        from kafka_nextgen.engine.application.value_columns import ValueColumns
    return ValueColumns(schema, formats)


def _none_at_all(start: int, stop: int) -> list[Headers]:
    return [()] * (stop - start)


class Records(_DataFrames, Generic[KeyT, ValueT]):
    """Records of one or more partitions, in each partition's order.

    ``len()`` counts them and iterating creates a ``Record`` for each; ``partitions()`` and ``of()`` give access by
    partition, ``batches()`` by columns. ``to_arrow()``, ``to_pandas()`` and ``to_polars()`` pass the columns on without
    a Python object per record, and so does Arrow's PyCapsule interface, for any library that supports it.
    """

    def __init__(
        self,
        slices: Sequence[ColumnSlice] = (),
        deserializers: Deserializers | None = None,
        hand_over: Watch = NO_WATCH,
        formats: Formats = NO_FORMATS,
    ) -> None:
        self._formats = formats
        self._slices = tuple(slices)
        self._deserializers = deserializers
        self._hand_over = hand_over

    def __len__(self) -> int:
        return sum(map(len, self._slices))

    def __iter__(self) -> Iterator[Record[KeyT, ValueT]]:
        """Create the records, one at a time.

        Raises DeserializationError at a record that can't be deserialized, unless ``on.deserialization.error`` says
        otherwise, and then ends. All records of the last ``poll`` that were not handed over by then count as not
        polled, including those of other partitions: their positions move back, and the next ``poll`` returns these
        records again. With deserializers the same applies if a signal handler raises between two records. If it raises
        before the first one, nothing has changed, and these records can be iterated again.
        """
        if len(self._slices) == 1 and self._deserializers is None:
            (part,) = self._slices
            return iter(record_rows(part.columns, part.start, part.stop))
        return RecordRun(self._slices, self._deserializers, self._hand_over).records

    def __repr__(self) -> str:
        return f"<Records: {len(self)} of {', '.join(map(str, self.partitions())) or 'no partition'}>"

    def partitions(self) -> tuple[TopicPartition, ...]:
        """The partitions of these records."""
        return tuple(dict.fromkeys(part.partition for part in self._slices))

    def next_offsets(self) -> dict[TopicPartition, int]:
        """The offset after the last record of each partition: the position after these records."""
        return {part.partition: part.next_offset for part in self._slices}

    def of(self, partition: TopicPartition) -> Records[KeyT, ValueT]:
        """Return the records of one partition."""
        own = [part for part in self._slices if part.partition == partition]
        return Records(own, self._deserializers, self._hand_over, self._formats)

    def batches(self) -> tuple[RecordBatch[KeyT, ValueT], ...]:
        """Return the records in columns, each batch of one partition; a partition fetched in parts may have several."""
        return tuple(RecordBatch(part, self._deserializers, self._hand_over, self._formats) for part in self._slices)

    def headers(self) -> Iterator[Headers]:
        """Iterate over the headers of each record that has any; batches without headers are skipped as a whole."""
        for part in self._slices:
            columns = part.columns.headers
            if columns is not None:
                yield from filter(None, columns.to_list(part.start, part.stop))

    def raw(self) -> Records[bytes, bytes]:
        """Return the same records with keys and values as bytes, to be deserialized or decoded later."""
        return Records(self._slices)

    def to_arrow(
        self,
        schema: pyarrow.Schema | None = None,
        *,
        value: ValueFormat | None = None,
        key: ValueFormat | None = None,
        on_error: OnError | None = None,
    ) -> pyarrow.Table:
        """Return the records as a pyarrow Table. Requires the ``kafka-nextgen[arrow]`` extra.

        Nothing is copied, except that many small runs, of up to 64 records each, become one chunk.

        Columns: topic, partition, offset, timestamp (milliseconds, UTC), key and value (bytes, no deserializer is
        applied), headers (a list of structs of key and value). With ``schema``, the table has its columns, order and
        types; ``docs/guides/columns.md`` lists the possible ones. Raises ArrowSchemaError, which names the column, for
        any other. Raises ImportError if pyarrow is not installed.

        With ``value=Avro(...)``, ``Json(...)`` or ``Protobuf(...)`` the columns are the fields of ``schema``, or by
        default partition, offset and timestamp, then each field of the values, with the types of
        ``docs/guides/values.md``; with ``key`` a column ``key`` comes before the fields. A bad key or value raises
        DeserializationError, which names the record; ``on_error="skip"`` leaves such records out, and ``"null"``
        replaces their fields with nulls and adds columns ``value_error`` and ``value_raw`` with the reason and the
        bytes. The formats given to ``Consumer.batches`` are the defaults. Raises TypeError for an argument that is not
        a format.
        """
        formats = self._formats.or_those(value, key, on_error)
        if formats:
            return _value_columns(schema, formats).table(self._slices)
        with require_extra("to_arrow()", "arrow"):
            from kafka_nextgen.engine.application.arrow import to_table
        return to_table(self._slices, schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

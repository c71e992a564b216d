"""Reads part of topics as Arrow record batches, without a group, in bounded memory.

A scan has its own consumer. While the caller works on one batch, the consumer fetches the next ones, up to its limits
(``fetch.max.bytes`` and the other ``fetch.`` keys). No other records stay in memory, and nothing is committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING

import attrs

from kafka_nextgen import clocks
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.consumer import Consumer
from kafka_nextgen.engine.application.records import Records, require_extra
from kafka_nextgen.errors import ArrowSchemaError, MisuseError
from kafka_nextgen.scanning.ranges import Edge, Topics, question_of
from kafka_nextgen.scanning.waiting import batches
from kafka_nextgen.types import OffsetRange, TopicPartition

if TYPE_CHECKING:
    import pyarrow
    from typing_extensions import Unpack  # type checkers know it, even if not installed

    from kafka_nextgen.config.settings import ConsumerSettings
    from kafka_nextgen.engine.application.value_columns import OnError
    from kafka_nextgen.values import ValueFormat

__all__ = ["BATCH_ROWS", "Scan", "read_arrow", "scan"]

#: The default maximum number of records in a batch.
BATCH_ROWS = 65_536


def scan(
    topics: Topics,
    config: Mapping[str, object] | ConsumerConfig | None = None,
    *,
    since: Edge = None,
    until: Edge = None,
    schema: pyarrow.Schema | None = None,
    value: ValueFormat | None = None,
    key: ValueFormat | None = None,
    on_error: OnError = "raise",
    batch_rows: int = BATCH_ROWS,
    **settings: Unpack[ConsumerSettings],
) -> Scan:
    """Read part of ``topics`` as a stream of Arrow record batches. Requires the ``kafka-nextgen[arrow]`` extra.

    ``topics`` are names or ``TopicPartition``s, one or several. ``config`` and ``settings`` are the same as for
    ``Consumer``. ``since`` and ``until`` are durations before now (``"2h"``), times, or offsets by partition; without
    them, the scan begins at the first record and ends at the last one that exists now. ``schema``, ``value``, ``key``
    and ``on_error`` are the same as for ``Records.to_arrow``. ``batch_rows`` limits the rows of a batch.

    The result is a stream that implements Arrow's PyCapsule interface. DuckDB, Polars, DataFusion and pyarrow can read
    it directly, once. Close it if it is not read to its end, or use a ``with`` block.

    Raises ConfigError, TypeError or ValueError for invalid arguments, UnknownTopicError, OffsetOutOfRangeError if the
    record at an offset in ``since`` was deleted, or the offset is beyond the end of the log, and the errors of
    ``Consumer`` for a cluster that can't be reached. Reading raises OffsetOutOfRangeError if records of the range are
    deleted before they are read, RequestTimeoutError if no broker answers for a partition within
    ``default.api.timeout.ms``, DeserializationError for a bad value, depending on ``on_error``, and ArrowSchemaError if
    a value has new columns (``Avro(columns="union")``). A scan that was read to its end or closed raises MisuseError.
    """
    if not isinstance(batch_rows, int) or batch_rows < 1:
        raise ValueError(f"batch_rows={batch_rows!r} is not a positive number of rows")
    with require_extra("scan()", "arrow"):
        import pyarrow  # noqa: F401  (before the consumer is created)
    question = question_of(topics, since, until, int(clocks.time() * 1000))
    consumer = Consumer(_groupless(config, settings))
    try:
        to_table = partial(Records.to_arrow, schema=schema, value=value, key=key, on_error=on_error)
        return Scan(consumer, question.ranges(consumer), to_table, batch_rows)
    except BaseException:
        consumer.close()
        raise


def read_arrow(
    topics: Topics,
    config: Mapping[str, object] | ConsumerConfig | None = None,
    *,
    since: Edge = None,
    until: Edge = None,
    schema: pyarrow.Schema | None = None,
    value: ValueFormat | None = None,
    key: ValueFormat | None = None,
    on_error: OnError = "raise",
    **settings: Unpack[ConsumerSettings],
) -> pyarrow.Table:
    """Read part of ``topics`` as one Arrow table, which has to fit into memory.

    Arguments and errors are as in ``scan``.
    """
    groupless = _groupless(config, settings)
    found = scan(topics, groupless, since=since, until=until, schema=schema, value=value, key=key, on_error=on_error)
    with found:
        return found.read_all()


class Scan:
    """A stream of Arrow record batches, to be read once, by one thread at a time.

    ``ranges`` has the offsets to read in each partition, and ``positions`` the offset after the batches read so far:
    ``scan(topics, since=found.positions, until=...)`` continues where this scan stopped.
    """

    def __init__(
        self,
        consumer: Consumer,
        ranges: Mapping[TopicPartition, OffsetRange],
        to_table: Callable[[Records], pyarrow.Table],
        batch_rows: int,
    ) -> None:
        self._is_over = False
        self.ranges = dict(ranges)
        self.positions = {tp: each.start for tp, each in ranges.items()}
        self._consumer = consumer
        self._to_table = to_table
        self._batch_rows = batch_rows
        self._schema = to_table(Records()).schema
        # Arrow's reader has a reference to this scan that the garbage collector can't see. So if a scan had a reader
        # before it is read, or after it was closed, it would never be collected.
        self._reader: pyarrow.RecordBatchReader | None = None

    @property
    def schema(self) -> pyarrow.Schema:
        """The schema of the batches."""
        return self._schema

    def tables(self, max_rows: int = BATCH_ROWS) -> Iterator[pyarrow.Table]:
        """Yield tables of at most ``max_rows``, with ``positions`` after each."""
        self._check_unread()
        try:
            with self._consumer as consumer:
                consumer.assign(self.ranges)
                for records in batches(consumer, max_rows):
                    table = self._to_table(records)
                    self.positions.update(records.next_offsets())
                    yield table
        finally:
            self._end()
        # Offsets without records, such as transaction markers, may follow the last one.
        self.positions.update({tp: max(each.start, each.end) for tp, each in self.ranges.items()})

    def read_all(self) -> pyarrow.Table:
        """Read the remaining records as one table."""
        return self.reader().read_all()

    def reader(self) -> pyarrow.RecordBatchReader:
        """Return the stream as a pyarrow reader, for libraries that accept nothing else."""
        self._check_unread()
        if self._reader is None:
            import pyarrow

            self._reader = pyarrow.RecordBatchReader.from_batches(self._schema, self._batches())
        return self._reader

    def _batches(self) -> Iterator[pyarrow.RecordBatch]:
        for table in self.tables(self._batch_rows):
            yield from _of_schema(table, self._schema).to_batches()

    def close(self) -> None:
        """Stop fetching. Does nothing after the end of the stream, or if called again."""
        self._end()
        self._consumer.close()

    def _end(self) -> None:
        self._is_over, self._reader = True, None

    def _check_unread(self) -> None:
        """Raise MisuseError for a stream that has ended: its reader would get an empty table."""
        if self._is_over:
            raise MisuseError("this scan was read to its end, or closed: call scan() again")

    def __iter__(self) -> Iterator[pyarrow.RecordBatch]:
        return iter(self.reader())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.reader().__arrow_c_stream__(requested_schema)

    def __enter__(self) -> Scan:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _of_schema(table: pyarrow.Table, schema: pyarrow.Schema) -> pyarrow.Table:
    """Return the table, which must have the stream's schema: readers of a stream do not check it."""
    if table.schema != schema:
        raise ArrowSchemaError(
            "a value has a new schema, which changed the columns of the union during the scan; "
            "scan again with the same format, which now has the new columns"
        )
    return table


def _groupless(config: Mapping[str, object] | ConsumerConfig | None, settings: ConsumerSettings) -> ConsumerConfig:
    """The configuration without a group: a scan does not join a group or commit."""
    parsed = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
    return attrs.evolve(
        parsed, group_id=None, group_instance_id=None, group_local_assignors=(), enable_auto_commit=False
    )

"""The data source behind ``format("kafka_nextgen")``: the readers of batch and streaming queries.

``columns`` defines the columns; the user may give a schema that selects some of them.

A reader is created in a driver process, which does the planning; copies of it do the reading in the tasks. A reader
therefore has no connections: planning has its own, and tasks use a consumer that their worker keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    ReadMinRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.spark.catalog_tables import columns_with_options, created_with, options_of_query, refuse_secrets
from kafka_nextgen.spark.columns import Columns, decoding_of
from kafka_nextgen.spark.errors import ReadOnlySourceError

if TYPE_CHECKING:
    import pyarrow as pa

    from kafka_nextgen.spark.options import SourceOptions
    from kafka_nextgen.spark.stream_planner import Document, StreamPlanner

__all__ = [
    "BatchReader",
    "StreamReader",
    "batch_reader",
    "refuse_to_write",
    "schema_of",
    "stream_reader",
]

logger = logger_of(__name__)


def schema_of(options: Mapping[str, str]) -> StructType:
    """Return the columns of a query or of a new table in Spark's catalog, which then carry its options.

    Raises ``KafkaNextgenError`` for options that are invalid in every kind of query.
    """
    created = created_with(options)
    if created is None:
        return _schema_of(options)
    refuse_secrets(created)
    return columns_with_options(_schema_of(created), created)


def _schema_of(options: Mapping[str, str]) -> StructType:
    try:
        parsed = _parsed(options, is_streaming=False)
    except KafkaNextgenError:
        if any(name.lower().startswith("ending") for name in options):
            raise  # a streaming query has no end
        parsed = _parsed(options, is_streaming=True)
    return Columns.of(parsed, decoding_of(parsed, None)).schema


def batch_reader(options: Mapping[str, str], schema: StructType) -> BatchReader:
    """Return a reader of a batch query. Raises ``KafkaNextgenError`` for wrong options."""
    return BatchReader(_parsed(options_of_query(options, schema), is_streaming=False), schema)


def stream_reader(options: Mapping[str, str], schema: StructType) -> StreamReader:
    """Return a reader of a streaming query. Raises ``KafkaNextgenError`` for wrong options."""
    return StreamReader(_parsed(options_of_query(options, schema), is_streaming=True), schema)


def refuse_to_write() -> NoReturn:
    """Raise ``ReadOnlySourceError``."""
    raise ReadOnlySourceError(
        'format("kafka_nextgen") reads Kafka and does not write to it: write with format("kafka"), the built-in '
        "connector of Spark, which is the package org.apache.spark:spark-sql-kafka-0-10"
    )


def _parsed(options: Mapping[str, str], *, is_streaming: bool) -> SourceOptions:
    from kafka_nextgen.spark.options import parse_source_options

    return parse_source_options(options, is_streaming=is_streaming)


class _RangeReader:
    """Logs warnings about the options, and reads planned ranges in tasks."""

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        from kafka_nextgen.spark.reading import ReadSettings  # not needed by load()

        for warning in options.warnings:
            logger.warning(warning)
        decoding = decoding_of(options, schema)
        self._options = options
        self._names = schema.names
        self._settings = ReadSettings(
            kafka=options.kafka,
            schema=Columns.of(options, decoding).arrow_schema(schema),
            rows_per_batch=options.rows_per_batch,
            poll_timeout_s=options.poll_timeout_ms / 1000,
            fail_on_data_loss=options.fail_on_data_loss,
            is_planned_once=options.end is not None,
            decoding=decoding,
        )

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the records of one task. If there are no tasks, Spark calls this with a partition without a value."""
        from kafka_nextgen.spark.reading import read_ranges

        if partition.value is not None:
            for batch in read_ranges(partition.value, self._settings):
                yield batch if batch.schema.names == self._names else batch.rename_columns(self._names)


class BatchReader(_RangeReader, DataSourceReader):
    """Reads the records that exist when the first action of a DataFrame is planned; Spark keeps that plan."""

    def partitions(self) -> Sequence[InputPartition]:
        """Plan the tasks."""
        from kafka_nextgen.spark.batch_planner import plan_batch_query

        return [InputPartition(task) for task in plan_batch_query(self._options)]


class StreamReader(_RangeReader, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads micro-batches in sequence."""

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_planner"}

    @cached_property
    def _planner(self) -> StreamPlanner:
        from kafka_nextgen.spark.cluster import Cluster
        from kafka_nextgen.spark.progress import Progress
        from kafka_nextgen.spark.stream_planner import StreamPlanner

        return StreamPlanner(self._options, Cluster(self._options), Progress(self._options))

    def initialOffset(self) -> Document:  # noqa: N802  (Spark's names, here and below)
        """Where the query starts."""
        return self._planner.initial_offset()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """The rate limit set by the options; Spark can show only one."""
        limits = self._options.trigger_limits
        if limits.max_offsets is not None:
            return ReadMaxRows(limits.max_offsets)
        return ReadAllAvailable() if limits.min_offsets is None else ReadMinRows(limits.min_offsets)

    def latestOffset(self, start: Document, limit: ReadLimit) -> Document:  # noqa: N802
        """Where the next micro-batch ends; a query with ``Trigger.Once`` reads everything."""
        from kafka_nextgen.spark.admission import TriggerLimits

        is_unlimited = isinstance(limit, ReadAllAvailable)
        return self._planner.latest_offset(start, TriggerLimits() if is_unlimited else self._options.trigger_limits)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Read up to the current offsets."""
        self._planner.prepare_for_available_now()

    def reportLatestOffset(self) -> Document | None:  # noqa: N802
        """The latest offsets, for the query's progress."""
        return self._planner.reported_latest()

    def partitions(self, start: Document, end: Document) -> Sequence[InputPartition]:
        """Plan the tasks of a micro-batch."""
        return [InputPartition(task) for task in self._planner.plan(start, end)]

    def commit(self, end: Document) -> None:
        """Do nothing: Spark calls this a batch late, and not for the last batch. See ``progress``."""

    def stop(self) -> None:
        """Close the connections."""
        if "_planner" in self.__dict__:
            self._planner.close()

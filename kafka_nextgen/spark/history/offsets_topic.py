"""Append the events in the records of a cluster's ``__consumer_offsets`` to the dataset.

All records of a group are in one partition of that topic. The meaning of a record depends on those before it, so a task
reads the records of a partition in the order of the log.

A streaming query keeps the last record of each key beside its checkpoint. Each micro-batch reads these known records
before the new ones of their partition, and leaves out their events. A coordinator that loads the log needs nothing
else, which is why the topic can be compacted. Committed offsets are kept only if they have their topic's id (Kafka 4.3
and later), one for each group and topic. The known records therefore grow with groups, members and topics, not with the
log.

There are two copies of the known records, used alternately: a micro-batch that is repeated after a crash starts with
the records known before it, and creates the same events again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
from pyspark.sql import functions as f

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.history.events import Event, SourceKind
from kafka_nextgen.offsets_topic.events import RecordStory, Row
from kafka_nextgen.offsets_topic.extensions import Skipped, decode
from kafka_nextgen.spark.history.appending import Appended, append
from kafka_nextgen.spark.history.dataset import parquet_if_any
from kafka_nextgen.spark.history.decoding import DecodedRow, decoded_batch
from kafka_nextgen.spark.history.ingesting import started
from kafka_nextgen.spark.history.schemas import DECODED, KNOWN_RECORDS, RECORDS, ROWS
from kafka_nextgen.types import TopicId

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["BAD_RECORD", "KNOWN", "ReaderOf", "event_batches", "ingest_offsets_topic", "stream_offsets_topic"]

#: The problem of a record that can't be decoded by its type and version.
BAD_RECORD = "bad record"
#: The directory of known records, in the directory of the checkpoint.
KNOWN = "known-records"
#: The types with which keys of committed offsets begin.
_COMMITS = (b"\x00\x00", b"\x00\x01")
#: The first version of a committed offset that has the topic's id.
_WITH_TOPIC_ID = b"\x00\x04"

#: Returns, for a partition, the function that turns its records into events, from the first record on; see
#: ``RecordStory.tell``.
ReaderOf: TypeAlias = Callable[[int], Callable[[Iterable[Row]], Iterable[Event]]]


def ingest_offsets_topic(
    records: DataFrame,
    path: str,
    *,
    cluster: str = "",
    topics: Mapping[TopicId, str] | None = None,
    run: str = "batch",
) -> Appended:
    """Append the events of all records that the topic contains now to the dataset, each once.

    Args:
        records: The topic ``__consumer_offsets`` from its beginning, as ``format("kafka_nextgen")`` reads it. Set
            ``kafka.isolation.level=read_committed``; otherwise commits of aborted transactions become events as well.
        path: The directory of the dataset.
        cluster: The cluster's id, as in other logs of the cluster.
        topics: The names of topics by id, because records have ids. Events of other topics have the id.
        run: The name of this run in the refusals. A later run with the same name replaces its refusals.
    """
    return append(_events(_records(records), cluster, topics or {}), path, run=run)


def stream_offsets_topic(
    records: DataFrame,
    path: str,
    checkpoint: str,
    *,
    cluster: str = "",
    topics: Mapping[TopicId, str] | Callable[[], Mapping[TopicId, str]] | None = None,
    available_now: bool = False,
    every: str = "1 minute",
    run: str = "offsets",
) -> StreamingQuery:
    """Start a query that appends the events of the offsets topic continuously.

    Args:
        records: The topic as a streaming frame from ``earliest`` on; otherwise as for ``ingest_offsets_topic``.
        path: The directory of the dataset.
        checkpoint: The directory of the query's checkpoint, which also has the known records.
        cluster: The cluster's id, as in other logs of the cluster.
        topics: The names of topics by id, or a function that returns them before each micro-batch.
        available_now: Stop after all records that the topic contains now.
        every: The interval between micro-batches, unless ``available_now``.
        run: The name of the query in the refusals, unique among queries; the number of the micro-batch is added.
    """
    names: dict[TopicId, str] = {}

    def append_batch(batch: DataFrame, number: int) -> None:
        names.update((topics() if callable(topics) else topics) or {})  # keeps the names of deleted topics
        new = batch.persist()
        try:
            known = _known_records(new.sparkSession, checkpoint, number - 1)
            before = known.join(new.select("partition").distinct(), "partition", "left_semi")
            append(_events(before.unionByName(new), cluster, names), path, run=f"{run}-{number}")
            _keep_known(known.unionByName(new), checkpoint, number)
        finally:
            new.unpersist()

    writer = _records(records).writeStream.foreachBatch(append_batch)
    return started(writer, checkpoint, available_now=available_now, every=every)


def _records(records: DataFrame) -> DataFrame:
    at, is_known = f.unix_millis("timestamp").alias("at"), f.lit(False).alias("is_known")
    return records.select("partition", "offset", at, "key", "value", is_known)


def _known_records(spark: SparkSession, checkpoint: str, batch: int) -> DataFrame:
    """Return the records known after this micro-batch, as ``schemas.RECORDS``."""
    kept = parquet_if_any(spark, f"{checkpoint}/{KNOWN}/{batch % 2}", KNOWN_RECORDS)
    if kept is None:
        return spark.createDataFrame([], RECORDS)
    return kept.where(f.col("batch") == batch).drop("batch")


def _keep_known(records: DataFrame, checkpoint: str, batch: int) -> None:
    """Store the latest of these known and new ``schemas.RECORDS`` as those known after this micro-batch."""
    is_commit = f.substring("key", 1, 2).isin(list(map(bytearray, _COMMITS)))
    names_topic = f.substring("value", 1, 2) >= f.lit(bytearray(_WITH_TOPIC_ID))
    group_and_topic = f.expr("substring(key, 1, length(key) - 4)")  # without the partition
    about = f.when(is_commit, group_and_topic).otherwise(f.col("key")).alias("about")
    found = records.where(f.col("key").isNotNull() & (~is_commit | names_topic))
    last = found.groupBy("partition", about).agg(
        f.max_by(f.struct("offset", "at", "key", "value"), "offset").alias("last")
    )
    rows = last.where(f.col("last.value").isNotNull()).select(
        "partition", "last.*", f.lit(True).alias("is_known"), f.lit(batch).cast("long").alias("batch")
    )
    rows.coalesce(1).write.mode("overwrite").parquet(f"{checkpoint}/{KNOWN}/{batch % 2}")


# ---- records to events


def _events(records: DataFrame, cluster: str, topics: Mapping[TopicId, str]) -> DataFrame:
    placed = records.repartition("partition").sortWithinPartitions("partition", "offset")
    reader_of = partial(_reader_of, cluster=cluster, topics=dict(topics))
    return placed.select(*RECORDS.names).mapInArrow(partial(event_batches, reader_of=reader_of), DECODED)


def _reader_of(
    partition: int, cluster: str, topics: Mapping[TopicId, str]
) -> Callable[[Iterable[Row]], Iterable[Event]]:
    return RecordStory(f"{SourceKind.OFFSETS_TOPIC.value}:{partition}", cluster, topics).tell


def event_batches(batches: Iterable[pa.RecordBatch], reader_of: ReaderOf) -> Iterator[pa.RecordBatch]:
    """Convert batches of records, by partition and in log order, to batches of ``schemas.DECODED``."""
    records = (row for batch in batches for row in batch.to_pylist())
    rows: list[DecodedRow] = []
    for partition, of_partition in groupby(records, key=lambda row: row["partition"]):
        read = reader_of(partition)
        for _, batch in groupby(of_partition, key=lambda row: (row["at"], row["is_known"])):
            rows += _decoded_rows(read, list(batch))
            if len(rows) >= ROWS:
                yield decoded_batch(rows)
                rows = []
    if rows:
        yield decoded_batch(rows)


def _decoded_rows(
    read: Callable[[Iterable[Row]], Iterable[Event]], batch: Sequence[dict[str, Any]]
) -> Iterator[DecodedRow]:
    """Yield the events of one batch of the log. It is read as a whole, because a cause is written after its effect."""
    is_known, partition = batch[0]["is_known"], batch[0]["partition"]
    decoded: list[Row] = []
    for row in batch:
        try:
            record = decode(row["key"], row["value"])
        except DecodeError as error:
            if not is_known:
                yield None, BAD_RECORD, str(error), f"__consumer_offsets-{partition} at offset {row['offset']}"
            continue
        if not isinstance(record, Skipped):
            decoded.append(Row(row["offset"], row["at"], record))
    for event in read(decoded):
        if not is_known:
            yield event, None, None, f"__consumer_offsets-{partition}"

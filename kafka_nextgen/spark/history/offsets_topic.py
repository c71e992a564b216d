"""The records of a real cluster's ``__consumer_offsets`` into the dataset, as events of their groups.

The records of a group are all in one partition of that topic. What one of them means depends on those before it, so a
task goes over the records of a partition in the order of the log.

A streaming query has to know, in each micro-batch, what the log said before: ``known_records.py`` keeps that. These
records are gone over before the new ones of their partition, and their events are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import pyarrow as pa
from pyspark.sql import functions as f

from kafka_nextgen.bridge.extensions.offsets_topic import Skipped, decode
from kafka_nextgen.bridge.offsets_topic.events import RecordStory, Row
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.history.events import Event, SourceKind
from kafka_nextgen.spark.history.appending import Appended, append
from kafka_nextgen.spark.history.batches import ROWS
from kafka_nextgen.spark.history.decoding import Rows
from kafka_nextgen.spark.history.ingesting import started
from kafka_nextgen.spark.history.known_records import keep_known, known_records
from kafka_nextgen.spark.history.schemas import DECODED, RECORDS
from kafka_nextgen.types import TopicId

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = [
    "BAD_RECORD",
    "Story",
    "StoryOf",
    "ingest_offsets_topic",
    "stream_offsets_topic",
    "told",
    "told_batches",
]

#: The problem of a record that is not what its type and version say.
BAD_RECORD = "bad record"


class Story(Protocol):
    """What the records of one partition of the offsets topic tell, in the order of the log, as ``RecordStory`` does."""

    def tell(self, rows: Iterable[Row]) -> Iterable[Event]:
        """The events that the records of one or several batches come to."""


#: Makes the story of a partition of the offsets topic, from its first record on.
StoryOf: TypeAlias = Callable[[int], Story]


def ingest_offsets_topic(
    records: DataFrame,
    path: str,
    *,
    cluster: str = "",
    topics: Mapping[TopicId, str] | None = None,
    run: str = "batch",
) -> Appended:
    """Append the events of all records that are in the topic now to the dataset, each once.

    Args:
        records: The topic ``__consumer_offsets`` from its beginning, as ``format("kafka_nextgen")`` reads it; with
            ``kafka.isolation.level=read_committed``, or commits of aborted transactions are told as well.
        path: The directory of the dataset.
        cluster: The cluster's id, as other logs of it have it.
        topics: Names of topics by their ids, which records have; a topic without a name is told by its id.
        run: Names this run among refusals; those of a later run of that name replace them.
    """
    return append(told(_records(records), _story_of(cluster, topics)), path, run=run)


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
    """Start a query that appends the events of the offsets topic while they come.

    Args:
        records: The topic as a streaming frame, from ``earliest`` on.
        path: The directory of the dataset.
        checkpoint: The directory of the query's checkpoint; what is known of groups is kept there, too.
        cluster: The cluster's id, as other logs of it have it.
        topics: Names of topics by their ids, which records have; or what gives them, before each micro-batch. A topic
            without a name is told by its id.
        available_now: End when all that is there now is done.
        every: How often there is a micro-batch, unless ``available_now``.
        run: Names the query among refusals, with the number of the micro-batch; another for each query.
    """
    names: dict[TopicId, str] = {}

    def append_batch(batch: DataFrame, number: int) -> None:
        names.update((topics() if callable(topics) else topics) or {})  # those of deleted topics stay
        new = batch.persist()
        try:
            known = known_records(new.sparkSession, checkpoint, number - 1)
            before = known.join(new.select("partition").distinct(), "partition", "left_semi")
            append(told(before.unionByName(new), _story_of(cluster, names)), path, run=f"{run}-{number}")
            keep_known(known.unionByName(new), checkpoint, number)
        finally:
            new.unpersist()

    writer = _records(records).writeStream.foreachBatch(append_batch)
    return started(writer, checkpoint, available_now=available_now, every=every)


def _story_of(cluster: str, topics: Mapping[TopicId, str] | None) -> StoryOf:
    return partial(_record_story, cluster=cluster, topics=dict(topics or {}))


def _record_story(partition: int, cluster: str, topics: Mapping[TopicId, str]) -> Story:
    return RecordStory(f"{SourceKind.OFFSETS_TOPIC.value}:{partition}", cluster, topics)


def _records(records: DataFrame) -> DataFrame:
    at, is_known = f.unix_millis("timestamp").alias("at"), f.lit(False).alias("is_known")
    return records.select("partition", "offset", at, "key", "value", is_known)


# ---- records to events


def told(records: DataFrame, story_of: StoryOf) -> DataFrame:
    """Records to ``schemas.DECODED``."""
    placed = records.repartition("partition").sortWithinPartitions("partition", "offset")
    return placed.select(*RECORDS.names).mapInArrow(partial(told_batches, story_of=story_of), DECODED)


def told_batches(batches: Iterable[pa.RecordBatch], story_of: StoryOf) -> Iterator[pa.RecordBatch]:
    """Batches of records, partition by partition and in the order of the log, to batches of ``schemas.DECODED``."""
    records = (row for batch in batches for row in batch.to_pylist())
    rows = Rows()
    for partition, of_partition in groupby(records, key=lambda row: row["partition"]):
        story = story_of(partition)
        for _, batch in groupby(of_partition, key=lambda row: (row["at"], row["is_known"])):
            _tell(story, list(batch), rows)
            if len(rows.events) >= ROWS:
                yield rows.batch()
                rows = Rows()
    if rows.events:
        yield rows.batch()


def _tell(story: Story, batch: Sequence[dict[str, Any]], rows: Rows) -> None:
    """Tell the records of one batch of the log, which have one timestamp: a cause is written behind its effect."""
    is_known, partition = batch[0]["is_known"], batch[0]["partition"]
    decoded: list[Row] = []
    for row in batch:
        try:
            record = decode(row["key"], row["value"])
        except DecodeError as error:
            if not is_known:
                rows.add(None, BAD_RECORD, str(error), f"__consumer_offsets-{partition} at offset {row['offset']}")
            continue
        if not isinstance(record, Skipped):
            decoded.append(Row(row["offset"], row["at"], record))
    for event in story.tell(decoded):
        if not is_known:
            rows.add(event, None, None, f"__consumer_offsets-{partition}")

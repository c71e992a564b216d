"""What the offsets topic said before a micro-batch: the last record of each key, beside the query's checkpoint.

A coordinator that loads the log needs no more, which is why the topic is compacted. Of committed offsets only those
are kept that name a topic by its id (Kafka 4.3 and later), one for each group and topic. So what is kept grows with
groups, members and topics, not with records.

Two copies take turns: a micro-batch that is repeated after a crash begins with what was known before it, and makes the
same events again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from kafka_nextgen.spark.history.dataset import parquet_if_any
from kafka_nextgen.spark.history.schemas import KNOWN_RECORDS, RECORDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["KNOWN", "keep_known", "known_records"]

#: Where they are, in the directory of the checkpoint.
KNOWN = "known-records"

#: Keys of committed offsets begin with one of these types.
_COMMITS = (b"\x00\x00", b"\x00\x01")
#: The first version of a committed offset that has the topic's id.
_WITH_TOPIC_ID = b"\x00\x04"


def known_records(spark: SparkSession, checkpoint: str, batch: int) -> DataFrame:
    """What was known at the end of this micro-batch, as ``schemas.RECORDS``; nothing if it left nothing."""
    kept = parquet_if_any(spark, f"{checkpoint}/{KNOWN}/{batch % 2}", KNOWN_RECORDS)
    if kept is None:
        return spark.createDataFrame([], RECORDS)
    return kept.where(f.col("batch") == batch).drop("batch")


def keep_known(records: DataFrame, checkpoint: str, batch: int) -> None:
    """Keep what these ``schemas.RECORDS``, known and new, come to at the end of this micro-batch."""
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

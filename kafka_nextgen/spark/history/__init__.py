"""The rebalance history of many groups on Spark: event logs in a Parquet dataset, and questions about it.

``ingest`` and ``ingest_stream`` append event logs to a dataset, each event once. ``History`` answers questions about
it with DataFrames. Both use the functions of ``kafka_nextgen.history``, so answers are the same as without Spark.
"""

from __future__ import annotations

from kafka_nextgen.spark.history.appending import Appended, append
from kafka_nextgen.spark.history.asking import History
from kafka_nextgen.spark.history.ingesting import ingest, ingest_stream
from kafka_nextgen.spark.history.offsets_topic import ingest_offsets_topic, stream_offsets_topic
from kafka_nextgen.spark.history.schemas import EVENTS

__all__ = [
    "EVENTS",
    "Appended",
    "History",
    "append",
    "ingest",
    "ingest_offsets_topic",
    "ingest_stream",
    "stream_offsets_topic",
]

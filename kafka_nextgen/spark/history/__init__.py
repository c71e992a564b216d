"""The rebalance history of any number of groups, on Spark: event logs into Parquet, and answers as DataFrames.

``ingest`` and ``ingest_stream`` bring event logs into one Parquet dataset, each event once. ``History`` answers what
people on call ask of it. Both run the functions of ``kafka_nextgen.history``, so that answers are the same as without
Spark.
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

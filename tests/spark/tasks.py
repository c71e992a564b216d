"""What a task is told, without Spark, and what it reads."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from kafka_nextgen.spark import kept_consumers
from kafka_nextgen.spark.kafka_options import read_kafka_options
from kafka_nextgen.spark.reading import ReadSettings
from kafka_nextgen.testing import Cluster

SCHEMA = pa.schema([("offset", pa.int64()), ("value", pa.binary())])


def settings(cluster: Cluster, *, fail_on_data_loss: bool = True, api_timeout_ms: int = 60_000) -> ReadSettings:
    told = {"bootstrap.servers": cluster.bootstrap_servers, "default.api.timeout.ms": str(api_timeout_ms)}
    return ReadSettings(read_kafka_options(told), SCHEMA, 30, 60.0, fail_on_data_loss)


def offsets(batches: Iterable[pa.RecordBatch]) -> list[int]:
    return [offset for batch in batches for offset in batch["offset"].to_pylist()]


def close_kept_consumers() -> None:
    for consumer in kept_consumers._KEPT.values():
        consumer.close()
    kept_consumers._KEPT.clear()

"""One task of the Spark data source, read step by step, while its brokers or its log change."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pytest

from kafka_nextgen.spark.kafka_options import read_kafka_options
from kafka_nextgen.spark.reading import ReadSettings, read_ranges
from kafka_nextgen.spark.values import PartitionRange
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.messages import FetchRequest
from tests.engine.stage import SETTINGS, TOPIC, Stage
from tests.spark.tasks import close_kept_consumers
from tests.support.waiting import GUARD_S

SCHEMA = pa.schema([("offset", pa.int64())])
RECORDS = 100
NODES = {**SETTINGS, "default.replication.factor": 2}


@contextmanager
def two_nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A hundred records in batches of ten, on two nodes; each fetch brings one batch."""
    with Cluster(brokers=2, config=NODES) as cluster:
        made = Stage(cluster, monkeypatch)
        made.create(records=RECORDS)
        yield made
        close_kept_consumers()


def settings(stage: Stage, *, lenient: bool = False, timeout_s: float = GUARD_S, **kafka: str) -> ReadSettings:
    told = {
        "bootstrap.servers": stage.cluster.bootstrap_servers,
        "max.partition.fetch.bytes": "100",
        "retry.backoff.ms": "20",
        **{key.replace("_", "."): value for key, value in kafka.items()},
    }
    return ReadSettings(read_kafka_options(told), SCHEMA, 10, timeout_s, not lenient)


def reading(start: int, end: int, told: ReadSettings, topic_id: TopicId | None = None) -> Iterator[int]:
    """The offsets that a task reads, one after the other."""
    for batch in read_ranges([PartitionRange(TOPIC, 0, start, end, topic_id)], told):
        yield from batch["offset"].to_pylist()


def first(count: int, offsets: Iterator[int]) -> list[int]:
    return [next(offsets) for _ in range(count)]


@contextmanager
def held_back(stage: Stage, offset: int) -> Iterator[None]:
    """Answer no fetch from that offset on as long as this lasts."""
    original, is_over = stage.original(FETCH), threading.Event()

    async def handle(request: FetchRequest, context: Context) -> object:
        asked = [each.fetch_offset for topic in request.topics for each in topic.partitions]
        while max(asked, default=0) >= offset and not is_over.is_set():
            await asyncio.sleep(0.005)
        return await original(request, context)

    stage.handle(FETCH, handle)
    yield
    is_over.set()

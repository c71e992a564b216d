"""What a range in the middle of a partition costs: the bytes of all answers to fetches, through a proxy that counts.

Clients reach the broker by the proxy only, which the broker names as its address.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from attrs import define, frozen
from pyspark.sql import SparkSession

from benchmarks.consuming.fill import Filling, fill
from benchmarks.kafka import create_topic
from benchmarks.spark_queries.sources import Source
from kafka_nextgen.wire.records.batch_header import read_header

__all__ = ["Fetched", "Proxied", "Range", "behind_a_proxy", "count_bytes", "make_range", "sizes_of_batches"]

_FETCH = 1  # its API key


@frozen
class Range:
    """Records ``begin`` to ``end``, exclusive, of partition 0 of a topic, and the bytes of each batch with any of them.

    A broker sends whole batches, and a range seldom begins or ends where one does.
    """

    topic: str
    begin: int
    end: int
    batches: tuple[int, ...]

    @property
    def least_bytes(self) -> int:
        """The least that may be fetched."""
        return sum(self.batches)

    @property
    def batch_bytes(self) -> float:
        """What a batch has."""
        return self.least_bytes / len(self.batches)


@frozen
class Fetched:
    """Answers to fetches, and their bytes."""

    answers: int
    wire_bytes: int


@define
class Proxied:
    """The servers to connect to, and what has been fetched from them."""

    bootstrap_servers: str = ""
    answers: int = 0
    wire_bytes: int = 0


@contextmanager
def behind_a_proxy(version: str) -> Iterator[Proxied]:
    """Run a broker of Kafka ``version`` behind a proxy that counts what is fetched."""
    from tests.support.capturing_proxy import Captured, CapturingProxy
    from tests.verification.fuzz.recording.kafka import listened_kafka

    proxied = Proxied()

    def look(frame: Captured) -> None:
        if frame.api_key == _FETCH and not frame.is_request:
            proxied.answers += 1
            proxied.wire_bytes += len(frame.frame)

    proxy = CapturingProxy(look)
    try:
        with listened_kafka(version, proxy) as listened:
            proxied.bootstrap_servers = listened.servers
            yield proxied
    finally:
        proxy.stop()


def make_range(bootstrap_servers: str, records: int, length: int, value_bytes: int, batch_bytes: int) -> Range:
    """Fill a topic of one partition, and take ``length`` records in its middle."""
    name = create_topic(bootstrap_servers, 1, name="range")
    filled = fill(Filling(bootstrap_servers, name, 1, records, value_bytes, "none", batch_bytes))
    begin = (records - length) // 2
    found = fetched(bootstrap_servers, name, begin, most_bytes=2 * filled.wire_bytes)
    return Range(name, begin, begin + length, sizes_of_batches(found, begin + length))


def fetched(bootstrap_servers: str, topic: str, begin: int, most_bytes: int) -> bytes:
    """What a broker has of partition 0 from the batch with ``begin`` on."""
    from tests.testing.broker.client import Client
    from tests.testing.broker.requests import by_name_fetch

    with Client(bootstrap_servers) as client:
        (answer,) = by_name_fetch(client, topic, begin, max_bytes=most_bytes, partition_max_bytes=most_bytes)
    return bytes(answer.records)


def sizes_of_batches(data: bytes, end: int) -> tuple[int, ...]:
    """The bytes of each batch that begins before offset ``end``. Raises RuntimeError if ``data`` ends before that."""
    sizes, view = list[int](), memoryview(data)
    while (header := read_header(view, sum(sizes))) is not None:
        if header.base_offset >= end:
            return tuple(sizes)
        sizes.append(header.size)
    raise RuntimeError(f"the {len(data)} bytes that were fetched do not lead to offset {end}")


def count_bytes(spark: SparkSession, source: Source, proxied: Proxied, part: Range) -> Fetched:
    """Read the range once. Raises RuntimeError if it did not see each record once."""
    before = (proxied.answers, proxied.wire_bytes)
    ends = {
        "startingOffsets": json.dumps({part.topic: {"0": part.begin}}),
        "endingOffsets": json.dumps({part.topic: {"0": part.end}}),
        "kafka.bootstrap.servers": proxied.bootstrap_servers,
        "assign": json.dumps({part.topic: [0]}),
    }
    seen = spark.read.format(source.format).options(**{**source.tuning, **ends}).load().count()
    if seen != part.end - part.begin:
        raise RuntimeError(f"{source.name} read {seen} records of {part}")
    return Fetched(proxied.answers - before[0], proxied.wire_bytes - before[1])


def measure_ranges(
    spark: SparkSession, sources: Sequence[Source], proxied: Proxied, part: Range
) -> Mapping[Source, Fetched]:
    """The range by each source, the second time: what it takes the first time to know a broker is left out."""
    for source in sources:
        count_bytes(spark, source, proxied, part)
    return {source: count_bytes(spark, source, proxied, part) for source in sources}

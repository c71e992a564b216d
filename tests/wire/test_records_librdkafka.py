"""Both ways against librdkafka, which has all four codecs of its own; its mock cluster keeps the batches."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from io import BufferedRWPair
from typing import Any

import pytest
from attrs import field, frozen
from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as Assigned

from kafka_nextgen.requests.fetch import FetchLimits, FetchPosition, to_request
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.apis import FETCH, PRODUCE, Api
from kafka_nextgen.wire.frames import decode_response, encode_request
from kafka_nextgen.wire.messages import ProduceRequest
from kafka_nextgen.wire.records import (
    Columns,
    Compression,
    NewRecord,
    RecordLimits,
    decode_partition,
    encode_batch,
    read_batches,
)
from tests.support.waiting import GUARD_S

VALUES = [b"value %d " % i * 10 for i in range(2000)]
CODECS = pytest.mark.parametrize("codec", list(Compression))


@frozen
class MockCluster:
    """One mock broker, alive as long as ``owner`` is, and a plain connection to it."""

    servers: str
    stream: BufferedRWPair
    owner: Producer = field(repr=False)

    def call(self, api: Api, message: Any, version: int) -> Any:
        self.stream.write(encode_request(message, version, 1, "test"))
        self.stream.flush()
        (size,) = struct.unpack(">i", self.stream.read(4))
        return decode_response(api, version, self.stream.read(size))[1]

    def fetch(self, topic: str, offset: int) -> bytes:
        position = FetchPosition(TopicPartition(topic, 0), None, offset, max_bytes=10_000_000)
        answer = self.call(FETCH, to_request([position], FetchLimits(max_wait_ms=100, isolation_level=0), 11), 11)
        return bytes(answer.responses[0].partitions[0].records or b"")


@pytest.fixture(scope="module")
def cluster() -> Iterator[MockCluster]:
    owner = Producer({"bootstrap.servers": "replaced by the mock", "test.mock.num.brokers": 1, "log_level": 0})
    (broker,) = owner.list_topics(timeout=GUARD_S).brokers.values()
    connection = socket.create_connection((broker.host, broker.port), timeout=GUARD_S)
    with connection, connection.makefile("rwb") as stream:
        yield MockCluster(f"{broker.host}:{broker.port}", stream, owner)


def produce(cluster: MockCluster, topic: str, codec: Compression, values: list[bytes]) -> None:
    producer = Producer(
        {"bootstrap.servers": cluster.servers, "compression.type": codec.name.lower(), "linger.ms": 100}
    )
    for value in values:
        producer.produce(topic, value, key=b"key", headers=[("h", b"1"), ("h", None)], partition=0)
    assert producer.flush(GUARD_S) == 0


def read_all(cluster: MockCluster, topic: str, codec: Compression, count: int) -> list[Columns]:
    """Fetch until ``count`` records came; every batch must be of this codec."""
    read: list[Columns] = []
    while sum(map(len, read)) < count:
        offset = read[-1].next_offset if read else 0
        data = cluster.fetch(topic, offset)
        assert {batch.header.codec for batch in read_batches(data)} == {codec}
        read.append(decode_partition(data, TopicPartition(topic, 0), offset, RecordLimits()))
    return read


@CODECS
def test_we_read_what_librdkafka_writes(cluster: MockCluster, codec: Compression) -> None:
    topic = f"theirs-{codec.name.lower()}"
    produce(cluster, topic, codec, VALUES)
    read = read_all(cluster, topic, codec, len(VALUES))
    assert [value for columns in read for value in columns.values] == VALUES
    assert [offset for columns in read for offset in columns.offsets] == list(range(len(VALUES)))
    assert {headers for columns in read for headers in columns.headers or ()} == {(("h", b"1"), ("h", None))}


@CODECS
def test_librdkafka_reads_what_we_write(cluster: MockCluster, codec: Compression) -> None:
    topic = f"ours-{codec.name.lower()}"
    produce(cluster, topic, codec, [b"makes the topic"])
    batch = encode_batch([NewRecord(value, timestamp=1_700_000_000_000) for value in VALUES], codec)
    data = ProduceRequest.TopicProduceData
    partitions = [data.PartitionProduceData(index=0, records=batch)]
    request = ProduceRequest(
        transactional_id=None,
        acks=-1,
        timeout_ms=30_000,
        topic_data=[data(name=topic, partition_data=partitions)],
    )
    cluster.call(PRODUCE, request, 7)
    consumer = Consumer({"bootstrap.servers": cluster.servers, "group.id": "test", "check.crcs": True})
    consumer.assign([Assigned(topic, 0, 1)])
    messages = consumer.consume(len(VALUES), GUARD_S)
    consumer.close()
    assert [message.error() for message in messages if message.error()] == []
    assert [message.value() for message in messages] == VALUES

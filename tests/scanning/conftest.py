"""A topic of three partitions with 30 orders, one for each minute of an hour ago."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from confluent_kafka import Producer

from kafka_nextgen.testing import Cluster
from tests.values.decoding import encoded

ORDER = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}
#: When the first order was written, in milliseconds since the epoch: 2026-11-26T14:00:00Z.
FIRST_MS = 1_795_701_600_000
MINUTE_MS = 60_000


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster() as cluster:
        cluster.create_topic("orders", 3)
        cluster.create_topic("empty", 1)
        write_orders(cluster.bootstrap_servers, range(30))
        yield cluster.bootstrap_servers


def avro(number: int) -> bytes:
    return encoded(ORDER, {"id": number})


def write_orders(servers: str, numbers: range, value_of: Callable[[int], bytes] = avro, partitions: int = 3) -> None:
    producer = Producer({"bootstrap.servers": servers})
    for number in numbers:
        value = value_of(number)
        producer.produce("orders", value, partition=number % partitions, timestamp=FIRST_MS + number * MINUTE_MS)
    assert producer.flush() == 0

"""A partition that loses its leader during a scan: the scan continues with a new leader, or fails without one."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from confluent_kafka import Producer

import kafka_nextgen
from kafka_nextgen import RequestTimeoutError, TopicPartition
from kafka_nextgen.scanning import Scan
from kafka_nextgen.testing import Clock, Cluster
from tests.support.waiting import GUARD_S

RECORDS = 100
SMALL = {"fetch_buffer_bytes": 20_000, "fetch_max_bytes": 10_000, "max_partition_fetch_bytes": 10_000}


class Reading:
    """A scan whose first records were read, and the leader of its partition, which has no other replica."""

    def __init__(self, cluster: Cluster, found: Scan, pool: ThreadPoolExecutor) -> None:
        self.cluster, self.found, self._pool = cluster, found, pool
        self._batches = iter(found)
        self.rows = next(self._batches).num_rows
        leader = cluster.leader_of("orders", 0)
        assert leader is not None
        self.leader = leader

    def read_on(self) -> Future[int]:
        """Read the rest in another thread, and return the number of all rows."""
        return self._pool.submit(lambda: self.rows + sum(batch.num_rows for batch in self._batches))


@pytest.fixture
def reading() -> Iterator[Reading]:
    with Cluster(brokers=2, clock=Clock()) as cluster, ThreadPoolExecutor() as pool:
        cluster.create_topic("orders")
        producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "batch.num.messages": 1})
        for _ in range(RECORDS):
            producer.produce("orders", bytes(2_000))
        assert producer.flush(GUARD_S) == 0
        with kafka_nextgen.scan("orders", bootstrap_servers=cluster.bootstrap_servers, batch_rows=5, **SMALL) as found:
            yield Reading(cluster, found, pool)


def test_a_scan_goes_on_soon_after_its_partition_has_a_leader_again(reading: Reading) -> None:
    cluster = reading.cluster
    cluster.stop_node(reading.leader)
    assert cluster.leader_of("orders", 0) is None
    rest = reading.read_on()
    cluster.advance(seconds=50)
    assert not rest.done()
    cluster.start_node(reading.leader)
    cluster.advance(seconds=5)
    assert rest.result(GUARD_S) == RECORDS


def test_a_scan_fails_if_its_partition_has_no_leader_for_default_api_timeout_ms(reading: Reading) -> None:
    reading.cluster.stop_node(reading.leader)
    rest = reading.read_on()
    reading.cluster.advance(seconds=65)
    why = r"no fetch of orders\[0\] was answered for 60 seconds \(default\.api\.timeout\.ms\): a partition may"
    with pytest.raises(RequestTimeoutError, match=why):
        rest.result(GUARD_S)
    position = reading.found.positions[TopicPartition("orders", 0)]
    assert reading.rows <= position < RECORDS, "the next scan continues from here"


def test_a_slow_reader_is_not_mistaken_for_a_partition_without_answers(reading: Reading) -> None:
    """Nothing is fetched while the buffers are full."""
    reading.cluster.advance(seconds=200)
    rest = reading.read_on()
    reading.cluster.advance(seconds=5)
    assert rest.result(GUARD_S) == RECORDS

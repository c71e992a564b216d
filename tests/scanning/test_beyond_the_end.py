"""Offsets of ``since`` beyond the end of the log: records were lost, or the topic was created again."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from confluent_kafka import Producer

import kafka_nextgen
from kafka_nextgen import OffsetOutOfRangeError, TopicPartition
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.partition_results import PartitionResults
from kafka_nextgen.testing import Cluster
from kafka_nextgen.transport.offset_lookup import OffsetAndTimestamp
from kafka_nextgen.values import Avro
from tests.scanning.conftest import FIRST_MS, ORDER, write_orders
from tests.support.clients import delete_topic
from tests.support.waiting import GUARD_S

ONE = TopicPartition("orders", 0)


def read(servers: str, topics: Any = "orders", **more: Any) -> list[int]:
    table = kafka_nextgen.read_arrow(topics, bootstrap_servers=servers, value=Avro(ORDER), **more)
    return sorted(table["id"].to_pylist())


BEYOND = (
    r"since is beyond the end of the log: orders\[0\] ends at offset 10, and since has 11\. The log was truncated, or "
    r"the topic deleted and created again\. To read the existing records, leave these partitions out of since"
)


@pytest.mark.parametrize("until", [None, {ONE: 12}, {}, FIRST_MS])
@pytest.mark.parametrize("reset", ["latest", "earliest", "none"])
def test_an_offset_of_since_beyond_the_end_of_the_log_is_an_error(servers: str, until: Any, reset: str) -> None:
    for call in (kafka_nextgen.scan, kafka_nextgen.read_arrow):
        with pytest.raises(OffsetOutOfRangeError, match=BEYOND) as caught:
            call("orders", bootstrap_servers=servers, since={ONE: 11}, until=until, auto_offset_reset=reset)
        assert (caught.value.partition, caught.value.code) == (ONE, ErrorCode.OFFSET_OUT_OF_RANGE)
        assert isinstance(pickle.loads(pickle.dumps(caught.value)), OffsetOutOfRangeError)


def test_all_partitions_beyond_the_end_are_named(servers: str) -> None:
    where = r"orders\[0\] ends at offset 10, and since has 12, orders\[2\] ends at offset 10, and since has 11\."
    with pytest.raises(OffsetOutOfRangeError, match=where):
        read(servers, since={TopicPartition("orders", 2): 11, ONE: 12, TopicPartition("orders", 1): 10})


def test_the_end_of_the_log_and_an_empty_range_beyond_it_are_no_error(servers: str) -> None:
    assert read(servers, topics=ONE, since={ONE: 10}) == []
    assert read(servers, topics=ONE, since={ONE: 11}, until={ONE: 11}) == []


def test_the_positions_of_a_topic_that_was_created_again_with_fewer_records_are_an_error() -> None:
    with Cluster() as cluster:
        for count in (10, 4):
            cluster.create_topic("orders", 1)
            write_orders(cluster.bootstrap_servers, range(count), partitions=1)
            if count == 10:
                with kafka_nextgen.scan("orders", bootstrap_servers=cluster.bootstrap_servers) as first:
                    first.read_all()
                delete_topic(cluster.bootstrap_servers, "orders")
        with pytest.raises(OffsetOutOfRangeError, match=r"orders\[0\] ends at offset 4, and since has 10\."):
            read(cluster.bootstrap_servers, since=first.positions)


def test_records_that_are_written_while_a_time_is_looked_up_are_not_beyond_the_end(
    servers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def later(consumer: object, timestamps: Any) -> PartitionResults[OffsetAndTimestamp]:
        return PartitionResults({tp: OffsetAndTimestamp(15, FIRST_MS) for tp in timestamps})

    monkeypatch.setattr(kafka_nextgen.Consumer, "offsets_for_times", later)
    assert read(servers, since=FIRST_MS) == []


def test_an_offset_after_an_open_transaction_is_in_the_log() -> None:
    """A scan with read_uncommitted can end after the last record that read_committed can read."""
    with Cluster() as cluster:
        cluster.create_topic("orders", 1)
        producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "transactional.id": "t"})
        producer.init_transactions(GUARD_S)
        producer.begin_transaction()
        producer.produce("orders", b"v")
        assert producer.flush(GUARD_S) == 0
        committed = {"bootstrap_servers": cluster.bootstrap_servers, "isolation_level": "read_committed"}
        with kafka_nextgen.scan("orders", since={ONE: 1}, **committed) as found:
            assert found.read_all().num_rows == 0
        assert found.positions == {ONE: 1}
        with pytest.raises(OffsetOutOfRangeError, match=r"orders\[0\] ends at offset 1, and since has 2\."):
            kafka_nextgen.scan("orders", since={ONE: 2}, **committed)

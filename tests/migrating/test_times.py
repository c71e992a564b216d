"""What offsets_for_times returns where no record is that late: the guides say so, since it is not None here."""

from __future__ import annotations

from kafka_nextgen import Consumer, OffsetAndTimestamp, TopicPartition
from kafka_nextgen.testing import Cluster
from tests.support.peers import installed

FAR_MS = 1 << 42


def test_after_all_records_there_is_an_offset_of_minus_one_and_kafka_python_has_none() -> None:
    kafka = installed("kafka")
    with Cluster() as cluster:
        cluster.create_topic("orders")
        cluster.produce("orders", "the last order")
        with Consumer(bootstrap_servers=cluster.bootstrap_servers) as consumer:
            partition = TopicPartition("orders", 0)
            assert consumer.offsets_for_times({partition: FAR_MS}) == {partition: OffsetAndTimestamp(-1, -1, -1)}
        theirs = kafka.KafkaConsumer(bootstrap_servers=cluster.bootstrap_servers)
        assert theirs.offsets_for_times({kafka.TopicPartition("orders", 0): FAR_MS}) == {("orders", 0): None}
        theirs.close()

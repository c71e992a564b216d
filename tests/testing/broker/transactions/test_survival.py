"""Offsets in an open transaction, while the group's coordinator moves and the broker ends and starts again."""

from __future__ import annotations

from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import OffsetFetchRequest
from tests.endtoend.broker_process import BrokerProcess
from tests.endtoend.patience import ask_patiently
from tests.support.clients import create_topic
from tests.support.plain_messages import message_of
from tests.support.waiting import GUARD_S
from tests.testing.broker.client import Client
from tests.testing.broker.transactions.offset_transactions import GROUP, NAME, TOPIC, begin, end

UNSTABLE = (ErrorCode.UNSTABLE_OFFSET_COMMIT, -1)


def told(client: Client) -> tuple[int, int]:
    """The error and the offset that are told of the partition to those who want stable offsets."""
    asked = {"group_id": GROUP, "member_id": None, "topics": [{"name": TOPIC, "partition_indexes": [0]}]}
    request = message_of(OffsetFetchRequest, groups=[asked], require_stable=True)
    answer = ask_patiently(client, apis.OFFSET_FETCH, request, 9, lambda answer: answer.groups[0].error_code)
    (partition,) = answer.groups[0].topics[0].partitions
    return partition.error_code, partition.committed_offset


@pytest.mark.parametrize(("is_commit", "offset"), [(True, 7), (False, -1)])
def test_a_coordinator_that_takes_over_knows_them(is_commit: bool, offset: int) -> None:
    with Cluster(brokers=2, config={"offsets.topic.replication.factor": 2}) as cluster:
        cluster.create_topic(TOPIC, 1)
        first, second = (Client(server) for server in cluster.bootstrap_servers.split(","))
        cluster.move_coordinator(GROUP, 1)
        with first, second:
            producer = begin(first, 7)
            assert told(first) == UNSTABLE
            cluster.move_coordinator(GROUP, 2)
            assert told(second) == UNSTABLE
            end(first, producer, is_commit)
            assert told(second) == (ErrorCode.NONE, offset)
            cluster.move_coordinator(GROUP, 1)
            assert told(first) == (ErrorCode.NONE, offset)


@pytest.mark.parametrize(("is_commit", "offset"), [(True, 7), (False, -1)])
def test_a_broker_that_starts_again_knows_them(tmp_path: Path, is_commit: bool, offset: int) -> None:
    with Cluster(data_dir=tmp_path) as cluster, Client(cluster.bootstrap_servers) as client:
        cluster.create_topic(TOPIC, 1)
        producer = begin(client, 7)
    with Cluster(data_dir=tmp_path) as cluster, Client(cluster.bootstrap_servers) as client:
        assert told(client) == UNSTABLE
        end(client, producer, is_commit)
        assert told(client) == (ErrorCode.NONE, offset)
    with Cluster(data_dir=tmp_path) as cluster, Client(cluster.bootstrap_servers) as client:
        assert told(client) == (ErrorCode.NONE, offset)


def test_librdkafka_goes_on_when_the_broker_was_killed_and_started_again(tmp_path: Path) -> None:
    with BrokerProcess(tmp_path / "data") as broker:
        topic = create_topic(broker.bootstrap_servers, TOPIC)
        quiet = {"bootstrap.servers": broker.bootstrap_servers, "log_level": 0, "reconnect.backoff.max.ms": 100}
        # Where brokers are looked up anew, librdkafka 2.16 waits for ever for the one it sent offsets to before.
        producer = Producer({**quiet, "transactional.id": NAME, "metadata.recovery.strategy": "none"})
        producer.init_transactions(GUARD_S)
        consumer = Consumer({**quiet, "group.id": GROUP})
        for offset in (5, 7):
            producer.begin_transaction()
            producer.produce(topic, b"moved")
            offsets = [TopicPartition(topic, 0, offset)]
            producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata(), GUARD_S)
            producer.commit_transaction(GUARD_S)
            assert [at.offset for at in consumer.committed(offsets, GUARD_S)] == [offset]
            if offset == 5:
                broker.kill()
                broker.start()
        consumer.close()

"""TxnOffsetCommit, as the newest Kafka has it: topics by id, and the errors of member epochs (KIP-1319)."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import FindCoordinatorRequest, TxnOffsetCommitRequest
from tests.broker.client import Client
from tests.broker.group_requests import heartbeat
from tests.broker.requests import topic_id_of
from tests.endtoend.patience import ask_patiently, begin_transactional_id
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer

_Topic = TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic


@pytest.fixture
def topic_id(kafka: KafkaServer, at: Client) -> UUID:
    found: UUID = topic_id_of(at, create_topic(kafka.bootstrap_servers, "orders", 1))
    return found


@pytest.fixture
def group(at: Client) -> str:
    name = unique("movers")
    find = FindCoordinatorRequest(coordinator_keys=[name], key_type=0)
    ask_patiently(at, apis.FIND_COORDINATOR, find, 4, lambda answer: answer.coordinators[0].error_code)
    return name


def pend(client: Client, group: str, topic_id: UUID, partition: int = 0, **who: object) -> ErrorCode:
    """Commit an offset in a transaction of a new producer."""
    name = unique("producer")
    producer_id, epoch = begin_transactional_id(client, name, timeout_ms=60_000)
    asked = _Topic.TxnOffsetCommitRequestPartition(
        partition_index=partition, committed_offset=5, committed_metadata=None
    )
    request = TxnOffsetCommitRequest(
        transactional_id=name,
        group_id=group,
        producer_id=producer_id,
        producer_epoch=epoch,
        topics=[_Topic(topic_id=topic_id, partitions=[asked])],
        **who,
    )
    answer = ask_patiently(
        client, apis.TXN_OFFSET_COMMIT, request, 6, lambda told: told.topics[0].partitions[0].error_code
    )
    assert answer.topics[0].topic_id == topic_id
    return ErrorCode(answer.topics[0].partitions[0].error_code)


def test_a_topic_is_known_by_its_id(at: Client, group: str, topic_id: UUID) -> None:
    assert pend(at, group, topic_id) is ErrorCode.NONE
    assert pend(at, group, topic_id, partition=9) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert pend(at, group, uuid4()) is ErrorCode.UNKNOWN_TOPIC_ID


def test_a_group_that_is_not_there_is_called_that(at: Client, group: str, topic_id: UUID) -> None:
    who = {"member_id": "A", "generation_id_or_member_epoch": 1}
    assert pend(at, group, topic_id, **who) is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_member_at_another_epoch_is_stale(at: Client, group: str, topic_id: UUID) -> None:
    joined = heartbeat(at, group, 0, subscribed_topic_names=["orders"])
    epoch = joined.member_epoch
    who = {"member_id": "A"}
    assert pend(at, group, topic_id, generation_id_or_member_epoch=epoch, **who) is ErrorCode.NONE
    assert pend(at, group, topic_id, generation_id_or_member_epoch=epoch + 1, **who) is ErrorCode.STALE_MEMBER_EPOCH

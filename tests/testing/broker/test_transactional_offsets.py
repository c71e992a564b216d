"""TxnOffsetCommit, as the newest Kafka has it: topics by id, and the errors of member epochs (KIP-1319)."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import FindCoordinatorRequest
from tests.endtoend.patience import ask_patiently
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.testing.broker.client import Client
from tests.testing.broker.group_requests import heartbeat
from tests.testing.broker.requests import topic_id_of
from tests.testing.broker.transactions import offset_transactions


@pytest.fixture
def topic_id(kafka: KafkaServer, at: Client) -> UUID:
    return topic_id_of(at, create_topic(kafka.bootstrap_servers, "orders", 1))


@pytest.fixture
def group(at: Client) -> str:
    name = unique("movers")
    find = FindCoordinatorRequest(coordinator_keys=[name], key_type=0)
    ask_patiently(at, apis.FIND_COORDINATOR, find, 4, lambda answer: answer.coordinators[0].error_code)
    return name


def pend(client: Client, group: str, topic_id: UUID, **how: object) -> ErrorCode:
    return offset_transactions.pend(client, unique("producer"), group, topic_id, 5, **how)[1]


def test_a_topic_is_known_by_its_id(at: Client, group: str, topic_id: UUID) -> None:
    assert pend(at, group, topic_id) is ErrorCode.NONE
    assert pend(at, group, topic_id, partition=9) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert pend(at, group, uuid4()) is ErrorCode.UNKNOWN_TOPIC_ID


def test_a_group_that_is_not_there_is_called_that(at: Client, group: str, topic_id: UUID) -> None:
    who = {"member_id": "A", "generation_id_or_member_epoch": 1}
    assert pend(at, group, topic_id, **who) is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_member_at_another_epoch_is_stale(at: Client, group: str, topic_id: UUID) -> None:
    epoch = heartbeat(at, group, 0, subscribed_topic_names=["orders"]).member_epoch
    for claimed, error in ((epoch, ErrorCode.NONE), (epoch + 1, ErrorCode.STALE_MEMBER_EPOCH)):
        assert pend(at, group, topic_id, member_id="A", generation_id_or_member_epoch=claimed) is error

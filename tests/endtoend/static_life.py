"""The life of static members in tests: they are made by name, and one can be put in another's place."""

from __future__ import annotations

from uuid import uuid4

from kafka_nextgen import Consumer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest
from tests.broker.client import Client
from tests.endtoend.heard import Heard
from tests.endtoend.reading import config_of
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually

__all__ = ["join", "replace"]

LEAVES_FOR_A_WHILE, JOINS = -2, 0
REBALANCE_TIMEOUT_MS = 30_000


def join(kafka: KafkaServer, group: str, topic: str, **more: object) -> tuple[Consumer, Heard]:
    """Return a consumer that has subscribed, and what its listener hears."""
    consumer, heard = Consumer(**config_of(kafka, group, **more)), Heard()
    consumer.subscribe([topic], listener=heard)
    return consumer, heard


def replace(kafka: KafkaServer, group: str, topic: str, instance_id: str, member_id: str) -> None:
    """Say in the member's name that it leaves for a while, and join as another with its instance id.

    The member itself says nothing of the kind, and may come back between the two requests; then both are repeated.
    """
    with Client(kafka.bootstrap_servers) as client:
        eventually(f"{instance_id} has another owner", lambda: _replace(client, group, topic, instance_id, member_id))


def _replace(client: Client, group: str, topic: str, instance_id: str, member_id: str) -> bool:
    leave = _heartbeat(group, member_id, instance_id, LEAVES_FOR_A_WHILE)
    takeover = _heartbeat(group, str(uuid4()), instance_id, JOINS, topic)
    for message in (leave, takeover):
        client.send(message, CONSUMER_GROUP_HEARTBEAT.max_version)
    left, joined = (client.receive(CONSUMER_GROUP_HEARTBEAT, CONSUMER_GROUP_HEARTBEAT.max_version) for _ in range(2))
    assert left.error_code == ErrorCode.NONE, left.error_message
    assert joined.error_code in (ErrorCode.NONE, ErrorCode.UNRELEASED_INSTANCE_ID), joined.error_message
    return bool(joined.error_code == ErrorCode.NONE)


def _heartbeat(
    group: str, member_id: str, instance_id: str, epoch: int, topic: str | None = None
) -> ConsumerGroupHeartbeatRequest:
    return ConsumerGroupHeartbeatRequest(
        group_id=group,
        member_id=member_id,
        member_epoch=epoch,
        instance_id=instance_id,
        rack_id=None,
        rebalance_timeout_ms=-1 if topic is None else REBALANCE_TIMEOUT_MS,
        subscribed_topic_names=None if topic is None else [topic],
        subscribed_topic_regex=None,
        server_assignor=None,
        topic_partitions=None if topic is None else [],
    )

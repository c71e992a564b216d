"""Messages as the other end gets them, and the names every test here uses."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from kafka_nextgen.testing.coordinator.requests import TopicImage
from kafka_nextgen.testing.messages.topics import TopicDirectory
from kafka_nextgen.types import TopicIdPartition, TopicPartition
from kafka_nextgen.wire.apis import Api, Question
from kafka_nextgen.wire.frames import decode_request, decode_response, encode_request, encode_response
from kafka_nextgen.wire.schema import Message

ORDERS = UUID(int=1)
AUDIT = UUID(int=2)
GONE = UUID(int=3)
IDS = {"orders": ORDERS, "audit": AUDIT}
TOPICS = TopicDirectory.of([TopicImage(ORDERS, "orders", 4), TopicImage(AUDIT, "audit", 1)])


def orders(partition: int) -> TopicPartition:
    return TopicPartition("orders", partition)


def audit(partition: int) -> TopicPartition:
    return TopicPartition("audit", partition)


def by_id(topic_id: UUID, *partitions: int) -> frozenset[TopicIdPartition]:
    return frozenset(TopicIdPartition(topic_id, partition) for partition in partitions)


def asked(message: Question, version: int) -> Any:
    """A request as a broker reads it."""
    return decode_request(encode_request(message, version, 1, "me")[4:]).message


def answered(api: Api, message: Message, version: int) -> Any:
    """An answer as a client reads it."""
    return decode_response(api, version, encode_response(api, message, version, 1)[4:])[1]

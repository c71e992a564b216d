"""What the group knows of a member that has closed, by the way in which it left (KIP-1092)."""

from __future__ import annotations

import pytest

from kafka_nextgen import Consumer, MisuseError
from tests.endtoend.reading import config_of, read
from tests.support.clients import create_topic, members_of, produce, unique
from tests.support.kafka_server import KafkaServer

DYNAMIC: dict[str, object] = {}
STATIC: dict[str, object] = {"group_instance_id": "reader-1"}


@pytest.mark.parametrize(
    ("member", "leave", "stays"),
    [
        (DYNAMIC, "default", False),
        (DYNAMIC, "leave", False),
        (DYNAMIC, "remain", True),
        (STATIC, "default", True),
        (STATIC, "leave", False),
        (STATIC, "remain", True),
    ],
)
def test_a_member_stays_known_only_if_it_means_to_come_back(
    kafka: KafkaServer, protocol: str, member: dict[str, object], leave: str, stays: bool
) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "closing"), unique("closing")
    produce(kafka.bootstrap_servers, topic, 5)
    consumer = Consumer(**config_of(kafka, group, protocol, **member))
    consumer.subscribe([topic])
    read(consumer, 5)
    consumer.close(leave=leave)
    assert len(members_of(kafka.bootstrap_servers, group)) == int(stays)


def test_a_static_member_comes_back_to_its_partitions(kafka: KafkaServer, protocol: str) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "closing", partitions=3), unique("closing")
    produce(kafka.bootstrap_servers, topic, 30, partitions=3)
    for first in (0, 30):
        with Consumer(**config_of(kafka, group, protocol, group_instance_id="reader-1")) as consumer:
            consumer.subscribe([topic])
            read(consumer, 30)
            consumer.commit()
        produce(kafka.bootstrap_servers, topic, 30, partitions=3, first=first + 30)
    assert list(members_of(kafka.bootstrap_servers, group).values()) == [{0, 1, 2}]


def test_a_closed_consumer_says_so_and_may_be_closed_again(kafka: KafkaServer, protocol: str) -> None:
    consumer = Consumer(**config_of(kafka, unique("closing"), protocol))
    consumer.close()
    consumer.close()
    with pytest.raises(MisuseError, match="closed"):
        consumer.poll(timeout=1)

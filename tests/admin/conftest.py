"""A cluster with one group of each protocol, at rest, and admins that look at it and at the embedded broker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from attrs import frozen
from click.testing import CliRunner, Result

from kafka_nextgen import Consumer, GroupAdmin
from kafka_nextgen.cli.main import cli
from tests.endtoend.reading import config_of, poll_until
from tests.support.clients import create_topic, produce, unique
from tests.support.kafka_server import KafkaServer

PARTITIONS = 4


@frozen
class Scene:
    """``consumer_group`` has a static and a dynamic member, ``classic_group`` a static one; both read ``topic``."""

    kafka: KafkaServer
    topic: str
    consumer_group: str
    classic_group: str
    members: tuple[Consumer, ...]


@pytest.fixture(scope="package")
def scene(kafka: KafkaServer) -> Iterator[Scene]:
    topic = create_topic(kafka.bootstrap_servers, "watched", PARTITIONS)
    produce(kafka.bootstrap_servers, topic, 40, partitions=PARTITIONS)
    consumer_group, classic_group = unique("consumers"), unique("classics")
    with ExitStack() as stack:
        members = tuple(
            stack.enter_context(Consumer(config_of(kafka, group, protocol, **more)))
            for group, protocol, more in (
                (consumer_group, "consumer", {"group_instance_id": "one", "client_rack": "a"}),
                (consumer_group, "consumer", {"client_id": "two"}),
                (classic_group, "classic", {"group_instance_id": "three", "client_rack": "c"}),
            )
        )
        for member in members:
            member.subscribe([topic])
        poll_until(members, lambda: [len(member.assignment()) for member in members] == [2, 2, 4])
        members[0].commit(dict.fromkeys(members[0].assignment(), 4))
        yield Scene(kafka, topic, consumer_group, classic_group, members)


@pytest.fixture(scope="package")
def admin(kafka: KafkaServer) -> Iterator[GroupAdmin]:
    with GroupAdmin(bootstrap_servers=kafka.bootstrap_servers) as admin:
        yield admin


@pytest.fixture(scope="package")
def ours(embedded_kafka: KafkaServer) -> Iterator[GroupAdmin]:
    """An admin of the embedded broker, for what only that can do."""
    with GroupAdmin(bootstrap_servers=embedded_kafka.bootstrap_servers) as admin:
        yield admin


def groups(servers: str, *arguments: str) -> Result:
    """Run ``kafka-nextgen groups`` with these arguments."""
    return CliRunner().invoke(cli, ["groups", *arguments, "-b", servers])

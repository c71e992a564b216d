"""Kafka's own consumers and its command for groups, unchanged: what they do here, they do before real Kafka."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from kafka_nextgen import Consumer
from tests.endtoend.reading import config_of, read
from tests.support.clients import create_topic, members_of, produce, stored_offsets, unique
from tests.support.java_tools import CONSOLE_CONSUMER, CONSUMER_GROUPS, VERIFIABLE_CONSUMER, JavaTools, output_of
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually

BOTH = pytest.mark.parametrize("protocol", ["consumer", "classic"])


@BOTH
def test_the_console_consumer_reads_a_topic(java_tools: JavaTools, embedded_kafka: KafkaServer, protocol: str) -> None:
    servers = embedded_kafka.bootstrap_servers
    topic, group = create_topic(servers, "console", partitions=3), unique("console")
    produce(servers, topic, 30, partitions=3)
    where = ("--bootstrap-server", servers, "--topic", topic, "--group", group)
    how = ("--from-beginning", "--max-messages", "30", "--command-property", f"group.protocol={protocol}")
    assert sorted(map(int, java_tools.run(CONSOLE_CONSUMER, *where, *how).split())) == list(range(30))
    assert stored_offsets(servers, group) == {0: 10, 1: 10, 2: 10}


@BOTH
def test_verifiable_consumers_share_a_topic(java_tools: JavaTools, embedded_kafka: KafkaServer, protocol: str) -> None:
    servers = embedded_kafka.bootstrap_servers
    topic, group = create_topic(servers, "verifiable", partitions=4), unique("verifiable")
    where = ("--bootstrap-server", servers, "--topic", topic, "--group-id", group, "--group-protocol", protocol)
    how = ("--reset-policy", "earliest", "--max-messages", "50", "--verbose")
    both = [java_tools.start(VERIFIABLE_CONSUMER, *where, *how) for _ in range(2)]
    eventually("each has two partitions", lambda: sizes(servers, group) == [2, 2])
    produce(servers, topic, 100, partitions=4)
    with ThreadPoolExecutor(2) as pool:
        told = [json.loads(line) for printed in pool.map(output_of, both) for line in printed.splitlines()]

    seen = Counter((event["partition"], event["offset"]) for event in told if event["name"] == "record_data")
    assert seen == {(partition, offset): 1 for partition in range(4) for offset in range(25)}
    assert all(event["success"] for event in told if event["name"] == "offsets_committed")
    assert stored_offsets(servers, group) == dict.fromkeys(range(4), 25)


def sizes(servers: str, group: str) -> list[int]:
    return [len(partitions) for partitions in members_of(servers, group).values()]


#: What the command says of a group of one member that has read all ten records.
DESCRIBED = {
    (): """
        GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID
        billing orders 0 5 5 0 MEMBER /127.0.0.1 teller
        billing orders 1 5 5 0 MEMBER /127.0.0.1 teller""",
    ("--offsets", "--verbose"): """
        GROUP TOPIC PARTITION LEADER-EPOCH CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID
        billing orders 0 0 5 5 0 MEMBER /127.0.0.1 teller
        billing orders 1 0 5 5 0 MEMBER /127.0.0.1 teller""",
    ("--members", "--verbose"): """
        GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS CURRENT-EPOCH CURRENT-ASSIGNMENT TARGET-EPOCH TARGET-ASSIGNMENT
        billing MEMBER /127.0.0.1 teller 2 2 orders:0,1 2 orders:0,1""",
    ("--state",): """
        GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE #MEMBERS
        billing SERVER (1) uniform Stable 1""",
}

#: What it says when asked, one after the other, to change the group that the member has left.
CHANGED = {
    ("--reset-offsets", "--to-offset", "2", "--execute", "--topic", "orders"): """
        GROUP TOPIC PARTITION NEW-OFFSET
        billing orders 0 2
        billing orders 1 2""",
    ("--delete-offsets", "--topic", "orders"): """
        Request succeeded for deleting offsets from group billing.
        TOPIC PARTITION STATUS
        orders 0 Successful
        orders 1 Successful""",
    ("--delete",): "Deletion of requested consumer groups ('billing') was successful.",
}


def test_the_command_for_groups_sees_and_changes_a_group(java_tools: JavaTools, kafka: KafkaServer) -> None:
    servers = kafka.bootstrap_servers
    topic, group = create_topic(servers, "command", partitions=2), unique("command")
    names = {topic: "orders", group: "billing", servers: "SERVER"}
    produce(servers, topic, 10, partitions=2)

    def ask(*args: str) -> list[str]:
        args = tuple(topic if arg == "orders" else arg for arg in args)
        printed = java_tools.run(CONSUMER_GROUPS, "--bootstrap-server", servers, "--group", group, *args)
        for name, short in names.items():
            printed = printed.replace(name, short)
        return in_words(printed)

    with Consumer(**config_of(kafka, group), client_id="teller") as consumer:
        consumer.subscribe([topic])
        read(consumer, 10)
        consumer.commit()
        names[consumer.group_metadata().member_id] = "MEMBER"
        with ThreadPoolExecutor(len(DESCRIBED)) as pool:
            described = pool.map(lambda detail: ask("--describe", *detail), DESCRIBED)
        assert list(described) == [in_words(text) for text in DESCRIBED.values()]
    for asked, text in CHANGED.items():
        assert ask(*asked) == in_words(text)


def in_words(text: str) -> list[str]:
    """Return the lines as a set would have them, each with single spaces between its words."""
    return sorted(" ".join(line.split()) for line in text.splitlines() if line.strip())

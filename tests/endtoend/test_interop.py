"""Two implementations of a protocol in one group: confluent-kafka's and ours share a topic, and follow each other."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import confluent_kafka
import pytest

from kafka_nextgen import Consumer
from tests.endtoend.reading import QUICK_PROPERTIES, config_of, numbers, poll_until, read
from tests.support.clients import create_topic, produce, stored_offsets
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S, eventually

PARTITIONS = 4


@pytest.fixture(scope="module")
def kafka(every_kafka: KafkaServer) -> KafkaServer:
    return every_kafka


@pytest.mark.parametrize("protocol", ["consumer", "range", "roundrobin", "cooperative-sticky"])
def test_each_record_is_read_once_and_what_one_leaves_the_other_takes_over(
    kafka: KafkaServer, stack: ExitStack, group: str, protocol: str
) -> None:
    servers, half = kafka.bootstrap_servers, PARTITIONS // 2
    topic = create_topic(servers, "interop", PARTITIONS)
    theirs: dict[str, Any] = {"bootstrap.servers": servers, "group.id": group, "enable.auto.commit": False}
    theirs |= {"auto.offset.reset": "earliest"}
    if protocol == "consumer":
        theirs |= {"group.protocol": "consumer"}
        config = config_of(kafka, group)
    else:
        theirs |= {"partition.assignment.strategy": protocol, **QUICK_PROPERTIES}
        config = config_of(kafka, group, "classic", partition_assignment_strategy=protocol)
    other = confluent_kafka.Consumer(theirs)
    stack.callback(other.close)
    other.subscribe([topic])
    came: list[int] = []

    def read_both(what: str, is_so: Callable[[], bool], ours: Consumer | None = None) -> None:
        def is_so_now() -> bool:
            came.extend(int(message.value() or b"") for message in other.consume(500, timeout=0.1))
            came.extend(numbers(ours.poll(timeout=0.1)) if ours is not None else ())
            return is_so()

        eventually(what, is_so_now)

    # It has read of each partition before it loses one: an answer about where a partition begins that comes after a
    # rebalance makes librdkafka 2.16 go back there, also behind the committed offset.
    produce(servers, topic, 400, partitions=PARTITIONS)
    read_both("theirs reads alone", lambda: len(came) >= 400)
    other.commit(asynchronous=False)
    ours = stack.enter_context(Consumer(config))
    ours.subscribe([topic])
    read_both("each has a half", lambda: len(ours.assignment()) == len(other.assignment()) == half, ours)
    produce(servers, topic, 400, partitions=PARTITIONS, first=400)
    read_both("all is read", lambda: len(came) >= 800, ours)
    assert sorted(came) == list(range(800))
    ours.commit()
    other.commit(asynchronous=False)
    assert stored_offsets(servers, group) == dict.fromkeys(range(PARTITIONS), 200)

    ours.close()
    produce(servers, topic, 400, partitions=PARTITIONS, first=800)
    rest = other.consume(400, timeout=GUARD_S)
    assert sorted(int(message.value() or b"") for message in rest) == list(range(800, 1200))
    other.commit(asynchronous=False)
    other.close()

    last = stack.enter_context(Consumer(config))
    last.subscribe([topic])
    poll_until([last], lambda: len(last.assignment()) == PARTITIONS)
    produce(servers, topic, 400, partitions=PARTITIONS, first=1200)
    assert numbers(read(last, 400)) == list(range(1200, 1600))

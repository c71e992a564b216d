"""``group.local.assignors`` by the classic protocol: the group's leader runs them, on any Kafka there is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from kafka_nextgen import Consumer
from tests.endtoend.reading import config_of, numbers, poll_until
from tests.endtoend.test_classic import QUICK
from tests.support.clients import create_topic, produce, unique
from tests.support.kafka_server import KafkaServer
from tests.support.weighing import Weighing

PARTITIONS = 12


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Close the consumers of a test at its end."""
    with ExitStack() as stack:
        yield stack


def join(stack: ExitStack, kafka: KafkaServer, group: str, topic: str, assignor: Weighing) -> Consumer:
    quick = {key.replace(".", "_"): value for key, value in QUICK.items()}
    config = config_of(kafka, group, group_protocol="classic", group_local_assignors=[assignor], **quick)
    consumer = stack.enter_context(Consumer(**config))
    consumer.subscribe([topic])
    return consumer


def counts(consumers: list[Consumer]) -> list[int]:
    return [len(consumer.assignment()) for consumer in consumers]


def test_three_members_share_by_the_weights_they_state(kafka: KafkaServer, stack: ExitStack) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "weights", PARTITIONS), unique("weights")
    assignors = [Weighing(4), Weighing(1), Weighing(1)]
    consumers = [join(stack, kafka, group, topic, assignor) for assignor in assignors]
    poll_until(consumers, lambda: counts(consumers) == [8, 2, 2])
    produce(kafka.bootstrap_servers, topic, 240, partitions=PARTITIONS)

    # A member says something else while it runs: nobody reads twice, and what stays is never given up.
    assignors[0].weight = 1
    before = [consumer.assignment() for consumer in consumers]
    came = poll_until(consumers, lambda: counts(consumers) == [4, 4, 4])
    kept = [had & consumer.assignment() for had, consumer in zip(before, consumers, strict=True)]
    assert [len(each) for each in kept] == [4, 2, 2]
    poll_until(consumers, lambda: len(came) >= 240, came)
    assert numbers(came) == list(range(240))
    for assignor in assignors:
        epochs = [told.member_epoch for told, _, _ in assignor.heard]
        assert epochs == sorted(set(epochs)), "once in each generation"
        assert assignor.heard[-1][1:] == (4, "4 of 12")
        assert assignor.heard[-1][0].group_id == group

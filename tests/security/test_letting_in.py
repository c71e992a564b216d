"""Every way of being let in: a member of a group, an async one, an admin. Each on the embedded broker, all on Kafka."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from kafka_nextgen import AsyncConsumer, Consumer, TopicPartition
from kafka_nextgen.admin import GroupAdmin
from tests.endtoend.reading import numbers, read, read_async
from tests.security.ways import WAYS, WAYS_OF_KAFKA, Way
from tests.support.certificates import Certificates
from tests.support.clients import create_topic, produce, stored_offsets, unique
from tests.support.secured_kafka import SecuredKafka
from tests.support.waiting import GUARD_S

READING = {"auto_offset_reset": "earliest", "enable_auto_commit": False}
RECORDS = 20


def topic_of(broker: SecuredKafka, listener: str) -> str:
    """Return a topic with some records, written past all security."""
    topic = create_topic(broker.in_the_clear[listener], "secured")
    produce(broker.in_the_clear[listener], topic, RECORDS)
    return topic


@pytest.mark.parametrize("name", WAYS)
def test_a_member_reads_and_commits_by_every_way(
    secured_embedded: SecuredKafka, certificates: Certificates, name: str
) -> None:
    way = WAYS[name]
    topic, group = topic_of(secured_embedded, way.listener), unique("secured")
    with Consumer(**way.config(secured_embedded, certificates, group_id=group, **READING)) as consumer:
        consumer.subscribe([topic])
        assert numbers(read(consumer, RECORDS)) == list(range(RECORDS))
        consumer.commit()
    assert stored_offsets(secured_embedded.in_the_clear[way.listener], group) == {0: RECORDS}


def test_kafka_lets_us_in_by_the_same_ways(secured_real: SecuredKafka, certificates: Certificates) -> None:
    topic = topic_of(secured_real, "SSL")
    ways: Mapping[str, Way] = {**WAYS, **WAYS_OF_KAFKA}
    came: dict[str, list[int]] = {}
    for name, way in ways.items():
        with Consumer(**way.config(secured_real, certificates, **READING)) as consumer:
            consumer.assign([TopicPartition(topic, 0)])
            came[name] = numbers(read(consumer, RECORDS))
    assert came == {name: list(range(RECORDS)) for name in ways}


def test_a_member_of_kafka_is_let_in_to_its_coordinator(secured_real: SecuredKafka, certificates: Certificates) -> None:
    way = WAYS["SCRAM-SHA-512 with TLS"]
    topic, group = topic_of(secured_real, way.listener), unique("secured")
    with Consumer(**way.config(secured_real, certificates, group_id=group, **READING)) as consumer:
        consumer.subscribe([topic])
        assert numbers(read(consumer, RECORDS)) == list(range(RECORDS))
        consumer.commit()
    assert stored_offsets(secured_real.in_the_clear[way.listener], group) == {0: RECORDS}


def test_an_async_consumer_is_let_in(secured_embedded: SecuredKafka, certificates: Certificates) -> None:
    way = WAYS["SCRAM-SHA-256 with TLS"]
    topic = topic_of(secured_embedded, way.listener)

    async def main() -> None:
        config = way.config(secured_embedded, certificates, group_id=unique("secured"), **READING)
        async with AsyncConsumer(**config) as consumer:
            await consumer.subscribe([topic])
            assert numbers(await read_async(consumer, RECORDS)) == list(range(RECORDS))

    asyncio.run(main())


def test_an_admin_is_let_in(secured_embedded: SecuredKafka, certificates: Certificates) -> None:
    with GroupAdmin(**WAYS["SCRAM-SHA-512 with TLS"].config(secured_embedded, certificates)) as admin:
        assert admin.list(timeout=GUARD_S).failed == {}

"""A ported member joins a group of the other client's members, which are replaced one after the other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from kafka_nextgen import Consumer, GroupAdmin
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.peers import installed
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def topic(every_kafka: KafkaServer) -> str:
    return create_topic(every_kafka.bootstrap_servers, "orders", 2)


class OldMember:
    """A member of another client, which polls in a thread; ``owned`` are its partitions."""

    def __init__(self, serve: Callable[[OldMember], None]) -> None:
        self.owned: set[int] = set()
        self.stopping = threading.Event()
        self._thread = threading.Thread(target=serve, args=(self,))
        self._thread.start()

    def stop(self) -> None:
        self.stopping.set()
        self._thread.join()


def confluent_kafka(servers: str, topic: str, group: str) -> OldMember:
    def serve(member: OldMember) -> None:
        consumer = installed("confluent_kafka").Consumer({"bootstrap.servers": servers, "group.id": group})
        consumer.subscribe([topic])
        while not member.stopping.is_set():
            consumer.poll(0.05)
            member.owned = {partition.partition for partition in consumer.assignment()}
        consumer.close()

    return OldMember(serve)


def kafka(servers: str, topic: str, group: str) -> OldMember:
    def serve(member: OldMember) -> None:
        settings = {"heartbeat_interval_ms": 100}  # how soon it notices a rebalance
        consumer = installed("kafka").KafkaConsumer(topic, bootstrap_servers=servers, group_id=group, **settings)
        while not member.stopping.is_set():
            consumer.poll(timeout_ms=1000)  # one that is over while it joins can lose the assignment (3.0.12)
            member.owned = {partition.partition for partition in consumer.assignment()}
        consumer.close()

    return OldMember(serve)


def aiokafka(servers: str, topic: str, group: str) -> OldMember:
    async def serve(member: OldMember) -> None:
        settings = {"heartbeat_interval_ms": 100, "session_timeout_ms": 45_000}  # 10 s is short on a busy machine
        consumer = installed("aiokafka").AIOKafkaConsumer(topic, bootstrap_servers=servers, group_id=group, **settings)
        await consumer.start()
        while not member.stopping.is_set():
            await consumer.getmany(timeout_ms=50)
            member.owned = {partition.partition for partition in consumer.assignment()}
        await consumer.stop()

    return OldMember(lambda member: asyncio.run(serve(member)))


@pytest.mark.parametrize(
    "start", [confluent_kafka, kafka, aiokafka], ids=["confluent-kafka", "kafka-python", "aiokafka"]
)
@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_a_group_is_taken_over_member_by_member(
    every_kafka: KafkaServer, topic: str, start: Callable[[str, str, str], OldMember], protocol: str
) -> None:
    servers, group = every_kafka.bootstrap_servers, unique(f"{start.__name__}-{protocol}")
    settings = {"group.protocol": protocol}
    if protocol == "classic":
        settings |= {"heartbeat.interval.ms": "100"}
        settings |= {"partition.assignment.strategy": "roundrobin"} if start is aiokafka else {}
    old = start(servers, topic, group)
    try:
        eventually("the old member owns both partitions", lambda: old.owned == {0, 1})
        with Consumer({"bootstrap.servers": servers, "group.id": group, **settings}) as new:
            new.subscribe([topic])

            def owned() -> set[int]:
                new.poll(timeout=0.05)
                return {partition.partition for partition in new.assignment()}

            eventually("each member owns one partition", lambda: len(owned()) == 1 and len(old.owned) == 1)
            assert old.owned | owned() == {0, 1}
            old.stopping.set()
            eventually("the new member owns both", lambda: owned() == {0, 1})
            with GroupAdmin(bootstrap_servers=servers) as admin:
                assert admin.describe([group]).all()[group].type.value == protocol
    finally:
        old.stop()

"""Classic groups of clients: kafka-python, confluent-kafka, aiokafka and ours, two of a kind and all in one group."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import confluent_kafka
import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from confluent_kafka.admin import AdminClient
from kafka import KafkaAdminClient, KafkaConsumer

import kafka_nextgen
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire.apis import HEARTBEAT, JOIN_GROUP, LEAVE_GROUP
from kafka_nextgen.wire.messages import HeartbeatRequest, JoinGroupRequest, LeaveGroupRequest
from tests.broker.client import Client
from tests.support.clients import produce, unique
from tests.support.waiting import GUARD_S, eventually

PATIENCE_S = GUARD_S
PARTITIONS = 4


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    config = {"group.initial.rebalance.delay.ms": 100, "group.min.session.timeout.ms": 1000}
    with Cluster(config=config) as running:
        yield running


class Member:
    """A consumer, whoever made it, in a thread of its own: some of them do nothing for their group but in polls."""

    def __init__(self, poll: Callable[[], list[int]], assignment: Callable[[], set[int]], end: Callable[[], None]):
        self.read: list[int] = []
        self.assigned: set[int] = set()
        self._poll, self._assignment, self._end = poll, assignment, end
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join(PATIENCE_S)

    def _run(self) -> None:
        while not self._closing.is_set():
            self.read += self._poll()
            self.assigned = self._assignment()
        self._end()


def kafka_python(cluster: Cluster, group: str, topic: str, instance_id: str | None = None) -> Member:
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=cluster.bootstrap_servers,
        group_id=group,
        group_instance_id=instance_id,
        auto_offset_reset="earliest",
        session_timeout_ms=6000,
        heartbeat_interval_ms=100,
        metadata_max_age_ms=1000,
    )

    def poll() -> list[int]:
        return [int(record.value) for records in consumer.poll(500).values() for record in records]

    return Member(poll, lambda: {tp.partition for tp in consumer.assignment()}, consumer.close)


def confluent(cluster: Cluster, group: str, topic: str, instance_id: str | None = None) -> Member:
    static = {} if instance_id is None else {"group.instance.id": instance_id}
    consumer = confluent_kafka.Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": group,
            "group.protocol": "classic",
            "partition.assignment.strategy": "range",
            "auto.offset.reset": "earliest",
            "session.timeout.ms": 6000,
            "heartbeat.interval.ms": 100,
            **static,
        }
    )
    consumer.subscribe([topic])

    def poll() -> list[int]:
        return [int(message.value() or b"") for message in consumer.consume(100, 0.05) if not message.error()]

    return Member(poll, lambda: {tp.partition for tp in consumer.assignment()}, consumer.close)


def ours(cluster: Cluster, group: str, topic: str, instance_id: str | None = None) -> Member:
    consumer = kafka_nextgen.Consumer(
        bootstrap_servers=cluster.bootstrap_servers,
        group_id=group,
        group_instance_id=instance_id,
        group_protocol="classic",
        partition_assignment_strategy="range",
        auto_offset_reset="earliest",
        session_timeout_ms=6000,
        heartbeat_interval_ms=100,
    )
    consumer.subscribe([topic])

    def poll() -> list[int]:
        return [int(record.value) for record in consumer.poll(timeout=0.05)]

    return Member(poll, lambda: {tp.partition for tp in consumer.assignment()}, consumer.close)


def of_aiokafka(cluster: Cluster, group: str, topic: str, instance_id: str | None = None) -> Member:
    loop = asyncio.new_event_loop()
    consumer = loop.run_until_complete(_aiokafka_consumer(cluster, group, topic, instance_id))

    def poll() -> list[int]:
        came = loop.run_until_complete(consumer.getmany(timeout_ms=50))
        return [int(record.value or b"") for records in came.values() for record in records]

    def end() -> None:
        loop.run_until_complete(consumer.stop())
        loop.close()

    return Member(poll, lambda: {tp.partition for tp in consumer.assignment()}, end)


async def _aiokafka_consumer(cluster: Cluster, group: str, topic: str, instance_id: str | None) -> AIOKafkaConsumer:
    """It has to be made where its loop runs. It waits for its first assignment before it is there to be polled."""
    consumer = AIOKafkaConsumer(
        topic,
        bootstrap_servers=cluster.bootstrap_servers,
        group_id=group,
        group_instance_id=instance_id,
        partition_assignment_strategy=[RangePartitionAssignor],
        auto_offset_reset="earliest",
        session_timeout_ms=6000,
        heartbeat_interval_ms=100,
    )
    await consumer.start()
    return consumer


KINDS = [kafka_python, confluent, of_aiokafka, ours]


def share(*members: Member) -> None:
    """Wait until each has some partitions, and all are somebody's."""

    def is_shared() -> bool:
        shares = [member.assigned for member in members]
        return all(shares) and sorted(p for share in shares for p in share) == list(range(PARTITIONS))

    eventually("all partitions are shared", is_shared)


def read_by(*members: Member) -> list[int]:
    """Wait for 100 records; their numbers in order."""
    eventually("all is read", lambda: sum(len(member.read) for member in members) >= 100)
    return sorted(number for member in members for number in member.read)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize("kind", KINDS)
def test_two_members_share_a_topic_and_one_takes_over(
    cluster: Cluster, stack: ExitStack, new_topic: Callable[[int], str], kind: Callable[..., Member]
) -> None:
    topic, group = new_topic(PARTITIONS), unique("two")
    first = kind(cluster, group, topic)
    stack.callback(first.close)
    share(first)
    second = kind(cluster, group, topic)
    share(first, second)
    produce(cluster.bootstrap_servers, topic, 100, partitions=PARTITIONS)
    assert read_by(first, second) == list(range(100))
    second.close()
    share(first)


@pytest.mark.parametrize("kind", KINDS)
def test_a_static_member_that_restarts_disturbs_nobody(
    cluster: Cluster, stack: ExitStack, new_topic: Callable[[int], str], kind: Callable[..., Member]
) -> None:
    topic, group = new_topic(PARTITIONS), unique("static")
    first = kind(cluster, group, topic, "one")
    stack.callback(first.close)
    second = kind(cluster, group, topic, "two")
    share(first, second)
    before, generation = second.assigned, generation_of(cluster, group)
    second.close()
    again = kind(cluster, group, topic, "two")
    stack.callback(again.close)
    share(first, again)
    assert again.assigned == before
    assert generation_of(cluster, group) == generation


def generation_of(cluster: Cluster, group: str) -> int:
    shard = cluster._broker._cluster.groups.shard_of(group)
    assert shard is not None
    found = shard.coordinator.groups[group].classic
    assert found is not None
    return found.generation


def leave(group: str, member_id: str, instance_id: str | None = None) -> LeaveGroupRequest:
    who = LeaveGroupRequest.MemberIdentity(member_id=member_id, group_instance_id=instance_id, reason=None)
    return LeaveGroupRequest(group_id=group, members=[who])


def test_all_kinds_share_a_group(cluster: Cluster, stack: ExitStack, new_topic: Callable[[int], str]) -> None:
    topic, group = new_topic(PARTITIONS), unique("mixed")
    members: list[Member] = []
    for kind in KINDS:
        members.append(kind(cluster, group, topic))
        stack.callback(members[-1].close)
        share(*members)
    produce(cluster.bootstrap_servers, topic, 100, partitions=PARTITIONS)
    assert read_by(*members) == list(range(100))


def test_administrators_see_it_and_take_members_out(
    cluster: Cluster, stack: ExitStack, new_topic: Callable[[int], str]
) -> None:
    topic, group = new_topic(PARTITIONS), unique("seen")
    member = ours(cluster, group, topic, "one")
    share(member)
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    described = admin.describe_consumer_groups([group])[group].result(PATIENCE_S)
    (one,) = described.members
    assert (described.state.name, described.partition_assignor) == ("STABLE", "range")
    assert (one.group_instance_id, one.client_id) == ("one", "kafka-nextgen")
    assert {tp.partition for tp in one.assignment.topic_partitions} == set(range(PARTITIONS))
    other = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)
    stack.callback(other.close)
    assert {listed["group_id"]: listed["group_state"] for listed in other.list_groups()}[group] == "Stable"
    member.close()
    with Client(cluster.bootstrap_servers) as client:
        assert client.ask(LEAVE_GROUP, leave(group, "", "one")).members[0].error_code == ErrorCode.NONE
    admin.delete_consumer_groups([group])[group].result(PATIENCE_S)
    assert group not in {listed["group_id"] for listed in other.list_groups()}


def test_an_id_is_made_of_the_clients_or_of_the_instance(client: Client) -> None:
    """And the answer comes when the group has its generation, though more is asked on the same connection."""
    group = unique("ids")
    protocol = JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=b"")

    def join(member_id: str, instance_id: str | None) -> JoinGroupRequest:
        return JoinGroupRequest(
            group_id=group,
            session_timeout_ms=6000,
            rebalance_timeout_ms=6000,
            member_id=member_id,
            group_instance_id=instance_id,
            protocol_type="consumer",
            protocols=[protocol],
        )

    refused = client.ask(JOIN_GROUP, join("", None))
    assert refused.error_code == ErrorCode.MEMBER_ID_REQUIRED
    assert refused.member_id.startswith("tests-")
    client.ask(LEAVE_GROUP, leave(group, refused.member_id))
    client.send(join("", "one"), JOIN_GROUP.max_version)
    client.send(HeartbeatRequest(group_id=group, generation_id=1, member_id="x"), HEARTBEAT.max_version)
    joined = client.receive(JOIN_GROUP, JOIN_GROUP.max_version)
    assert joined.member_id.startswith("one-")
    assert (joined.error_code, joined.generation_id) == (ErrorCode.NONE, 1)
    assert client.receive(HEARTBEAT, HEARTBEAT.max_version).error_code == ErrorCode.UNKNOWN_MEMBER_ID

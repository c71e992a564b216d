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
from kafka_nextgen.wire.apis import HEARTBEAT, JOIN_GROUP
from kafka_nextgen.wire.messages import HeartbeatRequest
from tests.support.clients import produce
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.client import Client, join_request
from tests.testing.broker.group_requests import leave

PARTITIONS = 4
#: Longer than any pause of a busy machine: no session ends in these tests.
SESSION = {"session_timeout_ms": 30_000, "heartbeat_interval_ms": 100}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(config={"group.initial.rebalance.delay.ms": 100}) as running:
        yield running


class Member:
    """A consumer of any client, in a thread of its own: some of them do nothing for their group but in polls."""

    def __init__(self, poll: Callable[[], list[int]], assignment: Callable[[], set[int]], end: Callable[[], None]):
        self.read: list[int] = []
        self.assigned: set[int] = set()
        self._poll, self._assignment, self._end = poll, assignment, end
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join(GUARD_S)

    def _run(self) -> None:
        while not self._closing.is_set():
            self.read += self._poll()
            self.assigned = self._assignment()
        self._end()


def kafka_python(topic: str, **config: object) -> Member:
    consumer = KafkaConsumer(topic, metadata_max_age_ms=1000, **config)

    def poll() -> list[int]:
        return [int(record.value) for records in consumer.poll(500).values() for record in records]

    return Member(poll, lambda: {tp.partition for tp in consumer.assignment()}, consumer.close)


def confluent(topic: str, **config: object) -> Member:
    given = {key.replace("_", "."): value for key, value in config.items() if value is not None}
    how = {"group.protocol": "classic", "partition.assignment.strategy": "range"}
    consumer = confluent_kafka.Consumer({**given, **how})
    consumer.subscribe([topic])

    def poll() -> list[int]:
        return [int(message.value() or b"") for message in consumer.consume(100, 0.05) if not message.error()]

    return Member(poll, lambda: {tp.partition for tp in consumer.assignment()}, consumer.close)


def ours(topic: str, **config: object) -> Member:
    how = {"group_protocol": "classic", "partition_assignment_strategy": "range"}
    consumer = kafka_nextgen.Consumer(**config, **how)
    consumer.subscribe([topic])

    def poll() -> list[int]:
        return [int(record.value) for record in consumer.poll(timeout=0.05)]

    return Member(poll, lambda: {tp.partition for tp in consumer.assignment()}, consumer.close)


def of_aiokafka(topic: str, **config: object) -> Member:
    loop = asyncio.new_event_loop()

    async def start() -> AIOKafkaConsumer:
        """It has to be made where its loop runs, and waits for its first assignment before it can be polled."""
        consumer = AIOKafkaConsumer(topic, partition_assignment_strategy=[RangePartitionAssignor], **config)
        await consumer.start()
        return consumer

    consumer = loop.run_until_complete(start())

    def poll() -> list[int]:
        came = loop.run_until_complete(consumer.getmany(timeout_ms=50))
        return [int(record.value or b"") for records in came.values() for record in records]

    def end() -> None:
        loop.run_until_complete(consumer.stop())
        loop.close()

    return Member(poll, lambda: {tp.partition for tp in consumer.assignment()}, end)


KINDS = [kafka_python, confluent, of_aiokafka, ours]
NewMember = Callable[..., Member]


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
def topic(new_topic: Callable[[int], str]) -> str:
    return new_topic(PARTITIONS)


@pytest.fixture
def new_member(cluster: Cluster, group: str, topic: str) -> Iterator[NewMember]:
    """Make members of a kind in one group; they are closed in the end."""
    with ExitStack() as stack:

        def make(kind: NewMember, instance_id: str | None = None) -> Member:
            where = {"bootstrap_servers": cluster.bootstrap_servers, "auto_offset_reset": "earliest"}
            member = kind(topic, group_id=group, group_instance_id=instance_id, **where, **SESSION)
            stack.callback(member.close)
            return member

        yield make


@pytest.mark.parametrize("kind", KINDS)
def test_two_members_share_a_topic_and_one_takes_over(
    cluster: Cluster, topic: str, new_member: NewMember, kind: NewMember
) -> None:
    first = new_member(kind)
    share(first)
    second = new_member(kind)
    share(first, second)
    produce(cluster.bootstrap_servers, topic, 100, partitions=PARTITIONS)
    assert read_by(first, second) == list(range(100))
    second.close()
    share(first)


@pytest.mark.parametrize("kind", KINDS)
def test_a_static_member_that_restarts_disturbs_nobody(
    cluster: Cluster, group: str, new_member: NewMember, kind: NewMember
) -> None:
    first, second = new_member(kind, "one"), new_member(kind, "two")
    share(first, second)
    before, generation = second.assigned, generation_of(cluster, group)
    second.close()
    again = new_member(kind, "two")
    share(first, again)
    assert again.assigned == before
    assert generation_of(cluster, group) == generation


def generation_of(cluster: Cluster, group: str) -> int:
    return cluster._broker._cluster.groups.shard_of(group).coordinator.groups[group].classic.generation


def test_all_kinds_share_a_group(cluster: Cluster, topic: str, new_member: NewMember) -> None:
    members: list[Member] = []
    for kind in KINDS:
        members.append(new_member(kind))
        share(*members)
    produce(cluster.bootstrap_servers, topic, 100, partitions=PARTITIONS)
    assert read_by(*members) == list(range(100))


def test_administrators_see_it_and_take_members_out(
    cluster: Cluster, client: Client, group: str, new_member: NewMember
) -> None:
    member = new_member(ours, "one")
    share(member)
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    described = admin.describe_consumer_groups([group])[group].result(GUARD_S)
    (one,) = described.members
    assert (described.state.name, described.partition_assignor) == ("STABLE", "range")
    assert (one.group_instance_id, one.client_id) == ("one", "kafka-nextgen")
    assert {tp.partition for tp in one.assignment.topic_partitions} == set(range(PARTITIONS))
    other = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)
    assert {listed["group_id"]: listed["group_state"] for listed in other.list_groups()}[group] == "Stable"
    member.close()
    assert leave(client, group, "", "one").error_code == ErrorCode.NONE
    admin.delete_consumer_groups([group])[group].result(GUARD_S)
    assert group not in {listed["group_id"] for listed in other.list_groups()}
    other.close()


def test_an_id_is_made_of_the_clients_or_of_the_instance(client: Client, group: str) -> None:
    """And the answer comes when the group has its generation, though more is asked on the same connection."""
    refused = client.ask(JOIN_GROUP, join_request(group))
    assert refused.error_code == ErrorCode.MEMBER_ID_REQUIRED
    assert refused.member_id.startswith("tests-")
    leave(client, group, refused.member_id)
    client.send(join_request(group, group_instance_id="one"), JOIN_GROUP.max_version)
    client.send(HeartbeatRequest(group_id=group, generation_id=1, member_id="x"), HEARTBEAT.max_version)
    joined = client.receive(JOIN_GROUP, JOIN_GROUP.max_version)
    assert joined.member_id.startswith("one-")
    assert (joined.error_code, joined.generation_id) == (ErrorCode.NONE, 1)
    assert client.receive(HEARTBEAT, HEARTBEAT.max_version).error_code == ErrorCode.UNKNOWN_MEMBER_ID

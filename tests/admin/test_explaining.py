"""Live groups of both protocols on paper: as an assignor would see them, and what it would make of them."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack

import pytest
from click.testing import CliRunner

from kafka_nextgen import (
    AsyncGroupAdmin,
    Consumer,
    GroupAdmin,
    GroupNotFoundError,
    MisuseError,
    RequestTimeoutError,
    SubscriptionPattern,
)
from kafka_nextgen.assignors import AssignmentSpec, Balance, RangeAssignor, TopicMetadata, UniformAssignor, explain
from kafka_nextgen.cli.main import cli
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire.apis import JOIN_GROUP
from kafka_nextgen.wire.messages import JoinGroupRequest
from tests.admin.conftest import PARTITIONS, Scene
from tests.endtoend.reading import config_of, poll_until
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually
from tests.testing.broker.client import Client


def test_a_consumer_group_is_read_with_its_topics_and_targets(scene: Scene, admin: GroupAdmin) -> None:
    spec = admin.assignment_spec(scene.consumer_group)
    ((topic_id, topic),) = spec.topics.items()
    assert (topic.name, topic.num_partitions) == (scene.topic, PARTITIONS)
    for consumer in scene.members[:2]:
        known, member = consumer.group_metadata(), spec.members[consumer.group_metadata().member_id]
        assert member.target == {topic_id: {partition.partition for partition in consumer.assignment()}}
        assert (member.instance_id, member.subscribed_topics) == (known.instance_id, {scene.topic})
    assert {member.rack_id for member in spec.members.values()} == {"a", None}


def test_the_assignor_a_group_has_would_leave_it_as_it_is(scene: Scene, admin: GroupAdmin) -> None:
    told = explain(UniformAssignor(), admin.assignment_spec(scene.consumer_group))
    assert (told.moves, told.stickiness, told.is_valid) == ((), 1.0, True)
    assert told.before == told.after == Balance(2, 2)


def test_a_described_group_comes_to_the_same_without_asking_for_its_topics(scene: Scene, admin: GroupAdmin) -> None:
    described = explain(RangeAssignor(), admin.describe([scene.consumer_group])[scene.consumer_group])
    assert described == explain(RangeAssignor(), admin.assignment_spec(scene.consumer_group))


def test_a_classic_group_is_read_from_what_its_members_tell_each_other(scene: Scene, admin: GroupAdmin) -> None:
    told = explain(UniformAssignor(), admin.assignment_spec(scene.classic_group))
    (member,) = told.members
    assert (member.instance_id, member.rack_id, len(member.before)) == ("three", "c", PARTITIONS)
    assert told.moves == ()


@pytest.mark.parametrize("which", ["consumer_group", "classic_group"])
def test_the_command_explains_a_live_group_by_its_own_assignor_and_by_others(scene: Scene, which: str) -> None:
    group_id = getattr(scene, which)
    arguments = ["assignors", "explain", "-g", group_id, "-b", scene.kafka.bootstrap_servers, "--json"]
    (own,) = json.loads(CliRunner().invoke(cli, arguments).stdout)
    assert own["assignor"] == {"consumer_group": "uniform", "classic_group": "cooperative-sticky"}[which]
    assert (own["is_valid"], own["moves"], own["kept"]) == (True, 0, PARTITIONS)
    others = json.loads(CliRunner().invoke(cli, [*arguments, "-a", "range", "-a", "rack-aware"]).stdout)
    assert [(one["assignor"], one["is_valid"]) for one in others] == [("range", True), ("rack-aware", True)]


def test_what_the_command_for_groups_prints_is_what_it_reads(scene: Scene) -> None:
    servers = ["-b", scene.kafka.bootstrap_servers]
    printed = CliRunner().invoke(cli, ["groups", "describe", scene.consumer_group, "--members", "--json", *servers])
    done = CliRunner().invoke(cli, ["assignors", "explain", "-f", "-"], input=printed.stdout)
    assert done.exit_code == 0
    assert f"uniform over 2 members and {PARTITIONS} partitions: 2 each (2 before); 0 moves" in done.stdout


def test_a_group_that_is_not_there_is_an_error(scene: Scene, admin: GroupAdmin) -> None:
    with pytest.raises(GroupNotFoundError):
        admin.assignment_spec("nobody")
    done = CliRunner().invoke(cli, ["assignors", "explain", "-g", "nobody", "-b", scene.kafka.bootstrap_servers])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "nobody" in done.stderr


@pytest.mark.parametrize(
    ("protocol_type", "error", "complaint"),
    [
        ("connect", MisuseError, "its members are of type 'connect', not consumers"),
        pytest.param(
            "consumer", RequestTimeoutError, r"it is rebalancing \(Prep", marks=pytest.mark.whole, id="for a while"
        ),
    ],
)
def test_a_group_whose_members_say_nothing_readable_is_an_error(
    protocol_type: str, error: type[Exception], complaint: str
) -> None:
    protocol = JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=b"")
    times = {"session_timeout_ms": 6000, "rebalance_timeout_ms": 6000}
    who = {"group_id": "g", "member_id": "", "group_instance_id": "one"}
    join = JoinGroupRequest(**who, **times, protocol_type=protocol_type, protocols=[protocol])
    with (
        Cluster(config={"group.initial.rebalance.delay.ms": 60_000}) as cluster,
        Client(cluster.bootstrap_servers) as client,
        GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin,
    ):
        client.send(join, JOIN_GROUP.max_version)
        eventually("the group is there", lambda: "g" in admin.describe(["g"]).done)
        with pytest.raises(error, match=complaint):
            admin.assignment_spec("g", timeout=10)


def test_topics_of_a_pattern_are_those_that_match(kafka: KafkaServer, admin: GroupAdmin) -> None:
    group_id, prefix = unique("patterned"), unique("shop")
    topics = {create_topic(kafka.bootstrap_servers, f"{prefix}-{place}", place) for place in (1, 2)}
    with Consumer(config_of(kafka, group_id)) as consumer:
        consumer.subscribe(SubscriptionPattern(f"{prefix}-.*"))
        poll_until([consumer], lambda: len(consumer.assignment()) == 3)
        spec = admin.assignment_spec(group_id)
    assert {topic.name for topic in spec.topics.values()} == topics
    assert explain(UniformAssignor(), spec).moves == ()


def test_racks_of_replicas_are_told_and_the_rack_aware_assignor_goes_by_them() -> None:
    async def read(cluster: Cluster) -> AssignmentSpec:
        async with AsyncGroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            return await admin.assignment_spec("g")

    config = {
        "broker.rack": "a,b",
        "group.consumer.assignors": "uniform,rack-aware",
        "group.consumer.min.heartbeat.interval.ms": 100,
        "group.consumer.heartbeat.interval.ms": 100,
        "group.consumer.assignment.interval.ms": 0,
    }
    with Cluster(brokers=2, config=config) as cluster, ExitStack() as stack:
        cluster.create_topic("orders", partitions=4)
        keys = {"bootstrap_servers": cluster.bootstrap_servers, "group_id": "g", "group_remote_assignor": "rack-aware"}
        members = [stack.enter_context(Consumer(client_rack=rack, **keys)) for rack in "ab"]
        for member in members:
            member.subscribe(["orders"])
        poll_until(members, lambda: [len(member.assignment()) for member in members] == [2, 2])
        spec = asyncio.run(read(cluster))
    (topic,) = spec.topics.values()
    assert topic == TopicMetadata("orders", 4, (("a",), ("b",), ("a",), ("b",)))
    told = explain(UniformAssignor(), spec)
    assert (told.across_before, told.moves) == (0, ())

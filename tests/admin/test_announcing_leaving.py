"""Members that are announced before they leave, by an admin and on the command line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafka_nextgen import GroupAdmin, GroupAuthorizationError, GroupNotFoundError, GroupType, UnsupportedProtocolError
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from tests.admin.conftest import groups
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.testing.broker.client import Client
from tests.testing.broker.extended import extended, heartbeat
from tests.testing.broker.group_requests import live_by_the_classic_protocol


@pytest.fixture
def client(embedded_kafka: KafkaServer) -> Iterator[Client]:
    with extended(embedded_kafka.bootstrap_servers) as client:
        yield client


@pytest.fixture
def group(client: Client, embedded_kafka: KafkaServer) -> str:
    """A group with the static members one and two, and the dynamic member c."""
    group_id = unique("leaving")
    topic = create_topic(embedded_kafka.bootstrap_servers, "leaving", 3)
    join(client, group_id, topic)
    return group_id


def join(client: Client, group: str, topic: str) -> None:
    heartbeat(client, group, "a", 0, instance_id="one", subscribed_topic_names=[topic])
    heartbeat(client, group, "b", 0, instance_id="two", subscribed_topic_names=[topic])
    heartbeat(client, group, "c", 0, subscribed_topic_names=[topic])


def leaving(admin: GroupAdmin, group: str) -> list[tuple[str | None, str, bool]]:
    return [(each.instance_id, each.member_id, each.has_left) for each in admin.describe([group])[group].leaving]


def test_each_member_has_a_result(ours: GroupAdmin, group: str) -> None:
    announced = ours.announce_leaving(group, ["one", "other", "one"], ["c", "nobody"])
    assert [(each.instance_id, each.member_id, getattr(each.error, "code", None)) for each in announced] == [
        ("one", None, None),
        ("other", None, ErrorCode.UNKNOWN_MEMBER_ID),
        (None, "c", None),
        (None, "nobody", ErrorCode.UNKNOWN_MEMBER_ID),
    ]
    other = announced[1].error
    assert other is not None
    assert other.group == group
    assert str(other).startswith(f"group {group}: instance other: UNKNOWN_MEMBER_ID: it is not a member of the group")
    assert leaving(ours, group) == [("one", "a", False), (None, "c", False)]


def test_who_has_left_is_told_and_an_announcement_can_be_cancelled(
    ours: GroupAdmin, client: Client, group: str
) -> None:
    ours.announce_leaving(group, ["one", "two"], ["c"], within=60)
    heartbeat(client, group, "b", -2, instance_id="two")
    heartbeat(client, group, "c", -1)
    assert leaving(ours, group) == [("one", "a", False), ("two", "b", True), (None, "c", True)]
    epoch = ours.describe([group])[group].group_epoch
    assert epoch is not None
    assert [each.error for each in ours.announce_leaving(group, ["two"], within=0)] == [None]
    assert [(each.instance_id, each.member_id) for each in ours.announce_leaving(group, within=0)] == [
        ("one", None),
        (None, "c"),
    ]
    (again,) = ours.announce_leaving(group, ["two"], within=0)
    advice = "it is not announced to leave; describe the group to see its members"
    assert str(again.error) == f"group {group}: instance two: UNKNOWN_MEMBER_ID: {advice}"
    after = ours.describe([group])[group]
    assert (after.group_epoch, after.leaving) == (epoch + 1, ())
    assert {member.instance_id for member in after.members} == {"one", "two"}
    assert ours.history(group)[-1].text == "as announced, c left"


def test_what_is_announced_outlives_the_broker(tmp_path: Path) -> None:
    with Cluster(data_dir=tmp_path) as cluster, extended(cluster.bootstrap_servers) as client:
        cluster.create_topic("orders", 3)
        join(client, "billing", "orders")
        with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            admin.announce_leaving("billing", ["one", "two"], within=60)
            heartbeat(client, "billing", "a", -1, instance_id="one")
            before = admin.describe(["billing"])["billing"].leaving
    with Cluster(data_dir=tmp_path) as cluster, GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        assert admin.describe(["billing"])["billing"].leaving == before
    assert [(each.instance_id, each.has_left) for each in before] == [("one", True), ("two", False)]


def test_a_classic_group_shows_it_too(ours: GroupAdmin, client: Client) -> None:
    live_by_the_classic_protocol(client)
    described = ours.describe(["old"])["old"]
    (member,) = described.members
    ours.announce_leaving("old", member_ids=[member.member_id])
    assert described.type is GroupType.CLASSIC
    assert leaving(ours, "old") == [(None, member.member_id, False)]


@pytest.mark.parametrize(
    ("named", "within", "error", "message"),
    [
        pytest.param({"instance_ids": "one"}, 60, TypeError, r"did you mean \['one'\]", id="a name for names"),
        pytest.param({"member_ids": [1]}, 60, TypeError, "member ids must be str, not 1", id="no name"),
        pytest.param({}, 60, ValueError, "specify the members that will leave", id="nobody"),
        pytest.param({"instance_ids": ["one"]}, -1, ValueError, "within must be a number of seconds", id="no time"),
        pytest.param({"instance_ids": ["one"]}, math.inf, ValueError, "up to 2147483", id="for ever"),
    ],
)
def test_what_cannot_be_asked_is_refused_here(
    ours: GroupAdmin, named: Any, within: float, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ours.announce_leaving("leaving", **named, within=within)


def test_a_group_that_does_not_exist_is_an_error(ours: GroupAdmin) -> None:
    with pytest.raises(GroupNotFoundError, match="nowhere"):
        ours.announce_leaving("nowhere", ["one"])


def test_who_may_not_join_may_not_announce() -> None:
    with (
        Cluster(rules=["allow User:* DESCRIBE GROUP billing"]) as cluster,
        GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin,
        pytest.raises(GroupAuthorizationError, match="billing"),
    ):
        admin.announce_leaving("billing", ["one"])


def test_a_broker_without_extensions_is_told_apart() -> None:
    with (
        Cluster(extensions=False) as cluster,
        GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin,
        pytest.raises(UnsupportedProtocolError, match="remove them with one request"),
    ):
        admin.announce_leaving("billing", ["one"])


def test_the_command_tells_an_outcome_for_each(embedded_kafka: KafkaServer, ours: GroupAdmin, group: str) -> None:
    servers = embedded_kafka.bootstrap_servers
    done = groups(servers, "announce-leaving", group, "-i", "one", "-m", "c", "--within", "60")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"Instance one is announced to leave {group}.\nMember c is announced to leave {group}.\n"

    done = groups(servers, "announce-leaving", group, "-i", "one", "-i", "other", "--within", "0", "--json")
    assert done.exit_code == 1
    one, other = json.loads(done.stdout)
    assert one == {"instance_id": "one", "member_id": None, "error": None}
    assert other["error"]["message"] in done.stderr
    assert (other["error"]["type"], other["error"]["code"]) == ("BrokerError", "UNKNOWN_MEMBER_ID")

    done = groups(servers, "announce-leaving", group, "--within", "0")
    assert (done.exit_code, done.stdout) == (0, f"Member c is no longer announced to leave {group}.\n")


def test_who_is_to_leave_has_a_table(embedded_kafka: KafkaServer, ours: GroupAdmin, client: Client, group: str) -> None:
    ours.announce_leaving(group, ["one"], ["c"])
    heartbeat(client, group, "a", -1, instance_id="one")
    told = groups(embedded_kafka.bootstrap_servers, "describe", group).stdout
    header, one, c = told.partition(f"\nLeaving {group}\n")[2].splitlines()
    assert header.split() == ["INSTANCE", "MEMBER", "UNTIL", "HAS", "LEFT"]
    assert one.startswith("one       a  ")
    assert one.endswith("+00:00  yes")
    assert c.startswith("-         c  ")
    assert c.endswith("+00:00  no")
    (document,) = json.loads(groups(embedded_kafka.bootstrap_servers, "describe", group, "--json").stdout)
    assert [(each["instance_id"], each["has_left"]) for each in document["leaving"]] == [("one", True), (None, False)]


@pytest.mark.parametrize("wrong", [(), ("-i", "one", "--within", "-1")])
def test_the_command_refuses_what_cannot_be(embedded_kafka: KafkaServer, wrong: tuple[str, ...]) -> None:
    assert groups(embedded_kafka.bootstrap_servers, "announce-leaving", "leaving", *wrong).exit_code == 2

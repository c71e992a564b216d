"""Members that are announced before they come, by an admin and on the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from kafka_nextgen import Consumer, GroupAdmin, GroupAuthorizationError, NewMember, UnsupportedProtocolError
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from tests.admin.conftest import groups
from tests.endtoend.reading import config_of, poll_until
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer


@pytest.fixture
def group() -> str:
    return unique("announced")


def codes(admin: GroupAdmin, group: str, *members: str | NewMember, **more: float) -> dict[str, int | None]:
    added = admin.add_members(group, members, **more)
    return {each.instance_id: getattr(each.error, "code", None) for each in added}


def expected(admin: GroupAdmin, group: str) -> list[str]:
    return [each.instance_id for each in admin.describe([group])[group].expected]


def test_each_instance_has_a_result(embedded_kafka: KafkaServer, ours: GroupAdmin, group: str) -> None:
    topic = create_topic(embedded_kafka.bootstrap_servers, "announced", 2)
    with Consumer(config_of(embedded_kafka, group, group_instance_id="here")) as member:
        member.subscribe([topic])
        poll_until([member], lambda: bool(member.assignment()))
        added = ours.add_members(group, ["here", "one", "one", NewMember("two", assignor="nearest"), ""], within=60)
    assert [each.instance_id for each in added] == ["here", "one", "two", ""]
    assert [getattr(each.error, "code", None) for each in added] == [
        ErrorCode.UNRELEASED_INSTANCE_ID,
        None,
        ErrorCode.UNSUPPORTED_ASSIGNOR,
        ErrorCode.INVALID_REQUEST,
    ]
    here = added[0].error
    assert here.group == group
    assert str(here).startswith(f"group {group}: instance here: UNRELEASED_INSTANCE_ID: it is already a member")


def test_announcing_again_is_no_error_and_cancelling_names_some_or_none(ours: GroupAdmin, group: str) -> None:
    assert codes(ours, group, "one", "two") == codes(ours, group, "one", "two") == {"one": None, "two": None}
    assert codes(ours, group, "two", "three", within=0) == {"two": None, "three": ErrorCode.UNKNOWN_MEMBER_ID}
    assert expected(ours, group) == ["one"]
    assert codes(ours, group, within=0) == {"one": None}
    assert expected(ours, group) == []
    ours.add_members(group, ["four"])
    assert [each.error for each in ours.remove_members(group, ["four"])] == [None]
    assert expected(ours, group) == []


def test_places_outlive_the_broker(tmp_path: Path, group: str) -> None:
    with Cluster(data_dir=tmp_path) as cluster, GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.add_members(group, ["one", NewMember("two", session_timeout=30)], within=60)
        before = admin.describe([group])[group].expected
    with Cluster(data_dir=tmp_path) as cluster, GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        assert admin.describe([group])[group].expected == before
    assert [each.instance_id for each in before] == ["one", "two"]
    assert 29_000 < before[0].until_ms - before[1].until_ms <= 30_000


@pytest.mark.parametrize(
    ("members", "within", "error", "message"),
    [
        pytest.param("one", 60, TypeError, r"did you mean \['one'\]", id="a name for names"),
        pytest.param(NewMember("one"), 60, TypeError, "must be a collection", id="a member for members"),
        pytest.param([1], 60, TypeError, "must be instance ids or NewMember, not 1", id="no name"),
        pytest.param([], 60, ValueError, "specify the members that will join", id="nobody"),
        pytest.param(["one"], -1, ValueError, "within must be a number of seconds", id="no time"),
        pytest.param(["one"], math.nan, ValueError, "within", id="no number"),
        pytest.param(["one"], math.inf, ValueError, "up to 2147483", id="for ever"),
        pytest.param([NewMember("one", session_timeout=0)], 60, ValueError, "session_timeout", id="no session"),
        pytest.param([NewMember("one", rebalance_timeout=-5)], 60, ValueError, "rebalance_timeout", id="below zero"),
    ],
)
def test_what_cannot_be_asked_is_refused_here(
    ours: GroupAdmin, members: Any, within: float, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ours.add_members("announced", members, within)


def test_who_may_not_join_may_not_announce() -> None:
    with (
        Cluster(rules=["allow User:* DESCRIBE GROUP announced"]) as cluster,
        GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin,
        pytest.raises(GroupAuthorizationError, match="announced"),
    ):
        admin.add_members("announced", ["one"])


def test_a_broker_without_extensions_is_told_apart(group: str) -> None:
    with (
        Cluster(extensions=False) as cluster,
        GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin,
        pytest.raises(UnsupportedProtocolError, match="no release of Apache Kafka has"),
    ):
        admin.add_members(group, ["one"])


def test_real_kafka_is_told_apart(real_kafka: KafkaServer, group: str) -> None:
    done = groups(real_kafka.bootstrap_servers, "add-members", group, "-i", "one")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no release of Apache Kafka has" in done.stderr
    assert "consumer.assignment.interval.ms" in done.stderr


def test_the_command_tells_an_outcome_for_each(embedded_kafka: KafkaServer, ours: GroupAdmin, group: str) -> None:
    servers = embedded_kafka.bootstrap_servers
    done = groups(servers, "add-members", group, "-i", "one", "-i", "two", "--within", "60", "--session-timeout", "9")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"Instance one is expected in {group}.\nInstance two is expected in {group}.\n"
    assert expected(ours, group) == ["one", "two"]

    done = groups(servers, "add-members", group, "-i", "one", "-i", "other", "--within", "0", "--json")
    assert done.exit_code == 1
    one, other = json.loads(done.stdout)
    assert one == {"instance_id": "one", "error": None}
    assert other["error"]["message"] in done.stderr
    assert (other["error"]["type"], other["error"]["code"]) == ("BrokerError", "UNKNOWN_MEMBER_ID")

    done = groups(servers, "add-members", group, "--within", "0")
    assert (done.exit_code, done.stdout) == (0, f"Instance two is no longer expected in {group}.\n")


@pytest.mark.parametrize("wrong", [(), ("-i", "one", "--within", "-1"), ("-i", "one", "--session-timeout", "0")])
def test_the_command_refuses_what_cannot_be(embedded_kafka: KafkaServer, group: str, wrong: tuple[str, ...]) -> None:
    assert groups(embedded_kafka.bootstrap_servers, "add-members", group, *wrong).exit_code == 2


def test_a_command_removes_members_by_instance_id(embedded_kafka: KafkaServer, ours: GroupAdmin, group: str) -> None:
    ours.add_members(group, ["one", "two"])
    done = groups(embedded_kafka.bootstrap_servers, "remove-members", group, "-i", "one", "-i", "other")
    assert (done.exit_code, done.stdout) == (1, f"Removed instance one from {group}.\n")
    assert f"group {group}: instance other: UNKNOWN_MEMBER_ID" in done.stderr
    assert expected(ours, group) == ["two"]


def test_instance_ids_are_given_as_a_list_with_commas(
    embedded_kafka: KafkaServer, ours: GroupAdmin, group: str
) -> None:
    servers = embedded_kafka.bootstrap_servers
    assert groups(servers, "add-members", group, "-i", "one,two", "-i", "two, three").exit_code == 0
    assert expected(ours, group) == ["one", "two", "three"]
    done = groups(servers, "remove-members", group, "-i", "one,three")
    assert (done.exit_code, done.stdout.splitlines()) == (
        0,
        [f"Removed instance one from {group}.", f"Removed instance three from {group}."],
    )
    assert expected(ours, group) == ["two"]

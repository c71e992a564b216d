"""What is shown of assignors in members, and of members that were announced, to programs and on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from attrs import frozen
from click.testing import CliRunner, Result

from kafka_nextgen import ExpectedMember, GroupAdmin, GroupType
from kafka_nextgen.assignors import ClientAssignor, Metadata
from kafka_nextgen.cli.main import cli
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from tests.testing.broker.client import Client
from tests.testing.broker.extended import Group, announce, extended
from tests.testing.broker.group_requests import live_by_the_classic_protocol

WEIGHTED = ClientAssignor("weighted", 0, 2, metadata=Metadata(1, b"a"))


@frozen
class Shown:
    """A group of two members, assigned by one of them with an error and metadata; and one is expected."""

    servers: str

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(cli, ["groups", *arguments, "-b", self.servers])


@pytest.fixture(scope="module")
def shown() -> Iterator[Shown]:
    config = {"group.consumer.assignment.interval.ms": 0, "group.initial.rebalance.delay.ms": 0}
    with Cluster(config=config) as cluster, extended(cluster.bootstrap_servers) as client:
        cluster.create_topic("orders", 4)
        group = Group(client, "billing", "orders")
        group.join()
        computing = group.chosen()
        group.install(computing, {"a": [0, 1, 2], "b": [3]}, group_epoch=group.prepare(computing).group_epoch, error=5)
        announce(client, "billing", "worker-7")
        yield Shown(cluster.bootstrap_servers)


def test_a_member_is_described_with_what_it_can_run_and_was_told(shown: Shown) -> None:
    with GroupAdmin(bootstrap_servers=shown.servers) as admin:
        group = admin.describe(["billing"])["billing"]
    members = {member.member_id: member for member in group.members}
    assert group.assignor == "weighted"
    assert members["a"].client_assignors == (WEIGHTED,)
    assert {member.assignment_error for member in group.members} == {5}
    assert {member.assignment_metadata for member in group.members} == {Metadata(1, b"hello")}
    (expected,) = group.expected
    assert expected == ExpectedMember("worker-7", expected.until_ms, has_joined=False)


def test_members_have_columns_for_it(shown: Shown) -> None:
    header, *rows = shown.run("members", "billing").stdout.splitlines()
    assert header.endswith("ASSIGNORS       ASSIGNOR ERROR  ASSIGNOR METADATA")
    assert all(row.endswith("weighted(0..2)               5  version 1, 5 bytes") for row in rows)


def test_who_is_expected_has_a_table(shown: Shown) -> None:
    told = shown.run("describe", "billing").stdout
    header, row = told.partition("\nExpected in billing\n")[2].splitlines()
    assert header.split("  ")[0] == "INSTANCE"
    assert row.startswith("worker-7  ")
    assert row.endswith("+00:00  no")


def test_who_is_expected_in_a_classic_group_is_shown_too(shown: Shown) -> None:
    with extended(shown.servers) as client, GroupAdmin(bootstrap_servers=shown.servers) as admin:
        live_by_the_classic_protocol(client)
        announce(client, "old", "worker-8")
        group = admin.describe(["old"])["old"]
        assert group.type is GroupType.CLASSIC
        assert [(each.instance_id, each.has_joined) for each in group.expected] == [("worker-8", False)]
        with Client(shown.servers) as stock:  # in the version that tells nobody else
            (told,) = stock.ask(apis.DESCRIBE_GROUPS, apis.DESCRIBE_GROUPS.request(groups=["old"])).groups  # type: ignore[call-arg]
        assert told.expected_members == ()


def test_programs_are_told_all_of_it(shown: Shown) -> None:
    (document,) = json.loads(shown.run("describe", "billing", "--members", "--json").stdout)
    assert [(each["instance_id"], each["has_joined"]) for each in document["expected"]] == [("worker-7", False)]
    first = document["members"][0]
    assert first["client_assignors"] == [
        {
            "name": "weighted",
            "minimum_version": 0,
            "maximum_version": 2,
            "reason": 0,
            "metadata": {"version": 1, "payload": b"a".hex()},
        }
    ]
    assert (first["assignment_error"], first["assignment_metadata"]["payload"]) == (5, b"hello".hex())


def test_without_extensions_nothing_of_it_is_there() -> None:
    with Cluster(extensions=False) as cluster, extended(cluster.bootstrap_servers) as client:
        cluster.create_topic("orders", 4)
        Group(client, "billing", "orders").join()
        with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            group = admin.describe(["billing"])["billing"]
        assert group.expected == ()
        assert all(member.client_assignors == () for member in group.members)
        assert "ASSIGNORS" not in Shown(cluster.bootstrap_servers).run("members", "billing").stdout

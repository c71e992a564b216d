"""Descriptions that say what the client may do with a group (KIP-430)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from click.testing import CliRunner, Result

from kafka_nextgen import AclOperation, Consumer, GroupAdmin
from kafka_nextgen.admin.acl_operations import operations_of
from kafka_nextgen.cli.main import cli
from kafka_nextgen.testing import Cluster
from tests.admin.conftest import Scene
from tests.endtoend.reading import poll_until

ALL = {
    AclOperation.READ,
    AclOperation.DELETE,
    AclOperation.DESCRIBE,
    AclOperation.DESCRIBE_CONFIGS,
    AclOperation.ALTER_CONFIGS,
}
RULES = ["allow User:ANONYMOUS ALL TOPIC *", "allow User:ANONYMOUS READ GROUP *", "deny User:ANONYMOUS DELETE GROUP *"]


@pytest.fixture(scope="module")
def guarded() -> Iterator[Cluster]:
    """A cluster with a group of each protocol, which its clients may only describe and read."""
    with Cluster(rules=RULES, config={"group.initial.rebalance.delay.ms": 0}) as cluster:
        cluster.create_topic("orders", 1)
        yield cluster


@pytest.fixture(scope="module", params=["consumer", "classic"])
def group(request: pytest.FixtureRequest, guarded: Cluster) -> Iterator[str]:
    protocol = request.param
    with Consumer(
        bootstrap_servers=guarded.bootstrap_servers, group_id=f"{protocol}s", group_protocol=protocol
    ) as member:
        member.subscribe(["orders"])
        poll_until([member], lambda: bool(member.assignment()))
        yield f"{protocol}s"


def describe(servers: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["groups", "describe", *arguments, "-b", servers])


def test_without_an_authorizer_everything_is_allowed(scene: Scene, admin: GroupAdmin) -> None:
    names = [scene.consumer_group, scene.classic_group]
    described = admin.describe(names, include_authorized_operations=True).all()
    assert [group.authorized_operations for group in described.values()] == [ALL, ALL]
    assert [group.authorized_operations for group in admin.describe(names).all().values()] == [None, None]


def test_acls_say_what_is_allowed(guarded: Cluster, group: str) -> None:
    with GroupAdmin(bootstrap_servers=guarded.bootstrap_servers) as admin:
        described = admin.describe([group], include_authorized_operations=True)[group]
    assert described.authorized_operations == {AclOperation.READ, AclOperation.DESCRIBE}


def test_the_command_shows_them_on_request(guarded: Cluster, group: str) -> None:
    servers = guarded.bootstrap_servers
    header, row = describe(servers, group, "--authorized-operations").stdout.splitlines()
    assert (header.split()[-1], row.split()[-2:]) == ("OPERATIONS", ["describe,", "read"])
    (document,) = json.loads(describe(servers, group, "--authorized-operations", "--json").stdout)
    assert document["authorized_operations"] == ["describe", "read"]
    assert "OPERATIONS" not in describe(servers, group).stdout
    assert "authorized_operations" not in json.loads(describe(servers, group, "--json").stdout)[0]


def test_numbers_that_are_no_single_known_operation_are_left_out() -> None:
    assert operations_of({0, 1, 2, 3, 8, 31}) == {AclOperation.READ, AclOperation.DESCRIBE}
    assert operations_of(None) is None

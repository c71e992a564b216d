"""Members with an assignor of their own, over the wire: told to compute, they prepare and install.

The coordinator's rules have scenarios; here every field has to arrive, and bad input to be refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from tests.broker.client import Client
from tests.broker.extended import Assignor, Group, announce, describe, extended, heartbeat, weighted
from tests.support.clients import unique


@pytest.fixture
def group(cluster: Cluster, ours: Client) -> Group:
    topic = unique("orders")
    cluster.create_topic(topic, 4)
    made = Group(ours, unique("billing"), topic)
    made.join()
    return made


def test_the_member_that_is_told_to_compute_assigns_the_group(group: Group) -> None:
    computing = group.chosen()
    prepared = group.prepare(computing)
    assert (prepared.error_code, prepared.assignor_name) == (ErrorCode.NONE, "weighted")
    words = {m.member_id: (m.assignor.metadata_version, m.assignor.metadata_bytes) for m in prepared.members}
    assert words == {"a": (1, b"a"), "b": (1, b"b")}
    assert {tuple(m.subscribed_topic_ids) for m in prepared.members} == {(group.topic_id,)}
    assert [(t.topic_id, t.topic_name, t.num_partitions) for t in prepared.topics] == [(group.topic_id, group.topic, 4)]

    installed = group.install(computing, {"a": [0, 1, 2], "b": [3]}, group_epoch=prepared.group_epoch, error=5)
    assert (installed.error_code, installed.error_message) == (ErrorCode.NONE, None)
    for member, numbers in {"a": [0, 1, 2], "b": [3]}.items():
        assignment = group.beat(member).assignment
        assert list(assignment.topic_partitions[0].partitions) == numbers
        assert (assignment.assignor_name, assignment.error) == ("weighted", 5)
        assert (assignment.metadata_version, assignment.metadata_bytes) == (1, b"hello")


def test_what_others_have_still_to_release_is_told_apart(group: Group) -> None:
    first = group.chosen()
    epoch = group.prepare(first).group_epoch
    group.install(first, {"a": [0, 1, 2, 3], "b": []}, group_epoch=epoch)
    owned = group.beat("a").assignment.topic_partitions
    group.beat("b", client_assignors=weighted(b"more", reason=1))
    second = group.chosen()
    group.install(second, {"a": [0, 1], "b": [2, 3]}, group_epoch=group.prepare(second).group_epoch)
    assert group.beat("a", topic_partitions=owned).assignment.topic_partitions[0].partitions == (0, 1)
    assignment = group.beat("b").assignment
    assert assignment.topic_partitions == ()
    assert [topic.partitions for topic in assignment.pending_topic_partitions] == [(2, 3)]


def test_the_group_is_described_with_its_assignors(group: Group, client: Client) -> None:
    computing = group.chosen()
    group.install(computing, {"a": [0, 1, 2], "b": [3]}, group_epoch=group.prepare(computing).group_epoch, error=5)
    described = describe(group.client, group.group_id)
    assert described.assignor_name == "weighted"
    for member in described.members:
        (assignor,) = member.client_assignors
        assert (assignor.name, assignor.maximum_version, assignor.metadata_bytes) == (
            "weighted",
            2,
            member.member_id.encode(),
        )
        target = member.target_assignment
        assert (target.error, target.metadata_version, target.metadata_bytes) == (5, 1, b"hello")
    for member in describe(client, group.group_id).members:  # as a stock client sees it
        assert member.client_assignors == ()
        target = member.target_assignment
        assert (target.error, target.metadata_version, target.metadata_bytes) == (0, 0, None)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        pytest.param({"group_id": ""}, ErrorCode.INVALID_REQUEST, id="no group id"),
        pytest.param({"member_id": ""}, ErrorCode.INVALID_REQUEST, id="no member id"),
        pytest.param({"member_epoch": -1}, ErrorCode.INVALID_REQUEST, id="an epoch below 0"),
        pytest.param({"group_id": "nowhere"}, ErrorCode.GROUP_ID_NOT_FOUND, id="no such group"),
        pytest.param({"member_id": "nobody"}, ErrorCode.UNKNOWN_MEMBER_ID, id="no such member"),
        pytest.param({"member_epoch": 99}, ErrorCode.STALE_MEMBER_EPOCH, id="another epoch"),
    ],
)
def test_whoever_may_not_compute_is_told_why(group: Group, fields: dict[str, Any], error: ErrorCode) -> None:
    computing = group.chosen()
    for answer in (group.prepare(computing, **fields), group.install(computing, {}, **fields)):
        assert answer.error_code == error


def test_who_was_not_chosen_can_not_compute(group: Group) -> None:
    (other,) = {"a", "b"} - {group.chosen()}
    assert group.prepare(other).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert group.install(other, {}).error_code == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        pytest.param([("a", [0, 1]), ("b", [2])], "3", id="a partition of nobody"),
        pytest.param([("a", [0, 1, 2, 3]), ("b", [3])], "3", id="a partition of two"),
        pytest.param([("a", [0, 1, 2, 3]), ("c", [])], "c", id="nobody's share"),
        pytest.param([("a", [0, 1, 2, 3, 4])], "4", id="no such partition"),
        pytest.param([("a", [0, 1, 2, 3, -1])], "-1", id="a negative partition"),
        pytest.param([("a", [0, 1]), ("a", [2, 3])], "a", id="a member twice"),
        pytest.param([("a", [0, 1, 2, 3, 3])], "a", id="a partition twice"),
    ],
)
def test_what_is_no_assignment_is_refused_in_words(
    group: Group, shares: list[tuple[str, list[int]]], said: str
) -> None:
    computing = group.chosen()
    epoch = group.prepare(computing).group_epoch
    members = [group.share(member, numbers) for member, numbers in shares]
    answer = group.install(computing, {}, group_epoch=epoch, members=members)
    assert answer.error_code == ErrorCode.INVALID_ASSIGNMENT
    assert said in answer.error_message


def test_an_assignor_that_failed_is_heard_of_by_everybody(group: Group) -> None:
    computing = group.chosen()
    epoch = group.prepare(computing).group_epoch
    answer = group.install(computing, {}, group_epoch=epoch, error_message="it raised KeyError")
    assert answer.error_code == ErrorCode.NONE
    for member in ("a", "b"):
        assert "it raised KeyError" in group.beat(member).assignment_message


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"name": ""}, id="no name"),
        pytest.param({"minimum_version": -2}, id="a minimum below -1"),
        pytest.param({"maximum_version": -1}, id="a maximum below 0"),
        pytest.param({"minimum_version": 2}, id="a range that is empty"),
        pytest.param({"metadata_version": 2}, id="metadata outside the range"),
    ],
)
def test_an_assignor_that_can_not_be_is_refused(ours: Client, topic: str, fields: dict[str, Any]) -> None:
    assignor = Assignor(**{"name": "weighted", "maximum_version": 1, **fields})
    answer = heartbeat(ours, unique("g"), "m", 0, subscribed_topic_names=[topic], client_assignors=[assignor])
    assert answer.error_code == ErrorCode.INVALID_REQUEST
    assert answer.error_message


def test_an_assignor_here_and_one_of_the_coordinator_exclude_each_other(ours: Client, topic: str) -> None:
    both = {"client_assignors": weighted(b""), "server_assignor": "range"}
    answer = heartbeat(ours, unique("g"), "m", 0, subscribed_topic_names=[topic], **both)
    assert answer.error_code == ErrorCode.INVALID_REQUEST


def test_what_was_assigned_outlives_the_broker_and_is_passed_over_without_extensions(tmp_path: Path) -> None:
    config = {"group.consumer.assignment.interval.ms": 0}
    with Cluster(data_dir=tmp_path, config=config) as cluster, extended(cluster.bootstrap_servers) as client:
        cluster.create_topic("orders", 4)
        group = Group(client, "billing", "orders")
        group.join()
        computing = group.chosen()
        group.install(computing, {"a": [0, 1, 2], "b": [3]}, group_epoch=group.prepare(computing).group_epoch, error=5)
        announce(client, "billing", "i", "j")
        before = describe(client, "billing")
    with Cluster(data_dir=tmp_path, config=config) as cluster, extended(cluster.bootstrap_servers) as client:
        assert describe(client, "billing") == before
    stock = Cluster(data_dir=tmp_path, config=config, extensions=False)
    with stock as cluster, Client(cluster.bootstrap_servers) as client:
        assert targets(client) == {"a": (0, 1, 2), "b": (3,)}
        heartbeat(client, "billing", "c", 0, instance_id="i", subscribed_topic_names=["orders"])
        assert describe(client, "billing").assignor_name == "uniform"
        assert sorted(map(len, targets(client).values())) == [1, 1, 2], "nobody waits for others"


def targets(client: Client) -> dict[str, Sequence[int]]:
    members = describe(client, "billing").members
    return {member.member_id: member.target_assignment.topic_partitions[0].partitions for member in members}

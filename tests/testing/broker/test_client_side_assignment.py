"""Members with an assignor of their own, over the wire: told to compute, they prepare and install.

The coordinator's rules have scenarios; here every field has to arrive, and bad input to be refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from tests.support.clients import unique
from tests.testing.broker.client import Client
from tests.testing.broker.extended import Group, announce, describe, extended, heartbeat, weighted


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
        expected = ("weighted", 2, member.member_id.encode())
        assert (assignor.name, assignor.maximum_version, assignor.metadata_bytes) == expected
        target = member.target_assignment
        assert (target.error, target.metadata_version, target.metadata_bytes) == (5, 1, b"hello")
    for member in describe(client, group.group_id).members:  # as a stock client sees it
        assert member.client_assignors == ()
        target = member.target_assignment
        assert (target.error, target.metadata_version, target.metadata_bytes) == (0, 0, None)


def test_whoever_may_not_compute_is_told_why(group: Group) -> None:
    computing = group.chosen()
    (other,) = {"a", "b"} - {computing}
    for fields, error in (
        ({"group_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"member_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"member_epoch": -1}, ErrorCode.INVALID_REQUEST),
        ({"group_id": "nowhere"}, ErrorCode.GROUP_ID_NOT_FOUND),
        ({"member_id": "nobody"}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"member_id": other, "member_epoch": group.epochs[other]}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"member_epoch": 99}, ErrorCode.STALE_MEMBER_EPOCH),
    ):
        for answer in (group.prepare(computing, **fields), group.install(computing, {}, **fields)):
            assert answer.error_code == error


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        pytest.param([("a", [0, 1, 2, 3]), ("b", [3])], "3", id="a partition of two"),
        pytest.param([("a", [0, 1, 2, 3, -1])], "-1", id="a negative partition"),
        pytest.param([("a", [0, 1]), ("a", [2, 3])], "a", id="a member twice"),
        pytest.param([("a", [0, 1, 2, 3, 3])], "a", id="a partition twice"),
    ],
)
def test_what_is_no_assignment_is_refused_in_words(
    group: Group, shares: list[tuple[str, list[int]]], said: str
) -> None:
    """What only bytes can say, and one thing beside it: for the rest the coordinator has scenarios."""
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


def test_an_assignor_that_can_not_be_is_refused(ours: Client, topic: str) -> None:
    right = {"name": "weighted", "maximum_version": 1}
    for wrong in (
        {"name": ""},
        {"minimum_version": -2},  # below -1
        {"maximum_version": -1},
        {"minimum_version": 2},  # a range that is empty
        {"metadata_version": 2},  # outside the range
    ):
        joining = {"subscribed_topic_names": [topic], "client_assignors": [{**right, **wrong}]}
        answer = heartbeat(ours, unique("g"), "m", 0, **joining)
        assert answer.error_code == ErrorCode.INVALID_REQUEST
        assert answer.error_message
    both = {"client_assignors": [right], "server_assignor": "range"}
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

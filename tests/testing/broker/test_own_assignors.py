"""Assignors of one's own in the coordinator: how a broker comes by them, and what they see and may say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.assignors import (
    AssignmentSpec,
    GroupAssignment,
    PartitionAssignor,
    PartitionAssignorError,
    RangeAssignor,
    UniformAssignor,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker import BrokerSettings
from tests.testing.broker.client import Client
from tests.testing.broker.extended import describe
from tests.testing.broker.group_requests import heartbeat

KEY = "group.consumer.assignors"


class Seen(PartitionAssignor):
    """Uniform, but it keeps what it was asked, and gives up when it is told to."""

    name = "seen"

    def __init__(self) -> None:
        self.groups: list[AssignmentSpec] = []
        self.gives_up = False

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        self.groups.append(group)
        if self.gives_up:
            raise PartitionAssignorError("not today")
        return UniformAssignor().assign(group)


def named(name: str) -> type[Seen]:
    return type("Named", (Seen,), {"name": name})


class Needy(Seen):
    def __init__(self, what: str) -> None:
        super().__init__()


SEEN = Seen()


def test_names_classes_and_objects_may_stand_side_by_side() -> None:
    settings = BrokerSettings.from_properties({KEY: [SEEN, " range", UniformAssignor]})
    seen, second, third = settings.group_consumer_assignors
    assert seen is SEEN
    assert isinstance(second, RangeAssignor)
    assert isinstance(third, UniformAssignor)
    assert settings.as_properties()[KEY] == "seen,range,uniform"


def test_one_alone_needs_no_list() -> None:
    assert BrokerSettings.from_properties({KEY: SEEN}).group_consumer_assignors == (SEEN,)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([SEEN, Seen], "seen, seen: two assignors have the same name"),
        (["uniform", UniformAssignor()], "two assignors have the same name"),
        ([], "at least one"),
        ("", "at least one"),
        ("range,range", "two assignors have the same name"),
        ("sticky", "no assignor 'sticky', only uniform, range, rack-aware, weighted"),
        (Needy, "Needy can't be instantiated without arguments"),
        (named(""), "must be a string that is not blank and has no commas, not ''"),
        (named("a,b"), "must be a string that is not blank and has no commas, not 'a,b'"),
        (object, "must be PartitionAssignor objects or classes, or module:Class"),
        ("tests.testing.broker.test_own_assignors:Seen", "on the command line as MODULE:CLASS"),
    ],
)
def test_what_is_no_assignor_is_refused(value: object, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint) as refused:
        BrokerSettings.from_properties({KEY: value})
    assert refused.value.key == KEY


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def client(seen: Seen) -> Iterator[Client]:
    config = {
        "broker.rack": "r1,r2",
        "default.replication.factor": 2,
        KEY: ["uniform", seen],
        "group.consumer.assignment.interval.ms": 0,
        "offsets.topic.num.partitions": 1,
    }
    with Cluster(brokers=2, config=config) as cluster:
        cluster.create_topic("orders", partitions=2)
        with Client(cluster.bootstrap_servers) as connected:
            yield connected


def join(client: Client, member_id: str, assignor: str | None) -> tuple[int, str | None]:
    how = {"rack_id": "r2", "subscribed_topic_names": ["orders"], "server_assignor": assignor}
    answer = heartbeat(client, "billing", 0, member_id=member_id, **how)
    return answer.error_code, answer.error_message


def test_it_assigns_whoever_votes_for_it_and_sees_racks(client: Client, seen: Seen) -> None:
    assert join(client, "A", None)[0] == ErrorCode.NONE
    assert seen.groups == []
    assert join(client, "B", "seen")[0] == ErrorCode.NONE
    (group,) = seen.groups
    assert {member_id: member.rack_id for member_id, member in group.members.items()} == {"A": "r2", "B": "r2"}
    (topic,) = group.topics.values()
    assert (topic.name, topic.partition_racks) == ("orders", (("r1", "r2"), ("r1", "r2")))
    assert describe(client, "billing").assignor_name == "seen"


def test_a_group_it_can_t_assign_is_told_so_and_nothing_of_it_is_kept(client: Client, seen: Seen) -> None:
    seen.gives_up = True
    code, message = join(client, "A", "seen")
    assert code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert "'seen' can't assign group 'billing'" in (message or "")
    assert "not today" in (message or "")
    assert describe(client, "billing").error_code == ErrorCode.GROUP_ID_NOT_FOUND
    seen.gives_up = False
    assert join(client, "A", "seen")[0] == ErrorCode.NONE


def test_nobody_can_vote_for_what_is_not_there(client: Client) -> None:
    assert join(client, "A", "tests.testing.broker.test_own_assignors:Seen")[0] == ErrorCode.UNSUPPORTED_ASSIGNOR

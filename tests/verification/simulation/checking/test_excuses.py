"""What a run is excused for, and nothing beside it."""

from __future__ import annotations

from uuid import UUID

import pytest
from attrs import define, evolve, field

from kafka_nextgen.groups.consumer_protocol import encode_assignment
from kafka_nextgen.groups.records import (
    ClassicGroupMetadataRemoved,
    ClassicProtocols,
    CurrentMemberAssignment,
    MemberMetadata,
    MemberStatus,
    Record,
)
from kafka_nextgen.membership.state_machine import Numbering
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.draft import Outcome
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, Request, TopicImage
from kafka_nextgen.types import TopicIdPartition, TopicPartition
from tests.verification.scenario_language.notation import parse_partitions
from tests.verification.scenario_language.watching import Watch
from tests.verification.simulation.checking.excuses import Excuse, Excuses
from tests.verification.simulation.checking.judged_client import FOO, ID0, ID1, client
from tests.verification.simulation.classic_clients import ClassicClient

BEFORE = TopicIdPartition(UUID(int=2), 1)
NEW = TopicIdPartition(UUID(int=3), 0)
JOIN = JoinGroup(1, "g", "A-1", "consumer", (), 12_000, 15_000)
LATE = ConsumerGroupHeartbeat("g", "A-1", 3)


class Working(Watch):
    """A watch of a client that works on foo's partition 0."""

    @property
    def working_on(self) -> frozenset[TopicIdPartition]:
        return frozenset({ID0})


def granted(*partitions: TopicIdPartition) -> CurrentMemberAssignment:
    return CurrentMemberAssignment("g", "A-1", 3, 2, MemberStatus.STABLE, tuple((each, 3) for each in partitions), ())


@define
class Scene:
    """A classic client A in a consumer group, and what is found of its partitions."""

    excuses: Excuses = field(factory=Excuses)
    client: ClassicClient = field(factory=client)
    group: Group = field(factory=lambda: Group("g", 0))
    request: Request = LATE

    def __attrs_post_init__(self) -> None:
        self.client.member = _Named()  # type: ignore[assignment]
        self.client.cluster.names[BEFORE.topic_id] = "foo"
        self.client.cluster.topics["foo"] = TopicImage(FOO, "foo", 2)

    def writes(self, *records: Record, late: bool = False) -> None:
        for record in records:
            if isinstance(record, CurrentMemberAssignment):
                self.group.currents[record.member_id] = record
        outcome = Outcome(None, records)
        self.excuses.granted(outcome)
        self.excuses.in_force(self.group, self.request, late, outcome, {self.client: Working()}, {FOO})

    def found(self, *working_on: TopicIdPartition) -> set[TopicIdPartition]:
        return set(self.excuses.but_for(self.client, frozenset(working_on), set(), self.client.cluster))


class _Named:
    member_id = "A-1"
    member_epoch = 3
    state = Numbering(last_number=3)


def test_what_is_not_reserved_is_found() -> None:
    assert Scene().found(ID0, ID1) == {ID0, ID1}


def test_a_topic_made_again_is_read_by_its_name_until_the_new_one_is_assigned() -> None:
    scene = Scene()
    scene.writes(granted(BEFORE))
    assert scene.found(ID0, ID1) == {ID0}
    scene.writes(granted(ID1))
    assert scene.found(ID1) == {ID1}
    assert scene.excuses.counts == {Excuse.MADE_AGAIN: 1}


def test_what_is_gone_is_given_to_no_other_member() -> None:
    scene = Scene()
    scene.client.cluster.topics["foo"] = TopicImage(FOO, "foo", 1)
    assert scene.found(ID0, ID1) == {ID0}
    assert scene.excuses.counts == {Excuse.GONE: 1}


@pytest.mark.parametrize(
    ("records", "late", "excuse"),
    [
        ([ClassicGroupMetadataRemoved("g")], False, Excuse.UPGRADE),
        ([], True, Excuse.LATE_REPORT),
    ],
)
def test_what_is_taken_from_a_member_that_works_on_it_is_excused_until_it_gives_it_up(
    records: list[Record], late: bool, excuse: Excuse
) -> None:
    scene = Scene()
    scene.writes(granted(), *records, late=late)
    assert scene.found(ID0, ID1) == {ID1}
    assert scene.excuses.counts == {excuse: 1}
    assert scene.found() == set()
    assert scene.found(ID0) == {ID0}, "it got it again by itself"


def test_an_upgrade_does_not_know_what_members_have_of_topics_not_heard_of() -> None:
    scene = Scene()
    scene.client.cluster.names[NEW.topic_id] = "new"
    scene.client.cluster.topics["new"] = TopicImage(NEW.topic_id, "new", 1)
    scene.writes(granted(), ClassicGroupMetadataRemoved("g"))
    assert scene.found(NEW) == set()
    scene.writes(granted(NEW))
    assert scene.found(NEW) == {NEW}, "it had it by its id since"


def test_what_a_late_join_takes_from_a_member_that_is_about_to_begin_is_excused_until_it_hears_of_that() -> None:
    scene = Scene()
    scene.writes(granted(ID1))
    scene.excuses.asked(scene.group, LATE)
    scene.writes(granted(), late=True)
    assert scene.found(ID1) == set(), "it was told of it, and begins with it when its application polls"
    assert scene.excuses.counts[Excuse.LATE_REPORT] == 2, "of what it worked on, too"
    assert scene.found() == set()
    scene.excuses.told(scene.client, scene.client.member.state.last_number)
    assert scene.found(ID1) == set(), "the answer was on its way"
    assert scene.found() == set()
    scene.excuses.told(scene.client, scene.client.member.state.last_number + 1)
    assert scene.found(ID1) == {ID1}


def test_a_removed_member_that_joins_again_goes_on_with_what_it_had() -> None:
    scene = Scene(request=JOIN)
    scene.excuses.asked(scene.group, JOIN)
    scene.group.members["A-1"] = None  # type: ignore[assignment]
    scene.writes(granted())
    assert scene.found(ID0, ID1) == {ID1}
    assert scene.excuses.counts == {Excuse.REMOVED: 1}


def test_a_removed_member_goes_on_with_what_another_may_have_had_until_it_gives_it_up() -> None:
    scene = Scene(request=JOIN)
    scene.excuses.asked(scene.group, JOIN)
    scene.writes(granted(ID0))
    assert scene.excuses.goes_on("A-1", ID0)
    assert not scene.excuses.goes_on("A-1", ID1)
    scene.found(ID1)
    assert not scene.excuses.goes_on("A-1", ID0), "it gave it up"


def test_one_that_was_not_removed_has_to_keep_to_what_is_reserved() -> None:
    scene = Scene(request=JOIN)
    scene.group.members["A-1"] = None  # type: ignore[assignment]
    scene.excuses.asked(scene.group, JOIN)
    scene.writes(granted())
    assert scene.found(ID0, ID1) == {ID0, ID1}


def _stable(*assigned: str, generation: int = 3) -> ClassicGroup:
    member = ClassicMember("A-2", "A", "c", "h", 15_000, 12_000, (), encode_assignment(parse_partitions(*assigned)))
    return ClassicGroup("g", ClassicStatus.STABLE, generation, members={"A-2": member})


def test_what_the_assignment_lacks_may_have_no_reader_if_its_leader_came_back_and_does_not_know_that_it_leads() -> None:
    scene = Scene(request=evolve(JOIN, member_id="", instance_id="A", version=8))
    scene.group.classic = _stable("foo[0]")
    assert not scene.excuses.is_left_out(scene.group, TopicPartition("foo", 1), FOO)
    scene.writes()
    assert scene.excuses.is_left_out(scene.group, TopicPartition("foo", 1), FOO)
    assert scene.excuses.counts == {Excuse.CAME_BACK: 1}
    assert not scene.excuses.is_left_out(scene.group, TopicPartition("foo", 0), FOO), "it is assigned"
    scene.group.classic = _stable("foo[0]", generation=4)
    assert not scene.excuses.is_left_out(scene.group, TopicPartition("foo", 1), FOO), "the group has rebalanced since"


def test_a_static_member_that_came_back_by_the_newest_version_compares_what_its_assignment_lacks() -> None:
    scene = Scene(request=evolve(JOIN, member_id="", instance_id="A"))
    scene.group.classic = _stable("foo[0]")
    scene.writes()
    assert not scene.excuses.is_left_out(scene.group, TopicPartition("foo", 1), FOO)


def test_what_a_member_waits_for_may_have_no_reader_when_a_static_member_makes_its_group_a_classic_one() -> None:
    join = evolve(JOIN, member_id="", instance_id="A")
    scene = Scene(request=join)
    metadata = MemberMetadata(
        "g", "B-1", None, None, "c", "h", ("foo",), None, 15_000, None, ClassicProtocols(12_000, ())
    )
    scene.group.members["B-1"] = metadata
    scene.group.targets["B-1"] = {FOO: frozenset({0, 1})}
    scene.group.currents["B-1"] = CurrentMemberAssignment("g", "B-1", 3, 3, MemberStatus.STABLE, ((ID0, 3),), ())
    scene.excuses.asked(scene.group, join)
    scene.group.members.clear()
    scene.group.classic = _stable("foo[0-1]")
    scene.writes()
    assert scene.excuses.is_left_out(scene.group, TopicPartition("foo", 1), FOO)
    assert not scene.excuses.is_left_out(scene.group, TopicPartition("foo", 0), FOO), "it was told of that"


def test_a_request_in_time_excuses_nothing() -> None:
    scene = Scene()
    scene.writes(granted())
    assert scene.found(ID0) == {ID0}
    assert not scene.excuses.counts

"""The coordinator as a machine: what changes it, what does not, and what its log says."""

from __future__ import annotations

from copy import deepcopy
from uuid import UUID

import pytest
from attrs import evolve

from kafka_nextgen.assignors import AssignmentSpec, GroupAssignment, MemberAssignment, PartitionAssignor
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator.coordinator import Coordinator
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, TopicImage, TopicsChanged
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.types import TopicIdPartition
from tests.testing.coordinator.stage import GROUP, JOIN, Stage

FOO, BAR = UUID(int=1), UUID(int=2)


def test_handling_changes_nothing() -> None:
    stage = Stage()
    stage.set_topic("foo", 2)
    stage.ask(JOIN)
    before = deepcopy(stage.coordinator.groups)
    outcome = stage.coordinator.handle(evolve(JOIN, member_id="B"), stage.now)
    assert outcome.records
    assert stage.coordinator.groups == before
    assert stage.coordinator.handle(evolve(JOIN, member_id="B"), stage.now) == outcome


def test_a_join_is_written_in_kafkas_order() -> None:
    stage = Stage()
    stage.set_topic("foo", 2)
    assert [type(record) for record in stage.ask(JOIN).records] == [
        r.MemberMetadata,
        r.GroupMetadata,
        r.TargetAssignmentMember,
        r.TargetAssignmentMetadata,
        r.CurrentMemberAssignment,
    ]


def test_a_heartbeat_with_nothing_new_writes_nothing_and_keeps_the_session() -> None:
    stage = Stage()
    stage.ask(JOIN)
    before = stage.coordinator.deadline()
    stage.now += 3
    outcome = stage.ask(ConsumerGroupHeartbeat(GROUP, "A", 2))
    assert outcome.records == ()
    assert before is not None
    assert stage.coordinator.deadline() == before + 3


def test_the_same_topics_again_are_no_change() -> None:
    coordinator = Coordinator(CoordinatorSettings())
    topics = {"foo": TopicImage(FOO, "foo", 2)}
    coordinator.commit(coordinator.handle(TopicsChanged(topics), 1.0))
    known = coordinator.topics
    coordinator.commit(coordinator.handle(TopicsChanged(dict(topics)), 2.0))
    assert coordinator.topics is known


def test_other_racks_make_a_new_assignment() -> None:
    stage = Stage()
    stage.set_topic("foo", 1)
    stage.ask(JOIN)
    stage.topics["foo"] = evolve(stage.topics["foo"], partition_racks=(("a", "b"),))
    stage.ask(TopicsChanged(dict(stage.topics)))
    stage.ask(ConsumerGroupHeartbeat(GROUP, "A", 2))
    assert stage.group.epoch == 3

    stage.topics["foo"] = evolve(stage.topics["foo"], partition_racks=(("b", "a"),))
    stage.ask(TopicsChanged(dict(stage.topics)))
    stage.ask(ConsumerGroupHeartbeat(GROUP, "A", 3))
    assert stage.group.epoch == 3, "in which order a partition's racks are told means nothing"


def test_tombstones_for_what_is_not_there_are_nothing() -> None:
    coordinator = Coordinator(CoordinatorSettings())
    for record in (
        r.CurrentMemberAssignmentRemoved("g", "A"),
        r.TargetAssignmentMemberRemoved("g", "A"),
        r.MemberMetadataRemoved("g", "A"),
        r.RegularExpressionRemoved("g", "a.*"),
        r.TargetAssignmentMetadataRemoved("g"),
        r.GroupMetadataRemoved("g"),
    ):
        coordinator.apply(record)
    assert coordinator.groups == {}


def test_a_compacted_log_may_tell_of_the_next_owner_first() -> None:
    """B got the partition from A, and A's record that it had let go was superseded by a later one of A's."""
    partition = TopicIdPartition(FOO, 0)
    had = r.CurrentMemberAssignment("g", "A", 1, 0, r.MemberStatus.STABLE, ((partition, 1),), ())
    got = r.CurrentMemberAssignment("g", "B", 2, 0, r.MemberStatus.STABLE, ((partition, 2),), ())
    later = evolve(had, member_epoch=3, assigned=())
    coordinator = Coordinator(CoordinatorSettings())
    for record in (had, got, later):
        coordinator.apply(record)
    assert coordinator.groups["g"].owners == {partition: "B"}


def test_a_compacted_log_may_tell_of_a_pattern_before_its_group() -> None:
    matches = r.RegularExpression("g", "f.*", ("foo",), 1, 1000)
    coordinator = Coordinator(CoordinatorSettings())
    coordinator.apply(matches)
    coordinator.apply(r.GroupMetadata("g", 2))
    assert coordinator.groups["g"].patterns == {"f.*": matches}


class Saying(PartitionAssignor):
    name = "saying"

    def __init__(self, what: dict[str, dict[UUID, set[int]]] | Exception) -> None:
        self.what = what

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        if isinstance(self.what, Exception):
            raise self.what
        return GroupAssignment({member_id: MemberAssignment(share) for member_id, share in self.what.items()})


@pytest.mark.parametrize(
    ("says", "complaint"),
    [
        (ValueError("out of order"), "out of order"),
        ({"A": {FOO: {0, 1}}, "B": {FOO: {1}}}, "gave foo[1] to both A and B"),
    ],
)
def test_an_assignor_that_fails_or_lies_undoes_the_heartbeat(
    says: dict[str, dict[UUID, set[int]]] | Exception, complaint: str
) -> None:
    assignor = Saying({"A": {FOO: {0, 1}}})
    settings = CoordinatorSettings(group_consumer_assignors=(assignor,), group_consumer_assignment_interval_ms=0)
    coordinator = Coordinator(settings)
    topics = TopicsChanged({"foo": TopicImage(FOO, "foo", 2), "bar": TopicImage(BAR, "bar", 1)})
    for request in (topics, JOIN):
        coordinator.commit(coordinator.handle(request, 1.0))
    assignor.what = says
    outcome = coordinator.handle(evolve(JOIN, member_id="B", subscribed_topics=frozenset({"foo", "bar"})), 2.0)
    answer = outcome.response
    assert isinstance(answer, ConsumerGroupHeartbeatAnswer)
    assert answer.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert complaint in (answer.message or "")
    assert outcome.records == ()
    assert outcome.timers == ()

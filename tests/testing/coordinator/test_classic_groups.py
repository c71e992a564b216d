"""Classic groups: what the scenarios can't tell, and odd branches, each with the least it takes to get there."""

from __future__ import annotations

import re
from typing import Any

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.described import GroupsDescribed
from kafka_nextgen.groups.leaving import LeaveGroup, LeaveGroupAnswer, LeavingMember, LeftMember
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.recording import record_of, taken_in
from kafka_nextgen.testing.coordinator.classic.requests import DescribeGroups, Heartbeat, JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import (
    HeartbeatAnswer,
    JoinGroupAnswer,
    Parked,
    SyncGroupAnswer,
)
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.requests import DeleteGroups, OffsetCommit
from kafka_nextgen.testing.coordinator.timers import TimerKey, TimerKind
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.testing.coordinator.stage import GROUP, Stage
from tests.verification.invariants.classic_groups import classic_violations

RANGE = OfferedProtocol("range", b"said")


@pytest.fixture
def stage() -> Stage:
    return Stage()


def join(number: int, name: str, instance_id: str | None = None, **more: Any) -> JoinGroup:
    fields = {"session_timeout_ms": 10_000, "rebalance_timeout_ms": 60_000, "version": 3, "new_member_id": name}
    return JoinGroup(number, GROUP, "", "consumer", (RANGE,), instance_id=instance_id, **{**fields, **more})


def join_again(number: int, name: str, **more: Any) -> JoinGroup:
    return evolve(join(number, name, **more), member_id=name)


def released(outcome: Outcome) -> dict[int, object]:
    return dict(outcome.released)


def begin(stage: Stage, *names: str) -> None:
    """A group of these, its leader, the first, about to assign."""
    for number, name in enumerate(names, start=100):
        stage.ask(join(number, name, f"instance of {name}"))
    list(stage.pass_time(10))


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (evolve(join(1, "A"), group_id=""), JoinGroupAnswer(ErrorCode.INVALID_GROUP_ID)),
        (SyncGroup(1, "", 1, "A"), SyncGroupAnswer(ErrorCode.INVALID_GROUP_ID)),
        (Heartbeat("", 1, "A"), HeartbeatAnswer(ErrorCode.INVALID_GROUP_ID)),
        (LeaveGroup("", (LeavingMember("A"),)), LeaveGroupAnswer((), ErrorCode.INVALID_GROUP_ID)),
        (SyncGroup(1, GROUP, 1, "A"), SyncGroupAnswer(ErrorCode.UNKNOWN_MEMBER_ID)),
        (Heartbeat(GROUP, 1, "A"), HeartbeatAnswer(ErrorCode.UNKNOWN_MEMBER_ID)),
    ],
)
def test_a_group_that_can_not_be_or_is_not_there(stage: Stage, request_: Any, answer: object) -> None:
    assert stage.ask(request_).response == answer
    assert stage.log == []


def test_a_leave_of_nobody_removes_nobody(stage: Stage) -> None:
    """Neither a member id nor an instance id is given (KIP-345, "Leave Group Logic Change")."""
    stage.ask(join(1, "A"))
    nobody = LeavingMember("")
    answer = stage.ask(LeaveGroup(GROUP, (nobody, nobody))).response
    assert answer == LeaveGroupAnswer((LeftMember("", None, ErrorCode.UNKNOWN_MEMBER_ID),) * 2)


def test_a_repeated_join_takes_the_place_of_the_one_that_waits(stage: Stage) -> None:
    begin(stage, "A")
    stage.ask(join(1, "B"))
    outcome = stage.ask(join_again(2, "B"))
    assert (outcome.response, released(outcome)) == (Parked(2), {1: None})
    outcome = stage.ask(join_again(3, "A"))
    assert isinstance(outcome.response, JoinGroupAnswer)
    assert set(released(outcome)) == {2}
    stage.check()


def test_a_repeated_sync_takes_the_place_of_the_one_that_waits(stage: Stage) -> None:
    begin(stage, "A", "B")
    assert stage.ask(SyncGroup(1, GROUP, 1, "B")).response == Parked(1)
    outcome = stage.ask(SyncGroup(2, GROUP, 1, "B"))
    assert (outcome.response, released(outcome)) == (Parked(2), {1: None})
    outcome = stage.ask(SyncGroup(3, GROUP, 1, "A", assignments=(("B", b"part"),)))
    assert outcome.response == SyncGroupAnswer(protocol_type="consumer", protocol_name="range", assignment=b"")
    assert released(outcome) == {2: evolve(outcome.response, assignment=b"part")}


def test_reasons_come_to_the_log(stage: Stage) -> None:
    first = stage.ask(join(1, "A", reason="scaled out"))
    assert first.notes == ("group g is rebalancing from generation 0: A joined (scaled out)",)
    list(stage.pass_time(3))
    again = stage.ask(join_again(2, "A", rebalance_timeout_ms=1, reason="new topic"))
    assert again.notes == ()  # nothing changed, and it may have missed the answer
    left = stage.ask(LeaveGroup(GROUP, (LeavingMember("A", reason="closing"),)))
    assert left.notes == (
        "group g is rebalancing from generation 1: A left (closing)",
        "group g is empty, at generation 2",
    )


def test_nothing_happens_before_an_outcome_is_committed(stage: Stage) -> None:
    begin(stage, "A", "B")
    before, timers = stage.group.classic, set(stage.coordinator.timers.running())
    for request in (SyncGroup(1, GROUP, 1, "A"), LeaveGroup(GROUP, (LeavingMember("A"),)), join(2, "C")):
        stage.coordinator.handle(request, stage.now)
        assert stage.group.classic is before
    assert set(stage.coordinator.timers.running()) == timers


def test_a_deleted_group_leaves_nothing_to_wait_for(stage: Stage) -> None:
    stage.ask(join(1, "A", version=4))
    assert stage.coordinator.deadline() is not None
    stage.ask(DeleteGroups((GROUP,)))
    assert stage.coordinator.deadline() is None
    assert stage.coordinator.groups == {}


def test_a_session_goes_on_with_each_commit(stage: Stage) -> None:
    begin(stage, "A")
    stage.ask(SyncGroup(1, GROUP, 1, "A"))
    for _ in range(3):
        list(stage.pass_time(9))
        stage.ask(OffsetCommit(GROUP, {TopicPartition("foo", 0): OffsetAndMetadata(1)}, "A", 1))
    assert stage.group.classic is not None
    assert "A" in stage.group.classic.members


def test_what_members_said_is_shown_while_the_group_is_stable(stage: Stage) -> None:
    begin(stage, "A")
    assert _shown(stage) == ("CompletingRebalance", "", b"", b"")
    stage.ask(SyncGroup(1, GROUP, 1, "A", assignments=(("A", b"part"),)))
    assert _shown(stage) == ("Stable", "range", b"said", b"part")


def _shown(stage: Stage) -> tuple[str, str, bytes, bytes]:
    answer = stage.ask(DescribeGroups((GROUP,))).response
    assert isinstance(answer, GroupsDescribed)
    (group,) = answer.groups
    (member,) = group.members
    return group.state, group.protocol_name, member.metadata, member.assignment


def test_a_static_member_that_comes_back_is_shown_as_the_client_that_it_first_was(stage: Stage) -> None:
    begin(stage, "A")
    stage.ask(join(1, "B", "instance of A", client_id="another"))
    answer = stage.ask(DescribeGroups((GROUP,))).response
    assert isinstance(answer, GroupsDescribed)
    assert [(member.member_id, member.client_id) for member in answer.groups[0].members] == [("B", "")]


def test_a_name_with_offsets_only_is_an_empty_classic_group(stage: Stage) -> None:
    stage.ask(OffsetCommit(GROUP, {TopicPartition("foo", 0): OffsetAndMetadata(1)}))
    answer = stage.ask(DescribeGroups((GROUP, "nowhere"))).response
    assert isinstance(answer, GroupsDescribed)
    assert [(group.state, group.error) for group in answer.groups] == [
        ("Empty", ErrorCode.NONE),
        ("Dead", ErrorCode.GROUP_ID_NOT_FOUND),
    ]
    stage.ask(join(1, "A"))
    assert stage.group.offsets
    stage.check()


# Records.

MEMBER = ClassicMember("A", "one", "me", "/h", 60_000, 10_000, (RANGE,), b"part")
STABLE = evolve(
    ClassicGroup(GROUP, ClassicStatus.STABLE, 3, "consumer", "range").with_member(MEMBER),
    leader_id="A",
)


def test_a_settled_group_is_what_its_record_makes_of_nothing() -> None:
    assert taken_in(record_of(STABLE, 0), None) == STABLE


def test_of_two_records_the_later_counts() -> None:
    """Also what a member said, unless it is the one that is here, which said more than is recorded."""
    changed = STABLE.with_member(evolve(MEMBER, protocols=(OfferedProtocol("range", b"said since"),)))
    assert taken_in(record_of(changed, 1), STABLE) == changed
    offers_more = STABLE.with_member(evolve(MEMBER, protocols=(RANGE, OfferedProtocol("sticky"))))
    assert taken_in(record_of(offers_more, 1), offers_more) == offers_more


# Invariants: each finds what breaks it.

SESSION = TimerKey(GROUP, TimerKind.SESSION, "A")
PREPARING = evolve(STABLE, status=ClassicStatus.PREPARING_REBALANCE)
COMPLETING = evolve(STABLE, status=ClassicStatus.COMPLETING_REBALANCE)
EMPTY = ClassicGroup(GROUP)
TIMERS = {
    ClassicStatus.STABLE: {SESSION},
    ClassicStatus.EMPTY: set(),
    ClassicStatus.PREPARING_REBALANCE: {SESSION, TimerKey(GROUP, TimerKind.JOIN)},
    ClassicStatus.COMPLETING_REBALANCE: {SESSION},
}


def violations(group: ClassicGroup, record: r.ClassicGroupMetadata | None = None) -> list[str]:
    return list(classic_violations(group, record or record_of(group, 0), TIMERS[group.status]))


@pytest.mark.parametrize("group", [STABLE, PREPARING, COMPLETING, EMPTY])
def test_nothing_is_wrong_with_a_group_as_it_should_be(group: ClassicGroup) -> None:
    assert violations(group) == []


@pytest.mark.parametrize(
    ("group", "complaint"),
    [
        (evolve(STABLE, leader_id="B"), "B leads, and is no member"),
        (evolve(EMPTY, protocol="range"), "the group is empty, and has members, a leader or a protocol"),
        (evolve(COMPLETING, members={}, instances={}, protocol=None), "has no members"),
        (STABLE.with_member(evolve(MEMBER, protocols=())), "no protocol in common"),
        (evolve(STABLE, protocol="sticky"), "the group does sticky"),
        (STABLE.with_member(evolve(MEMBER, join=1)), "the join of A is parked, and the group is Stable"),
        (PREPARING.with_member(evolve(MEMBER, sync=1)), "the sync of A is parked"),
        (PREPARING.with_member(evolve(MEMBER, is_new=True)), "A is new, and has not joined"),
        (evolve(STABLE, pending=frozenset({"A"})), r"\['A'\] are members, and pending"),
        (evolve(STABLE, instances={}), "the index of instances is out of step"),
        (evolve(STABLE, pending=frozenset({"B"})), "member_id='B'.* does not run"),
        (COMPLETING.with_member(evolve(MEMBER, owes_sync=True)), "SYNC.* does not run"),
    ],
)
def test_what_is_wrong_is_said(group: ClassicGroup, complaint: str) -> None:
    assert [found for found in violations(group) if re.search(complaint, found)]


def test_a_timer_that_runs_for_nothing_is_found() -> None:
    found = list(classic_violations(EMPTY, record_of(EMPTY, 0), {SESSION}))
    assert [complaint for complaint in found if "runs for nothing" in complaint]


def test_what_is_recorded_is_compared() -> None:
    later = evolve(record_of(STABLE, 0), generation=9)
    assert violations(STABLE, later) == [
        "generation 9 is recorded, beyond 3",
        "the group is settled, and otherwise than recorded",
    ]
    assert list(classic_violations(EMPTY, None, set())) == []
    assert list(classic_violations(evolve(EMPTY, generation=1), None, set())) == ["nothing is recorded of the group"]


@pytest.mark.parametrize(
    ("preferences", "chosen"),
    [
        (["roundrobin range", "range roundrobin"], "range"),
        (["range roundrobin", "roundrobin range"], "range"),
        (["range sticky", "sticky range"], "sticky"),
        (["roundrobin range", "range roundrobin", "roundrobin range"], "roundrobin"),
        (["cooperative-sticky range", "range cooperative-sticky"], "range"),
    ],
)
def test_of_as_many_votes_those_count_that_java_would_come_upon_first(preferences: list[str], chosen: str) -> None:
    group = ClassicGroup(GROUP)
    for number, names in enumerate(preferences):
        offered = tuple(OfferedProtocol(name, b"") for name in names.split())
        group = group.with_member(ClassicMember(f"{number}", None, "", "", 1_000, 1_000, offered))
    assert group.chosen_protocol() == chosen

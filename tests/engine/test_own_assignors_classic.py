"""Assignors of one's own, by the classic protocol, where a test has its hands on what they and the coordinator do."""

from __future__ import annotations

import threading

import pytest

from kafka_nextgen import AssignorError, Consumer, UnsupportedAssignorError
from kafka_nextgen.assignors import AssignmentSpec, AssignorMetadata, GroupAssignment
from kafka_nextgen.assignors.user_data import AssignorWord, Failure, write_assignor_word
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.consumer_protocol import encode_assignment
from kafka_nextgen.wire.apis import HEARTBEAT, SYNC_GROUP
from kafka_nextgen.wire.messages import HeartbeatRequest, HeartbeatResponse, SyncGroupRequest, SyncGroupResponse
from tests.engine.classic_group import Group
from tests.engine.stage import GROUP, PATIENCE_S, TOPIC, Stage, poll_until, read, tp
from tests.support.waiting import eventually
from tests.support.weighing import Weighing

OWN = {"group_protocol": "classic", "heartbeat_interval_ms": 50}
THREAD = f"kafka_nextgen assignors of {GROUP}"


@pytest.fixture
def group(stage: Stage) -> Group:
    group = Group()
    group.serve(stage)
    stage.create(2, records=10)
    return group


class Waiting(Weighing):
    """Assigns when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may_assign = threading.Event()

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        assert self.may_assign.wait(PATIENCE_S)
        return super().assign(group)


def consumer_with(stage: Stage, assignor: Weighing, **more: object) -> Consumer:
    consumer = stage.consumer(**OWN, group_local_assignors=[assignor], **more)
    consumer.subscribe([TOPIC])
    return consumer


def error_of(consumer: Consumer) -> AssignorError:
    with pytest.raises(AssignorError) as raised:
        poll_until(consumer, lambda: False)
    return raised.value


def test_the_session_is_kept_while_an_assignor_takes_its_time(stage: Stage, group: Group) -> None:
    assignor, beats = Waiting(), list[int]()

    async def beat(request: HeartbeatRequest, context: object) -> HeartbeatResponse:
        beats.append(request.generation_id)
        if len(beats) == 3:
            assignor.may_assign.set()
        return await group.heartbeat(request, context)

    stage.handle(HEARTBEAT, beat)
    with consumer_with(stage, assignor) as consumer:
        assert len(read(consumer, 20)) == 20
        assert beats[:3] == [1, 1, 1], "all three came before it had assigned anything"
        ((told, count, said),) = assignor.heard
        assert (told, count, said) == (consumer.group_metadata(), 2, "2 of 2")


def test_one_that_takes_too_long_is_given_up_and_asked_again(stage: Stage, group: Group) -> None:
    assignor = Waiting()
    with consumer_with(stage, assignor, rebalance_timeout_ms=2_000) as consumer:
        error = error_of(consumer)
        assert "'weighing' of this member, which leads its group, failed: it took longer than 1.8 s" in str(error)
        assert consumer.assignment() == set()
        assignor.may_assign.set()
        consumer.enforce_rebalance()
        assert len(read(consumer, 20)) == 20


def test_one_that_makes_no_assignment_is_told_what_it_did(stage: Stage, group: Group) -> None:
    class Forgetful(Weighing):
        def assign(self, group: AssignmentSpec) -> GroupAssignment:
            return GroupAssignment({})

    with consumer_with(stage, Forgetful()) as consumer:
        assert str(error_of(consumer)).endswith("failed: it left orders[0-1] unassigned")


def test_nobody_joins_without_anything_to_say(stage: Stage, group: Group) -> None:
    class Speechless(Weighing):
        def metadata(self) -> AssignorMetadata:
            if self.weight < 0:
                raise ValueError("no weight")
            return super().metadata()

    assignor = Speechless(weight=-1)
    with stage.consumer(**OWN, group_local_assignors=[assignor]) as consumer:
        with pytest.raises(AssignorError, match="no weight"):
            consumer.subscribe([TOPIC])
        assert not group.joins
        assignor.weight = 1
        consumer.subscribe([TOPIC])
        assert len(read(consumer, 20)) == 20

        # What it said before stands where it can't say anything later.
        assignor.weight = -1
        assert "no weight" in str(error_of(consumer))
        assert consumer.assignment() == {tp(0), tp(1)}


def test_other_metadata_is_a_reason_to_join_again(stage: Stage, group: Group) -> None:
    assignor = Weighing()
    with consumer_with(stage, assignor) as consumer:
        read(consumer, 20)
        assignor.weight = 2
        poll_until(consumer, lambda: len(assignor.heard) == 2)
        assert group.joins[-1].reason == "assignor weighing has other metadata"
        assert [told.member_epoch for told, _, _ in assignor.heard] == [1, 2]


def test_a_member_that_the_leader_cannot_read_is_told_what_to_do_and_stays(stage: Stage, group: Group) -> None:
    said = AssignorWord(failure=Failure(ErrorCode.UNSUPPORTED_ASSIGNOR, "it reads version 0, and this member's is 1"))

    async def sync(request: SyncGroupRequest, _context: object) -> SyncGroupResponse:
        assignment = encode_assignment(frozenset(), user_data=write_assignor_word(said))
        return SyncGroupResponse(protocol_type="consumer", protocol_name=request.protocol_name, assignment=assignment)

    stage.handle(SYNC_GROUP, sync)
    with consumer_with(stage, Weighing()) as consumer:
        with pytest.raises(UnsupportedAssignorError) as raised:
            poll_until(consumer, lambda: False)
        assert str(raised.value).endswith(
            "assignor 'weighing' of the leader, me, has nothing for this member: it reads version 0, and this member's "
            "is 1; write a version that every member reads, until all of them read the next (UNSUPPORTED_ASSIGNOR)"
        )
        consumer.poll(timeout=0)
        stage.handle(SYNC_GROUP, group.sync)
        consumer.enforce_rebalance()
        assert len(read(consumer, 20)) == 20


def test_its_thread_ends_with_the_consumer(stage: Stage, group: Group) -> None:
    with consumer_with(stage, Weighing()) as consumer:
        read(consumer, 20)
        assert THREAD in names_of_threads()
    eventually("the thread has ended", lambda: THREAD not in names_of_threads())


def names_of_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate()]

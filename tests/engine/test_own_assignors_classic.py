"""Assignors of one's own, by the classic protocol, where a test has its hands on what they and the coordinator do."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import cast
from uuid import NAMESPACE_URL, uuid5

import pytest

from kafka_nextgen import AssignorError, Consumer, UnsupportedAssignorError
from kafka_nextgen.assignors import (
    AssignmentSpec,
    AssignorMetadata,
    ConsumerGroupMetadata,
    GroupAssignment,
    HotStandby,
    MemberAssignment,
)
from kafka_nextgen.assignors.standby_metadata import StandbyWord, write_standby_word
from kafka_nextgen.assignors.user_data import AssignorWord, Failure, write_assignor_word
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.member.classic_assignors import ClassicAssignors
from kafka_nextgen.engine.member.driver_context import DriverContext
from kafka_nextgen.engine.member.identity import MemberIdentity
from kafka_nextgen.engine.member.local_assignors import LocalAssignors
from kafka_nextgen.errors import NoBrokersError
from kafka_nextgen.groups.consumer_protocol import encode_assignment
from kafka_nextgen.membership.classic.effects import TellAssignor
from kafka_nextgen.requests.cluster_image import ClusterImage, TopicInfo
from kafka_nextgen.transport.io_thread import TaskSet
from kafka_nextgen.types import TopicId, TopicPartition
from kafka_nextgen.wire.apis import HEARTBEAT, SYNC_GROUP
from kafka_nextgen.wire.messages import HeartbeatRequest, HeartbeatResponse, SyncGroupRequest, SyncGroupResponse
from tests.engine.classic_group import Group
from tests.engine.stage import GROUP, TOPIC, Stage, poll_for, poll_until, read, tp
from tests.support.waiting import GUARD_S, eventually
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
        assert self.may_assign.wait(GUARD_S)
        return super().assign(group)


def consumer_with(stage: Stage, assignor: Weighing, **more: object) -> Consumer:
    return stage.subscribed(**OWN, group_local_assignors=[assignor], **more)


def error_of(consumer: Consumer) -> AssignorError:
    with pytest.raises(AssignorError) as raised:
        poll_for(consumer)
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
    with consumer_with(stage, assignor, rebalance_timeout_ms=1_000) as consumer:
        error = error_of(consumer)
        assert "'weighing' of this member, which leads its group, failed: it took longer than 0.9 s" in str(error)
        assert consumer.assignment() == set()
        assignor.may_assign.set()
        consumer.enforce_rebalance()
        assert len(read(consumer, 20)) == 20


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
        assert group.joins[-1].reason == "assignor weighing has new metadata"
        assert [told.member_epoch for told, _, _ in assignor.heard] == [1, 2]


def test_a_member_that_the_leader_cannot_read_is_told_what_to_do_and_stays(stage: Stage, group: Group) -> None:
    said = AssignorWord(failure=Failure(ErrorCode.UNSUPPORTED_ASSIGNOR, "it reads version 0, and this member's is 1"))

    async def sync(request: SyncGroupRequest, _context: object) -> SyncGroupResponse:
        assignment = encode_assignment(frozenset(), user_data=write_assignor_word(said))
        return SyncGroupResponse(protocol_type="consumer", protocol_name=request.protocol_name, assignment=assignment)

    stage.handle(SYNC_GROUP, sync)
    with consumer_with(stage, Weighing()) as consumer:
        with pytest.raises(UnsupportedAssignorError) as raised:
            poll_for(consumer)
        assert str(raised.value).endswith(
            "assignor 'weighing' of the leader, me, did not assign partitions to this member: it reads version 0, and "
            "this member's is 1; until every member can read the new version, write a version that they can all read "
            "(UNSUPPORTED_ASSIGNOR)"
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


# ---- by which ids an assignor hears of topics: their own, or one made of the name


ID, NAMED = TopicId(int=7), uuid5(NAMESPACE_URL, "kafka-topic:orders")
TOLD = TellAssignor("mine", 2, frozenset({TopicPartition("orders", 0)}), None, 5)


class Cluster:
    """Knows no topics before it has asked."""

    def __init__(self, topic_id: TopicId | None, is_up: bool) -> None:
        self.metadata = ClusterImage()
        self._topic = TopicInfo("orders", topic_id)
        self._is_up = is_up

    async def refresh_metadata(self, topics: frozenset[str]) -> None:
        assert topics == {"orders"}
        if not self._is_up:
            raise NoBrokersError("no broker")
        self.metadata = ClusterImage(topics_by_name={"orders": self._topic})


async def told_of(cluster: Cluster) -> MemberAssignment:
    told: asyncio.Future[MemberAssignment] = asyncio.get_running_loop().create_future()

    def call(name: str, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata) -> None:
        assert (name, error, group) == ("mine", 2, ConsumerGroupMetadata("g", 5, "A"))
        told.set_result(assignment)

    context = SimpleNamespace(cluster=cluster, identity=MemberIdentity("g", None), tasks=TaskSet(told.set_exception))
    own = cast(LocalAssignors, SimpleNamespace(call_on_assignment=call))
    leading = ClassicAssignors(own, cast(DriverContext, context), lambda event: None)
    leading.tell(TOLD, "A")
    return await asyncio.wait_for(told, GUARD_S)


@pytest.mark.parametrize(
    ("topic_id", "is_up", "told"),
    [(ID, True, ID), (None, True, NAMED), (ID, False, NAMED)],
    ids=["it is asked for", "brokers tell none", "nobody can be asked"],
)
def test_a_topic_that_is_not_known_yet(topic_id: TopicId | None, is_up: bool, told: TopicId) -> None:
    assert asyncio.run(told_of(Cluster(topic_id, is_up))).partitions == {told: {0}}


def test_a_standby_stands_by_no_longer_once_the_group_has_an_assignor_of_kafka(stage: Stage, group: Group) -> None:
    """It still has nothing, for there are more members than partitions."""
    standby = write_standby_word(StandbyWord(1, frozenset({tp(0)})))
    words = [write_assignor_word(AssignorWord(metadata=standby)), None]

    async def sync(request: SyncGroupRequest, _context: object) -> SyncGroupResponse:
        assignment = encode_assignment(frozenset(), user_data=words[group.chosen])
        return SyncGroupResponse(protocol_type="consumer", protocol_name=request.protocol_name, assignment=assignment)

    stage.handle(SYNC_GROUP, sync)
    offered = {"group_local_assignors": [HotStandby(1)], "partition_assignment_strategy": "range"}
    with stage.subscribed(**OWN, **offered) as consumer:
        poll_until(consumer, lambda: consumer.health().standby_place == 1)
        group.chosen = 1
        group.heartbeat_refusals.append(ErrorCode.REBALANCE_IN_PROGRESS)
        poll_until(consumer, lambda: consumer.group_metadata().member_epoch == 2)
        assert consumer.health().standby_place == 0

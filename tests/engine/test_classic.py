"""A consumer in a classic group of its own."""

from __future__ import annotations

import warnings
from collections import deque

import pytest

from kafka_nextgen import (
    CommitFailedError,
    FencedInstanceError,
    GroupProtocol,
    MisuseError,
    RebalanceCause,
    SubscriptionPattern,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.member.classic_driver import ClassicDriver
from kafka_nextgen.groups.consumer_protocol import decode_assignment, encode_assignment
from kafka_nextgen.membership.classic.effects import SendClassicHeartbeat
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, DESCRIBE_GROUPS, OFFSET_COMMIT, SYNC_GROUP
from kafka_nextgen.wire.messages import (
    ConsumerGroupHeartbeatResponse,
    DescribeGroupsResponse,
    JoinGroupRequest,
    OffsetCommitRequest,
)
from tests.engine.classic_group import CLASSIC, COOPERATIVE, Group
from tests.engine.stage import GUARD_S, TOPIC, Hears, Stage, poll_for, poll_until, read, tp, values
from tests.support.waiting import eventually


@pytest.fixture
def group(stage: Stage) -> Group:
    group = Group()
    group.serve(stage)
    stage.create(2, records=10)
    return group


def test_a_consumer_reads_as_the_leader_of_its_group(stage: Stage, group: Group) -> None:
    told = stage.watch(SYNC_GROUP)
    with stage.subscribed(**CLASSIC) as consumer:
        assert sorted(values(read(consumer, 20))) == sorted([*range(10)] * 2)
        consumer.commit()
        assert consumer.group_protocol is GroupProtocol.CLASSIC
        assert (consumer.group_metadata().member_id, consumer.group_metadata().member_epoch) == ("me", 1)
    assert decode_assignment(bytes(told[0].assignments[0].assignment)) == {tp(0), tp(1)}
    assert group.committed_in == [1]
    (leave,) = group.leaves
    assert (leave.members[0].member_id, leave.members[0].reason) == ("me", "the consumer is being closed")


def test_a_static_member_closes_without_leaving(stage: Stage, group: Group) -> None:
    with stage.subscribed(**CLASSIC, group_instance_id="reader") as consumer:
        read(consumer, 20)
    assert group.leaves == []
    assert [join.group_instance_id for join in group.joins] == ["reader"]


def test_a_pattern_is_resolved_here(stage: Stage, group: Group) -> None:
    stage.cluster.create_topic("audit", 1)
    with stage.consumer(**CLASSIC) as consumer:
        consumer.subscribe(SubscriptionPattern("ord.*"))
        read(consumer, 20)
        assert group.said(-1).topics == {TOPIC}


# ---- which protocol


async def refuse(_request: object, _context: object) -> ConsumerGroupHeartbeatResponse:
    return ConsumerGroupHeartbeatResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)


@pytest.mark.parametrize("handle", [None, refuse])
def test_auto_takes_the_classic_protocol_where_there_is_no_other(
    stage: Stage, group: Group, caplog: pytest.LogCaptureFixture, handle: object
) -> None:
    stage.handle(CONSUMER_GROUP_HEARTBEAT, handle)  # type: ignore[arg-type]
    heard = Hears()
    with caplog.at_level("INFO"), stage.consumer(group_protocol="auto") as consumer:
        assert consumer.group_protocol is None
        consumer.subscribe([TOPIC], listener=heard)
        read(consumer, 20)
        assert consumer.group_protocol is GroupProtocol.CLASSIC
    assert "group billing: joining with the classic protocol" in caplog.text
    assert heard.calls == ["assigned orders[0-1]", "revoked orders[0-1]"]


def test_auto_takes_the_consumer_protocol_where_there_is_one(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"), stage.after_reading(10, group_protocol="auto") as consumer:
        assert consumer.group_protocol is GroupProtocol.CONSUMER
        with pytest.warns(UserWarning, match="does nothing"):
            consumer.enforce_rebalance("because")
    assert "group billing: joining with the consumer group protocol" in caplog.text


# ---- a static member that returns


def described(member: JoinGroupRequest, assignment: bytes, **differs: object) -> DescribeGroupsResponse:
    group = DescribeGroupsResponse.DescribedGroup
    shown = group.DescribedGroupMember(
        member_id="me",
        client_id="",
        client_host="",
        member_metadata=member.protocols[0].metadata,
        member_assignment=assignment,
    )
    fields = {"group_state": "Stable", "protocol_type": "consumer", "protocol_data": "range", "members": [shown]}
    return DescribeGroupsResponse(groups=[group(group_id="billing", **{**fields, **differs})])


def test_a_returning_leader_joins_again_if_its_group_leaves_partitions_out(stage: Stage, group: Group) -> None:
    """The group is described at the second attempt."""
    group.kept, answers = encode_assignment(frozenset({tp(0)})), deque([ErrorCode.COORDINATOR_LOAD_IN_PROGRESS])

    async def describe(_request: object, _context: object) -> DescribeGroupsResponse:
        if answers:
            return described(group.joins[0], b"", error_code=answers.popleft(), members=[])
        return described(group.joins[0], group.kept or b"")

    stage.handle(DESCRIBE_GROUPS, describe)
    with stage.subscribed(**CLASSIC, group_instance_id="reader") as consumer:
        poll_until(consumer, lambda: len(consumer.assignment()) == 2)
        poll_until(consumer, lambda: len(consumer.rebalances()) == 2)
        assert consumer.rebalances()[-1].reason == "its former assignment does not fit"
    assert [join.reason for join in group.joins] == ["subscribed", "no member is assigned orders[1]"]


@pytest.mark.parametrize(
    "differs",
    [{"error_code": ErrorCode.GROUP_AUTHORIZATION_FAILED}, {"group_state": "PreparingRebalance"}],
    ids=["not authorized", "rebalancing"],
)
def test_a_returning_leader_keeps_its_assignment_if_its_group_has_none_to_compare(
    stage: Stage, group: Group, differs: dict[str, object]
) -> None:
    group.kept, asked = encode_assignment(frozenset({tp(0)})), list[object]()

    async def describe(request: object, _context: object) -> DescribeGroupsResponse:
        asked.append(request)
        return described(group.joins[0], b"", **differs)

    stage.handle(DESCRIBE_GROUPS, describe)
    with stage.subscribed(**CLASSIC, group_instance_id="reader") as consumer:
        read(consumer, 10)
        eventually("the group was asked for", lambda: len(asked) == 1)
        assert consumer.assignment() == {tp(0)}
    assert len(group.joins) == 1


# ---- rebalances


def test_a_rebalance_is_enforced_with_its_reason_and_remembered(stage: Stage, group: Group) -> None:
    heard = Hears()
    with stage.consumer(**CLASSIC) as consumer:
        with pytest.raises(MisuseError, match="subscribe"):
            consumer.enforce_rebalance()
        consumer.subscribe([TOPIC], listener=heard)
        read(consumer, 20)
        consumer.enforce_rebalance("more partitions, please")
        poll_until(consumer, lambda: len(consumer.rebalances()) == 2)
        first, second = consumer.rebalances()
    assert group.joins[-1].reason == "more partitions, please"
    assert (first.cause, first.epoch_before, first.epoch_after) == (RebalanceCause.JOINED, -1, 1)
    assert (second.cause, second.epoch_before, second.epoch_after) == (RebalanceCause.REASSIGNED, 1, 2)
    assert second.revoked == second.assigned == (tp(0), tp(1))
    assert heard.calls[1:3] == ["revoked orders[0-1]", "assigned orders[0-1]"]


def test_a_cooperative_member_keeps_reading_and_says_what_it_owns(stage: Stage, group: Group) -> None:
    heard = Hears()
    with stage.subscribed(heard, **COOPERATIVE) as consumer:
        read(consumer, 20)
        consumer.enforce_rebalance()
        poll_until(consumer, lambda: len(consumer.rebalances()) == 2)
        assert consumer.rebalances()[1].kept == (tp(0), tp(1))
    assert (group.said(-1).owned, group.said(-1).generation) == ({tp(0), tp(1)}, 1)
    assert heard.calls == ["assigned orders[0-1]", "assigned -", "revoked orders[0-1]"]


@pytest.mark.parametrize("by_a_commit", [False, True])
def test_whoever_is_thrown_out_hears_of_it_and_joins_again(stage: Stage, group: Group, by_a_commit: bool) -> None:
    heard = Hears()
    with stage.subscribed(heard, **CLASSIC) as consumer:
        read(consumer, 20)
        if by_a_commit:
            group.commit_refusals.append(ErrorCode.UNKNOWN_MEMBER_ID)
            with pytest.raises(CommitFailedError, match="UNKNOWN_MEMBER_ID"):
                consumer.commit()
        else:
            group.heartbeat_refusals.append(ErrorCode.UNKNOWN_MEMBER_ID)
        poll_until(consumer, lambda: len(heard.calls) == 3)
        assert by_a_commit or consumer.rebalances()[1].cause is RebalanceCause.FENCED
    assert heard.calls[:3] == ["assigned orders[0-1]", "lost orders[0-1]", "assigned orders[0-1]"]


def test_whoever_is_fenced_stays_out(stage: Stage, group: Group) -> None:
    with stage.subscribed(**CLASSIC, group_instance_id="reader") as consumer:
        read(consumer, 20)
        group.heartbeat_refusals.append(ErrorCode.FENCED_INSTANCE_ID)
        for _ in range(2):
            with pytest.raises(FencedInstanceError, match="group billing"):
                poll_for(consumer)
        assert consumer.health().problem == "the coordinator refused this member permanently; poll() raises the reason"
        eventually("its loss is history", lambda: consumer.rebalances()[-1].cause is RebalanceCause.FAILED)


# ---- commits beside a rebalance


def test_a_commit_between_two_generations_is_repeated_for_what_was_kept(stage: Stage, group: Group) -> None:
    async def rebalance_at_the_first(request: OffsetCommitRequest, context: Context) -> object:
        if not group.committed_in:
            group.commit_refusals.append(ErrorCode.REBALANCE_IN_PROGRESS)
            group.heartbeat_refusals.append(ErrorCode.REBALANCE_IN_PROGRESS)
        return await group.commit(request, context)

    stage.handle(OFFSET_COMMIT, rebalance_at_the_first)
    with stage.subscribed(**COOPERATIVE) as consumer:
        read(consumer, 20)
        consumer.commit()
    assert group.committed_in == [1, 2]


def test_a_commit_is_not_repeated_for_what_was_given_up_meanwhile(stage: Stage, group: Group) -> None:
    with stage.subscribed(**CLASSIC) as consumer:
        read(consumer, 20)
        group.commit_refusals.append(ErrorCode.REBALANCE_IN_PROGRESS)
        commit = consumer.commit_async()
        consumer.enforce_rebalance()
        poll_until(consumer, commit.done)
        error = commit.exception()
    assert isinstance(error, CommitFailedError)
    assert set(error.failed) == {tp(0), tp(1)}
    assert group.committed_in == [1]


def test_a_request_that_is_called_off_before_it_began_leaves_nothing_behind(stage: Stage, group: Group) -> None:
    with warnings.catch_warnings(record=True) as caught, stage.subscribed(**CLASSIC) as consumer:
        warnings.simplefilter("always")
        read(consumer, 20)
        engine = consumer._core.engine
        driver = engine.membership.driver
        assert isinstance(driver, ClassicDriver)

        async def call_off() -> None:
            driver._send_heartbeat(SendClassicHeartbeat(99, "me", None, 1))
            driver._exchanges.cancel_pending()

        engine.thread.submit(call_off()).result(GUARD_S)
    assert [str(warning.message) for warning in caught] == []

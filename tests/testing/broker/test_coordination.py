"""A coordinator and its log: what can't be written did not happen, and what can't be read is not guessed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import UUID

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import StorageError
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.groups.records import OffsetCommitted, PartitionMetadata, PartitionMetadataRemoved, SubscribedTopic
from kafka_nextgen.offsets_topic.extensions import KeyAndValue, encode
from kafka_nextgen.testing.broker.cluster import Cluster as ClusterState
from kafka_nextgen.testing.broker.coordination import OFFSETS_TOPIC
from kafka_nextgen.testing.broker.coordination.refusals import refuse
from kafka_nextgen.testing.broker.coordination.shard import RETRY_S, Shard, Standing
from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.node import Node
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import JoinGroupAnswer, SyncGroupAnswer
from kafka_nextgen.testing.coordinator.coordinator import Coordinator
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, OffsetCommit, OffsetFetch
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer, OffsetsCommitted, OffsetsFetched
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import NewRecord, encode_batch, read_batches

GROUP = "billing"
ORDERS_0 = TopicPartition("orders", 0)
COMMIT = OffsetCommit(GROUP, {ORDERS_0: OffsetAndMetadata(7)})
FETCH = OffsetFetch(GROUP, (ORDERS_0,))
JOIN = ConsumerGroupHeartbeat(
    GROUP, "A", 0, rebalance_timeout_ms=5_000, subscribed_topics=frozenset({"orders"}), owned=frozenset()
)


def cluster(now: Callable[[], float] = lambda: 1_000.0, **settings: object) -> ClusterState:
    properties = {key.replace("_", "."): value for key, value in settings.items()}
    state = ClusterState(BrokerSettings.from_properties(properties), [Node(1)], now)
    state.create_topic("orders", 2)
    return state


def of_one_commit() -> ClusterState:
    state = cluster()
    state.groups.ask(COMMIT, OffsetsCommitted)
    return state


def committed(state: ClusterState) -> OffsetAndMetadata | None:
    return state.groups.ask(FETCH, OffsetsFetched).offsets.get(ORDERS_0)


def shard_of(state: ClusterState) -> Shard:
    return state.groups.shard_of(GROUP)


def log_of(state: ClusterState) -> PartitionLog:
    return state.groups.partition_of(GROUP).log


def fail_to_write(state: ClusterState, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise StorageError("can't write __consumer_offsets-42: No space left on device")

    monkeypatch.setattr(log_of(state), "append", fail)


def write(state: ClusterState, *rows: KeyAndValue) -> None:
    """Write something to a coordinator's log that it did not write."""
    records = [NewRecord(row.value, row.key, 1_000) for row in rows]
    log_of(state).append(read_batches(encode_batch(records))[0])


async def reloaded(state: ClusterState) -> Shard:
    """Have the coordinator begin anew, as after a crash, and wait until it has read its log."""
    node = state.nodes[0]
    state.leadership.node_left(node)
    state.leadership.node_came_back(node)
    shard = shard_of(state)
    while shard.standing is Standing.LOADING:
        await asyncio.sleep(0)
    return shard


async def test_a_commit_that_can_not_be_written_did_not_happen(monkeypatch: pytest.MonkeyPatch) -> None:
    state = cluster()
    with monkeypatch.context() as broken:
        fail_to_write(state, broken)
        refused = state.groups.ask(COMMIT, OffsetsCommitted)
        assert refused.errors == {ORDERS_0: ErrorCode.NOT_COORDINATOR}
        assert committed(state) is None
    assert state.groups.ask(COMMIT, OffsetsCommitted).errors == {ORDERS_0: ErrorCode.NONE}
    assert committed(state) == OffsetAndMetadata(7)


def test_with_too_few_replicas_nothing_is_written() -> None:
    state = cluster()
    partition = state.groups.partition_of(GROUP)
    partition.replicas = (1, 2)  # of which only the first is in sync
    state.configure_topic(OFFSETS_TOPIC, {"min.insync.replicas": "2"})
    refused = state.groups.ask(COMMIT, OffsetsCommitted)
    assert refused.errors == {ORDERS_0: ErrorCode.COORDINATOR_NOT_AVAILABLE}
    assert committed(state) is None


async def test_what_is_larger_than_the_topic_takes_is_the_brokers_fault() -> None:
    state = cluster()
    state.groups.partition_of(GROUP)
    state.configure_topic(OFFSETS_TOPIC, {"max.message.bytes": "100"})

    refused = state.groups.ask(JOIN, ConsumerGroupHeartbeatAnswer)
    assert refused.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert not shard_of(state).coordinator.groups


async def test_who_waits_for_an_assignment_that_can_not_be_written_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    state = cluster(group_initial_rebalance_delay_ms=0)
    groups = state.groups

    def join(instance_id: str) -> Coroutine[Any, Any, JoinGroupAnswer | None]:
        number, offered = groups.new_number(), (OfferedProtocol("range", b""),)
        asked = JoinGroup(
            number, GROUP, "", "consumer", offered, 30_000, 30_000, instance_id, new_member_id=f"{instance_id}-1"
        )
        return groups.ask_and_wait(asked, JoinGroupAnswer)

    joins = [asyncio.ensure_future(join(instance_id)) for instance_id in ("one", "two")]
    await asyncio.sleep(0)
    for _ in range(3):
        shard_of(state).expire()
    first, second = await asyncio.gather(*joins)
    leader, follower = (first, second) if first.leader_id == first.member_id else (second, first)
    waiting = asyncio.ensure_future(groups.ask_and_wait(_sync(groups.new_number(), follower), SyncGroupAnswer))
    await asyncio.sleep(0)
    with monkeypatch.context() as broken:
        fail_to_write(state, broken)
        assignments = ((leader.member_id, b"1"), (follower.member_id, b"2"))
        told = await groups.ask_and_wait(_sync(groups.new_number(), leader, assignments), SyncGroupAnswer)
    assert told == SyncGroupAnswer(ErrorCode.NOT_COORDINATOR)
    assert await waiting == SyncGroupAnswer(ErrorCode.NOT_COORDINATOR)
    groups.close()


def _sync(number: int, joined: JoinGroupAnswer, assignments: tuple[tuple[str, bytes], ...] = ()) -> SyncGroup:
    return SyncGroup(number, GROUP, joined.generation, joined.member_id, None, "consumer", "range", assignments)


def test_a_join_that_can_not_be_taken_in_names_no_member() -> None:
    asked = JoinGroup(1, GROUP, "A", "consumer", (OfferedProtocol("range", b""),), 30_000, 30_000, new_member_id="B")
    assert refuse(asked, ErrorCode.NOT_COORDINATOR) == JoinGroupAnswer(ErrorCode.NOT_COORDINATOR)


async def test_a_timer_whose_outcome_can_not_be_written_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    state = cluster(lambda: now[0])
    state.groups.ask(JOIN, ConsumerGroupHeartbeatAnswer)
    shard = shard_of(state)
    now[0] += 46
    with monkeypatch.context() as broken:
        fail_to_write(state, broken)
        rung: list[float | None] = []
        broken.setattr(shard._timer, "set_after", rung.append)
        shard.expire()
        assert "A" in shard.coordinator.groups[GROUP].members
        assert rung == [RETRY_S]
        assert state.groups.metrics().runtime.queue_size == 1
    shard.expire()
    assert "A" not in shard.coordinator.groups[GROUP].members
    assert state.groups.metrics().runtime.queue_size == 0
    state.groups.close()


async def test_a_new_coordinator_knows_what_its_log_says() -> None:
    state = of_one_commit()
    before = shard_of(state)
    after = await reloaded(state)
    assert after is not before
    assert committed(state) == OffsetAndMetadata(7)


async def test_a_new_coordinator_that_can_not_write_gives_members_their_sessions_as_soon_as_it_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It forgets the offsets of a topic that was deleted meanwhile. A member that is gone must not stay for ever."""
    now = [1_000.0]
    state = cluster(lambda: now[0])
    state.groups.ask(COMMIT, OffsetsCommitted)
    state.groups.ask(JOIN, ConsumerGroupHeartbeatAnswer)
    with monkeypatch.context() as broken:
        fail_to_write(state, broken)
        state.leadership.node_left(state.nodes[0])
        orders = state.topics.named("orders")
        state.topics.delete(orders)
        shard = await reloaded(state)
        assert shard.standing is Standing.ACTIVE
        assert not [key for key in shard.coordinator.timers.running() if key.group_id == GROUP]
        assert state.groups.metrics().runtime.queue_size == 1  # to restart
        due_at = timer_of(shard).when()
        state.groups.ask(COMMIT, OffsetsCommitted)
        assert timer_of(shard).when() == due_at, "a busy group's requests do not put it off"
    shard.expire()
    assert committed(state) is None
    now[0] += 46
    shard.expire()
    assert "A" not in shard.coordinator.groups[GROUP].members
    state.groups.close()


def timer_of(shard: Shard) -> asyncio.TimerHandle:
    assert shard._timer._handle is not None
    return shard._timer._handle


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(KeyAndValue(b"\x00\x63whatever", b"\x00\x00"), id="a type of a later release"),
        pytest.param(KeyAndValue(b"\x00\x03\x00\x01g", b"\x00\x09later"), id="a version of a later release"),
    ],
)
async def test_what_another_release_wrote_is_passed_over_and_told_once(
    row: KeyAndValue, caplog: pytest.LogCaptureFixture
) -> None:
    state = of_one_commit()
    write(state, row, row)
    write(state, row)
    assert (await reloaded(state)).standing is Standing.ACTIVE
    assert committed(state) == OffsetAndMetadata(7)
    assert [record.levelname for record in caplog.records if "skipping records" in record.message] == ["WARNING"]


async def test_the_metadata_of_topics_that_kafka_4_0_wrote_changes_no_group(caplog: pytest.LogCaptureFixture) -> None:
    state = of_one_commit()
    orders = SubscribedTopic(UUID(int=7), "orders", 2, {})
    write(state, encode(PartitionMetadata(GROUP, (orders,))), encode(PartitionMetadataRemoved(GROUP)))
    assert (await reloaded(state)).standing is Standing.ACTIVE
    assert committed(state) == OffsetAndMetadata(7)
    assert "skipping records" not in caplog.text


async def test_a_log_that_can_not_be_read_has_no_coordinator(caplog: pytest.LogCaptureFixture) -> None:
    state = of_one_commit()
    good = encode(OffsetCommitted(GROUP, ORDERS_0, OffsetAndMetadata(8), 1_000))
    assert good.value is not None
    write(state, KeyAndValue(good.key, good.value[:-1]))
    assert (await reloaded(state)).standing is Standing.OVER
    assert state.groups.ask(FETCH, OffsetsFetched).error is ErrorCode.NOT_COORDINATOR
    assert "can't read the groups" in caplog.text
    assert "at offset 1" in caplog.text


@pytest.mark.parametrize("failing", ["apply", "restart"])
async def test_a_bug_while_the_log_is_read_does_not_leave_clients_waiting(
    failing: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("a bug")

    state = of_one_commit()
    monkeypatch.setattr(Coordinator, failing, fail)
    assert (await reloaded(state)).standing is Standing.OVER
    assert state.groups.ask(FETCH, OffsetsFetched).error is ErrorCode.NOT_COORDINATOR
    assert "can't read the groups" in caplog.text
    assert ": 'a bug'" in caplog.text
    assert "Traceback" in caplog.text


async def test_a_deleted_offsets_topic_is_another_when_it_comes_back() -> None:
    state = of_one_commit()
    topic = state.topics.named(OFFSETS_TOPIC)
    state.topics.delete(topic)
    assert committed(state) is None
    assert state.topics.named(OFFSETS_TOPIC) is not topic

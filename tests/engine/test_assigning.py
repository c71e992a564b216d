"""Partitions assigned by hand: who decides what is read, what is kept, what is committed, and what is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    CommitFailedError,
    ConfigError,
    MisuseError,
    OffsetOutOfRangeError,
    TopicAuthorizationError,
    TopicPartition,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.states import Status
from kafka_nextgen.wire.apis import METADATA, OFFSET_COMMIT
from tests.engine.stage import GROUP, PATIENCE_S, TOPIC, Hears, Stage, poll_until, read, tp, values

LONG_MS = 3_600_000


@pytest.fixture(autouse=True)
def _topic(stage: Stage) -> None:
    stage.create(partitions=3, records=10)


# ---- reading


def test_without_a_group_auto_offset_reset_decides_where_to_begin(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp(1)])
        assert values(read(consumer, 10)) == list(range(10))
        assert consumer.assignment() == {tp(1)}
        assert consumer.position(tp(1)) == 10
        assert consumer.lag() == {tp(1): 0}


def test_without_a_group_and_without_a_reset_somebody_has_to_seek(stage: Stage) -> None:
    with stage.consumer(group_id=None, auto_offset_reset="none") as consumer:
        consumer.assign([tp()])
        with pytest.raises(OffsetOutOfRangeError, match="no offset is committed"):
            consumer.poll(timeout=5)
        consumer.seek(tp(), 7)
        assert values(read(consumer, 3)) == [7, 8, 9]


def test_seek_works_before_anything_is_read(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp(0), tp(1)])
        consumer.seek(tp(0), 8)
        consumer.seek_to_end([tp(1)])
        assert values(read(consumer, 2)) == [8, 9]
        assert consumer.position(tp(1)) == 10


def test_iteration_and_batches_read_what_is_assigned(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp()])
        assert [next(consumer).offset for _ in range(4)] == [0, 1, 2, 3]
        assert len(next(consumer.batches(max_records=6))) == 6


def test_iteration_goes_on_with_the_next_assignment(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp(0)])
        assert next(consumer).partition == 0
        consumer.assign([tp(1)])
        assert [next(consumer).partition for _ in range(10)] == [1] * 10


def test_partitions_that_stay_keep_their_position_and_stay_paused(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp(0), tp(1)])
        consumer.pause([tp(1)])
        assert values(read(consumer, 4)) == [0, 1, 2, 3]
        consumer.assign([tp(0), tp(1), tp(2)])
        assert consumer.paused() == {tp(1)}
        records = read(consumer, 16)
        assert {record.partition for record in records} == {0, 2}
        assert [record.offset for record in records if record.partition == 0] == list(range(4, 10))


def test_partitions_that_come_back_begin_anew(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp(0)])
        consumer.pause([tp(0)])
        consumer.assign([tp(1)])
        consumer.assign([tp(0)])
        assert consumer.paused() == frozenset()
        assert values(read(consumer, 10)) == list(range(10))


@pytest.mark.parametrize("how", ["assign", "unsubscribe"])
def test_nothing_is_left_to_read_when_all_is_given_up(stage: Stage, how: str) -> None:
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp()])
        consumer.assign([]) if how == "assign" else consumer.unsubscribe()
        assert consumer.assignment() == frozenset()
        with pytest.raises(MisuseError, match=r"subscribe\(\) or assign\(\) first"):
            consumer.poll(timeout=0)


def test_async_consumers_assign_too(stage: Stage) -> None:
    async def scene() -> None:
        async with AsyncConsumer(**stage.config(group_id=None)) as consumer:
            await consumer.assign([tp(2)])
            assert [(await consumer.__anext__()).offset for _ in range(10)] == list(range(10))
            await consumer.assign([])
            assert consumer.assignment() == frozenset()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE_S))


def test_an_assignment_that_is_cancelled_changes_nothing(stage: Stage) -> None:
    async def scene() -> None:
        committing = {"enable_auto_commit": True, "auto_commit_interval_ms": LONG_MS}
        async with AsyncConsumer(**stage.config(**committing)) as consumer:
            await consumer.assign([tp(0)])
            assert len(await consumer.poll(timeout=PATIENCE_S)) > 0
            await consumer.poll(timeout=0)
            asked = stage.never(OFFSET_COMMIT)
            assigning = asyncio.ensure_future(consumer.assign([tp(1)]))
            await asyncio.to_thread(asked.wait, PATIENCE_S)
            assigning.cancel()
            await asyncio.wait([assigning])
            assert consumer.assignment() == {tp(0)}
            await consumer.close(timeout=0.5)

    asyncio.run(asyncio.wait_for(scene(), PATIENCE_S))


# ---- committing


def test_with_a_group_reading_begins_where_it_committed(stage: Stage) -> None:
    with stage.consumer() as consumer:
        consumer.assign([tp()])
        read(consumer, 4)
        consumer.commit()
        assert stage.committed() == {0: 4}
        assert stage.members() == 0, "nobody joined"
        committed = consumer.committed([tp()])[tp()]
        assert committed is not None
        assert committed.offset == 4
    with stage.consumer() as consumer:
        consumer.assign([tp()])
        assert values(read(consumer, 6)) == list(range(4, 10))


def test_without_a_group_nothing_can_be_committed(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp()])
        read(consumer, 10)
        with pytest.raises(MisuseError, match=r"set group\.id"):
            consumer.commit()
        with pytest.raises(MisuseError, match=r"set group\.id"):
            consumer.committed([tp()])


def test_a_group_with_members_takes_no_commit_of_a_stranger(stage: Stage) -> None:
    with stage.consumer() as member, stage.consumer() as stranger:
        member.subscribe([TOPIC])
        poll_until(member, lambda: len(member.assignment()) == 3)
        stranger.assign([tp()])
        read(stranger, 10)
        with pytest.raises(CommitFailedError, match=r"no member.*UNKNOWN_MEMBER_ID"):
            stranger.commit()
    assert stage.committed() == {}


def test_auto_commit_covers_what_was_assigned_by_hand(stage: Stage) -> None:
    with stage.consumer(enable_auto_commit=True, auto_commit_interval_ms=10) as consumer:
        consumer.assign([tp()])
        read(consumer, 4)
        poll_until(consumer, lambda: stage.committed().get(0, 0) >= 4)


def test_what_is_given_up_is_committed_first_as_far_as_it_was_processed(stage: Stage) -> None:
    with stage.consumer(enable_auto_commit=True, auto_commit_interval_ms=LONG_MS) as consumer:
        consumer.assign([tp(0), tp(1)])
        consumer.pause([tp(1)])
        consumer.poll(timeout=5, max_records=4)
        consumer.poll(timeout=5, max_records=3)
        consumer.assign([tp(1)])
        assert stage.committed()[0] == 4, "the last three may still be in work"


def test_close_commits_what_was_read_and_unsubscribe_does_not(stage: Stage) -> None:
    with stage.consumer(enable_auto_commit=True, auto_commit_interval_ms=LONG_MS) as consumer:
        consumer.assign([tp(0)])
        read(consumer, 7)
        consumer.unsubscribe()
        assert stage.committed() == {}
        consumer.assign([tp(1)])
        read(consumer, 6)
    assert stage.committed() == {1: 6}


def test_a_commit_without_an_answer_does_not_keep_partitions_from_being_given_up(stage: Stage) -> None:
    with stage.consumer(enable_auto_commit=True, auto_commit_interval_ms=LONG_MS) as consumer:
        consumer.assign([tp(0)])
        read(consumer, 10)
        consumer.poll(timeout=0)
        stage.busy(OFFSET_COMMIT)
        consumer.assign([tp(1)], timeout=0.1)
        assert {record.partition for record in read(consumer, 10)} == {1}
        consumer.close(timeout=0.2)


# ---- either by hand or as a member


def test_who_assigned_by_hand_is_told_both_ways_on_when_subscribing(stage: Stage) -> None:
    with stage.consumer() as consumer:
        consumer.assign([tp()])
        with pytest.raises(MisuseError, match=r"orders\[0\] assigned by hand.*unsubscribe\(\) first.*assign\(\)"):
            consumer.subscribe([TOPIC])
        assert values(read(consumer, 10)) == list(range(10))


def test_who_subscribed_is_told_both_ways_on_when_assigning(stage: Stage) -> None:
    with stage.subscribed() as consumer:
        with pytest.raises(MisuseError, match=r"unsubscribe\(\) first.*subscribe\(\)"):
            consumer.assign([tp()])
        poll_until(consumer, lambda: len(consumer.assignment()) == 3)


def test_a_consumer_may_go_from_one_to_the_other_and_back(stage: Stage) -> None:
    hears = Hears()
    with stage.consumer() as consumer:
        consumer.assign([tp(0)])
        consumer.unsubscribe()
        consumer.subscribe([TOPIC], hears)
        poll_until(consumer, lambda: len(consumer.assignment()) == 3)
        consumer.unsubscribe()
        consumer.assign([tp(1)])
        assert {record.partition for record in read(consumer, 10)} == {1}
        consumer.commit()
        assert stage.committed() == {1: 10}
    assert hears.calls == ["assigned orders[0-2]", "revoked orders[0-2]"]


def test_subscribing_without_a_group_names_the_other_way(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        with pytest.raises(ConfigError, match=r"group\.id.*assign\(\)"):
            consumer.subscribe([TOPIC])
        consumer.assign([tp()])
        assert values(read(consumer, 10)) == list(range(10))


def test_a_callback_can_not_assign(stage: Stage) -> None:
    class Assigns(Hears):
        def on_partitions_assigned(self, *_: object) -> None:
            consumer.assign([tp()])

    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC], Assigns())
        with pytest.raises(MisuseError, match="callback"):
            poll_until(consumer, lambda: False)


@pytest.mark.parametrize("wrong", ["orders", [TOPIC], [("orders", 0)]])
def test_only_partitions_can_be_assigned(stage: Stage, wrong: object) -> None:
    with stage.consumer() as consumer, pytest.raises(TypeError, match="TopicPartition"):
        consumer.assign(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [TopicPartition("", 0), TopicPartition(TOPIC, -1), TopicPartition(TOPIC, 2**40)])
def test_some_partitions_can_not_be(stage: Stage, wrong: TopicPartition) -> None:
    with stage.consumer() as consumer, pytest.raises(ValueError, match="there can be no partition"):
        consumer.assign([wrong])


# ---- what is not there


def test_a_partition_that_does_not_exist_is_waited_for_and_named(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp(2), tp(3)])
        assert values(read(consumer, 10)) == list(range(10))
        poll_until(consumer, lambda: consumer.health().problem is not None)
        assert consumer.health().problem == "orders[3] assigned, but not there: waited for"
        assert "orders[3] assigned, but not there yet: waited for" in caplog.text


def test_a_topic_that_is_created_later_is_read_then(stage: Stage) -> None:
    later = TopicPartition("later", 0)
    with stage.consumer(group_id=None, allow_auto_create_topics=False) as consumer:
        consumer.assign([later])
        poll_until(consumer, lambda: consumer.health().problem is not None)
        stage.cluster.create_topic("later")
        assert consumer.position(later) == 0
        assert consumer.health().problem is None


def test_a_topic_that_may_not_be_described_is_raised(stage: Stage) -> None:
    original = stage.original(METADATA)

    async def refuse(request: object, context: object) -> object:
        answer: Any = await original(request, context)
        error = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        return answer.replaced(topics=[topic.replaced(error_code=error, partitions=[]) for topic in answer.topics])

    stage.handle(METADATA, refuse)
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp()])
        with pytest.raises(TopicAuthorizationError, match="orders"):
            poll_until(consumer, lambda: False)


def test_a_consumer_without_a_group_is_well(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp()])
        read(consumer, 10)
        health = consumer.health()
        assert (health.status, health.problem) == (Status.UNSUBSCRIBED, None)
        assert set(health.silence_s) == {tp()}
        assert consumer.rebalances() == ()
        assert consumer.metrics().reading.records == 10
        assert consumer.metrics().reading.partitions[tp()].position == 10
        with pytest.raises(MisuseError, match=r"needs group\.id"):
            consumer.group_metadata()


def test_who_assigned_by_hand_is_a_stranger_to_the_group(stage: Stage) -> None:
    with stage.consumer() as consumer:
        consumer.assign([tp()])
        metadata = consumer.group_metadata()
        assert (metadata.group_id, metadata.member_epoch, metadata.member_id) == (GROUP, -1, "")


# ---- the retention of offsets


@pytest.mark.parametrize("protocol", ["by hand", "consumer", "classic"])
def test_an_idle_reader_commits_its_positions_again_on_the_interval(stage: Stage, protocol: str) -> None:
    by_hand = protocol == "by hand"
    more = {} if by_hand else {"group_protocol": protocol}
    with stage.consumer(enable_auto_commit=True, auto_commit_interval_ms=10, **more) as consumer:
        if by_hand:
            consumer.assign([tp(0), tp(1), tp(2)])
        else:
            consumer.subscribe([TOPIC])
        read(consumer, 30)
        poll_until(consumer, lambda: stage.committed() == {0: 10, 1: 10, 2: 10})
        commits = stage.cluster.metrics().offsets.committed
        poll_until(consumer, lambda: stage.cluster.metrics().offsets.committed >= commits + 9)
    assert stage.committed() == {0: 10, 1: 10, 2: 10}

"""Partitions assigned by hand: who decides what is read, what is kept, what is committed, and what is refused."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    CommitFailedError,
    ConfigError,
    Consumer,
    MisuseError,
    OffsetOutOfRangeError,
    TopicAuthorizationError,
    TopicPartition,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.states import Status
from kafka_nextgen.wire.apis import METADATA, OFFSET_COMMIT
from tests.engine.stage import GROUP, TOPIC, Hears, Stage, poll_for, poll_until, read, tp, values
from tests.support.waiting import GUARD_S

LONG_MS = 3_600_000
COMMITS_LATER = {"enable_auto_commit": True, "auto_commit_interval_ms": LONG_MS}


@pytest.fixture(autouse=True)
def _topic(stage: Stage) -> None:
    stage.create(partitions=3, records=10)


def partitions_of(consumer: Consumer, count: int) -> set[int]:
    return {record.partition for record in read(consumer, count)}


# ---- reading


def test_without_a_group_auto_offset_reset_decides_where_to_begin_and_all_is_well(stage: Stage) -> None:
    with stage.reader(1) as consumer:
        assert values(read(consumer, 10)) == list(range(10))
        assert consumer.assignment() == {tp(1)}
        assert consumer.position(tp(1)) == 10
        assert consumer.lag() == {tp(1): 0}
        health = consumer.health()
        assert (health.status, health.problem) == (Status.UNSUBSCRIBED, None)
        assert set(health.silence_s) == {tp(1)}
        assert consumer.rebalances() == ()
        assert consumer.metrics().reading.records == 10
        assert consumer.metrics().reading.partitions[tp(1)].position == 10


def test_without_a_group_and_without_a_reset_somebody_has_to_seek(stage: Stage) -> None:
    with stage.reader(auto_offset_reset="none") as consumer:
        with pytest.raises(OffsetOutOfRangeError, match="no offset is committed"):
            poll_for(consumer)
        consumer.seek(tp(), 7)
        assert values(read(consumer, 3)) == [7, 8, 9]


def test_seek_works_before_anything_is_read(stage: Stage) -> None:
    with stage.reader(0, 1) as consumer:
        consumer.seek(tp(0), 8)
        consumer.seek_to_end([tp(1)])
        assert values(read(consumer, 2)) == [8, 9]
        assert consumer.position(tp(1)) == 10


def test_iteration_goes_on_with_the_next_assignment_and_so_do_batches(stage: Stage) -> None:
    with stage.reader() as consumer:
        assert next(consumer).partition == 0
        consumer.assign([tp(1)])
        assert [next(consumer).partition for _ in range(4)] == [1] * 4
        assert len(next(consumer.batches(max_records=6))) == 6


def test_partitions_that_stay_keep_their_position_and_stay_paused(stage: Stage) -> None:
    with stage.reader(0, 1) as consumer:
        consumer.pause([tp(1)])
        assert values(read(consumer, 4)) == [0, 1, 2, 3]
        consumer.assign([tp(0), tp(1), tp(2)])
        assert consumer.paused() == {tp(1)}
        records = read(consumer, 16)
        assert {record.partition for record in records} == {0, 2}
        assert [record.offset for record in records if record.partition == 0] == list(range(4, 10))


@pytest.mark.parametrize("give_up", [Consumer.unsubscribe, lambda consumer: consumer.assign([])])
def test_nothing_is_left_to_read_when_all_is_given_up(stage: Stage, give_up: object) -> None:
    with stage.reader() as consumer:
        give_up(consumer)  # type: ignore[operator]
        assert consumer.assignment() == frozenset()
        with pytest.raises(MisuseError, match=r"subscribe\(\) or assign\(\) first"):
            consumer.poll(timeout=0)


async def test_async_consumers_assign_too_and_an_assignment_that_is_cancelled_changes_nothing(stage: Stage) -> None:
    async with AsyncConsumer(**stage.config(**COMMITS_LATER)) as consumer:
        await consumer.assign([tp(0)])
        assert [(await anext(consumer)).offset for _ in range(10)] == list(range(10))
        await consumer.poll(timeout=0)
        asked = stage.never(OFFSET_COMMIT)
        assigning = asyncio.ensure_future(consumer.assign([tp(1)]))
        await asyncio.to_thread(asked.wait, GUARD_S)
        assigning.cancel()
        await asyncio.wait([assigning])
        assert consumer.assignment() == {tp(0)}
        await consumer.close(timeout=0.1)


# ---- committing


def test_with_a_group_reading_begins_where_it_committed(stage: Stage) -> None:
    with stage.reader(group_id=GROUP) as consumer:
        read(consumer, 4)
        consumer.commit()
        assert stage.committed() == {0: 4}
        assert stage.members() == 0, "nobody joined"
        metadata = consumer.group_metadata()
        assert (metadata.group_id, metadata.member_epoch, metadata.member_id) == (GROUP, -1, "")
        committed = consumer.committed([tp()])[tp()]
        assert committed is not None
        assert committed.offset == 4
    with stage.reader(group_id=GROUP) as consumer:
        assert values(read(consumer, 6)) == list(range(4, 10))


@pytest.mark.parametrize(
    "call", [Consumer.commit, lambda consumer: consumer.committed([tp()]), Consumer.group_metadata]
)
def test_without_a_group_nothing_can_be_committed(stage: Stage, call: object) -> None:
    with stage.reader() as consumer, pytest.raises(MisuseError, match=r"group\.id"):
        call(consumer)  # type: ignore[operator]


def test_a_group_with_members_takes_no_commit_of_a_stranger(stage: Stage) -> None:
    with stage.subscribed() as member, stage.reader(group_id=GROUP) as stranger:
        poll_until(member, lambda: len(member.assignment()) == 3)
        read(stranger, 10)
        with pytest.raises(CommitFailedError, match=r"not a member.*UNKNOWN_MEMBER_ID"):
            stranger.commit()
    assert stage.committed() == {}


@pytest.mark.parametrize("protocol", ["by hand", "consumer", "classic"])
def test_auto_commit_covers_what_was_read_and_an_idle_reader_repeats_it_on_the_interval(
    stage: Stage, protocol: str
) -> None:
    more = {} if protocol == "by hand" else {"group_protocol": protocol}
    with stage.consumer(enable_auto_commit=True, auto_commit_interval_ms=10, **more) as consumer:
        if protocol == "by hand":
            consumer.assign([tp(0), tp(1), tp(2)])
        else:
            consumer.subscribe([TOPIC])
        read(consumer, 30)
        poll_until(consumer, lambda: stage.committed() == {0: 10, 1: 10, 2: 10})
        commits = stage.cluster.metrics().offsets.committed
        poll_until(consumer, lambda: stage.cluster.metrics().offsets.committed >= commits + 9)
    assert stage.committed() == {0: 10, 1: 10, 2: 10}


def test_what_is_given_up_is_committed_first_as_far_as_it_was_processed(stage: Stage) -> None:
    with stage.reader(0, 1, group_id=GROUP, **COMMITS_LATER) as consumer:
        consumer.pause([tp(1)])
        read(consumer, 4)
        consumer.poll(timeout=GUARD_S, max_records=3)
        consumer.assign([tp(1)])
        assert stage.committed()[0] == 4, "the last three may still be in work"


def test_close_commits_what_was_read_and_unsubscribe_does_not(stage: Stage) -> None:
    with stage.reader(0, group_id=GROUP, **COMMITS_LATER) as consumer:
        read(consumer, 7)
        consumer.unsubscribe()
        assert stage.committed() == {}
        consumer.assign([tp(1)])
        read(consumer, 6)
    assert stage.committed() == {1: 6}


def test_a_commit_without_an_answer_does_not_keep_partitions_from_being_given_up(stage: Stage) -> None:
    with stage.reader(0, group_id=GROUP, **COMMITS_LATER) as consumer:
        read(consumer, 10)
        consumer.poll(timeout=0)
        stage.busy(OFFSET_COMMIT)
        consumer.assign([tp(1)], timeout=0.1)
        assert partitions_of(consumer, 10) == {1}
        consumer.close(timeout=0.1)


# ---- either by hand or as a member


def test_who_assigned_by_hand_is_told_both_ways_on_when_subscribing(stage: Stage) -> None:
    with stage.reader(group_id=GROUP) as consumer:
        with pytest.raises(MisuseError, match=r"orders\[0\] assigned manually.*unsubscribe\(\) first.*assign\(\)"):
            consumer.subscribe([TOPIC])
        assert values(read(consumer, 10)) == list(range(10))


def test_who_subscribed_is_told_both_ways_on_when_assigning(stage: Stage) -> None:
    with stage.subscribed() as consumer:
        with pytest.raises(MisuseError, match=r"unsubscribe\(\) first.*subscribe\(\)"):
            consumer.assign([tp()])
        poll_until(consumer, lambda: len(consumer.assignment()) == 3)


def test_a_consumer_may_go_from_one_to_the_other_and_back(stage: Stage) -> None:
    hears = Hears()
    with stage.reader(group_id=GROUP) as consumer:
        consumer.unsubscribe()
        consumer.subscribe([TOPIC], hears)
        poll_until(consumer, lambda: len(consumer.assignment()) == 3)
        consumer.unsubscribe()
        consumer.assign([tp(1)])
        assert partitions_of(consumer, 10) == {1}
        consumer.commit()
        assert stage.committed() == {1: 10}
    assert hears.calls == ["assigned orders[0-2]", "revoked orders[0-2]"]


def test_subscribing_without_a_group_names_the_other_way(stage: Stage) -> None:
    with stage.consumer(group_id=None) as consumer, pytest.raises(ConfigError, match=r"group\.id.*assign\(\)"):
        consumer.subscribe([TOPIC])


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        *((wrong, TypeError) for wrong in ("orders", [TOPIC], [("orders", 0)])),
        *((TopicPartition(*wrong), ValueError) for wrong in (("", 0), (TOPIC, -1), (TOPIC, 2**40))),
    ],
)
def test_only_partitions_can_be_assigned_that_there_can_be(stage: Stage, wrong: object, error: type[Exception]) -> None:
    with stage.consumer() as consumer, pytest.raises(error, match=r"TopicPartition|invalid partition"):
        consumer.assign([wrong] if error is ValueError else wrong)  # type: ignore[arg-type, list-item]


# ---- what is not there


def test_a_partition_that_does_not_exist_is_waited_for_and_named(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    with stage.reader(2, 3) as consumer:
        assert values(read(consumer, 10)) == list(range(10))
        poll_until(consumer, lambda: consumer.health().problem is not None)
        assert consumer.health().problem == "orders[3] assigned, but not created yet; waiting"
        assert "orders[3] assigned, but not created yet; waiting" in caplog.text


def test_a_topic_that_is_created_later_is_read_then(stage: Stage) -> None:
    later = TopicPartition("later", 0)
    with stage.consumer(group_id=None, allow_auto_create_topics=False) as consumer:
        consumer.assign([later])
        poll_until(consumer, lambda: consumer.health().problem is not None)
        stage.cluster.create_topic("later")
        assert consumer.position(later) == 0
        assert consumer.health().problem is None


def test_a_topic_that_may_not_be_described_is_raised(stage: Stage) -> None:
    refused = {"error_code": ErrorCode.TOPIC_AUTHORIZATION_FAILED, "partitions": []}
    stage.change(METADATA, lambda answer: answer.replaced(topics=[each.replaced(**refused) for each in answer.topics]))
    with stage.reader() as consumer, pytest.raises(TopicAuthorizationError, match="orders"):
        poll_for(consumer)

"""A bare commit after records were lost that it should have covered: it says so, once, and names the partitions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafka_nextgen import AsyncConsumer, CommitFailedError, Consumer, RebalanceConsumer
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.engine.injected_callbacks import throw_out
from tests.engine.stage import Hears, Stage, poll_until, read, tp
from tests.support.waiting import eventually

BOTH_PROTOCOLS = pytest.mark.parametrize("protocol", ["consumer", "classic"])

#: The member leaves by itself when it was not polled for this long.
IMPATIENT = {"max_poll_interval_ms": 10_000}


def let_go_out(stage: Stage, consumer: Consumer | AsyncConsumer) -> None:
    """Have so much time pass without a poll that the member leaves."""
    stage.cluster.advance(seconds=11)
    assert "not polled" in (consumer.health().problem or "")


def lose_and_return(stage: Stage, consumer: Consumer) -> int:
    """Throw the member out, and let it join again; return how many records it read meanwhile, few if any."""
    consumer.pause(consumer.assignment())
    before, count = consumer.group_metadata(), 0
    throw_out(stage, consumer)

    def is_back() -> bool:
        nonlocal count
        count += len(consumer.poll(timeout=0, max_records=1))
        consumer.pause(consumer.assignment())
        now = consumer.group_metadata()
        return now != before and now.member_epoch >= 0 and bool(consumer.assignment())

    eventually("the member is back", is_back)
    return count


def refused(commit: Callable[[], object]) -> set[TopicPartition]:
    with pytest.raises(CommitFailedError, match=r"resume at the last commit|poll\(\) until") as caught:
        commit()
    return set(caught.value.failed)


# ---- when a batch takes too long


@BOTH_PROTOCOLS
def test_a_batch_that_took_too_long_is_not_committed_and_each_commit_says_so_once(timed: Stage, protocol: str) -> None:
    with timed.after_reading(5, partitions=2, group_protocol=protocol, **IMPATIENT) as consumer:
        let_go_out(timed, consumer)
        assert refused(consumer.commit) == {tp(0), tp(1)}
        assert timed.committed() == {}
        read(consumer, 10)
        let_go_out(timed, consumer)
        assert refused(consumer.commit_async().result) == {tp(0), tp(1)}
        read(consumer, 10)
        consumer.commit()
        assert timed.committed() == {0: 5, 1: 5}


def test_a_loop_has_lost_what_it_was_given(timed: Stage) -> None:
    timed.create(records=5)
    with timed.subscribed(**IMPATIENT) as consumer:
        assert (next(consumer).offset, next(consumer).offset) == (0, 1)
        let_go_out(timed, consumer)
        assert refused(consumer.commit) == {tp()}
        consumer.commit()
        assert next(consumer).offset == 0, "they are read again"
        consumer.commit()
        assert timed.committed() == {0: 1}


# ---- when a member was thrown out and is back


@BOTH_PROTOCOLS
def test_a_member_that_was_removed_and_is_back_with_the_same_partition_has_lost_the_records(
    stage: Stage, protocol: str
) -> None:
    stage.create(records=5)
    heard = Hears()
    with stage.subscribed(heard, group_protocol=protocol) as consumer:
        read(consumer, 1)
        count = lose_and_return(stage, consumer)
        assert "lost orders[0]" in heard.calls
        assert refused(consumer.commit) == {tp()}
        consumer.resume([tp()])
        assert len(read(consumer, 5 - count)) == 5 - count, "they are read again"
        consumer.commit()
        assert stage.committed() == {0: 5}


def commit_in_a_loop(consumer: Consumer) -> None:
    consumer.seek(tp(), 0)
    for record in consumer:
        consumer.commit({tp(): record.offset + 1})
        if record.offset == 4:
            break


def seek_back(consumer: Consumer) -> None:
    consumer.pause([tp()])
    consumer.seek(tp(), 0)


COVERED: dict[str, Callable[[Consumer], object]] = {
    "committed": Consumer.commit,
    "committed by its offset right after the poll": lambda consumer: consumer.commit({tp(): 5}),
    "committed by its offset in a loop": commit_in_a_loop,
    "sought back from: it is not wanted": seek_back,
}


@BOTH_PROTOCOLS
@pytest.mark.parametrize("before", COVERED.values(), ids=COVERED.keys())
def test_nothing_is_lost_that_was(stage: Stage, protocol: str, before: Callable[[Consumer], object]) -> None:
    with stage.after_reading(5, group_protocol=protocol) as consumer:
        before(consumer)
        lose_and_return(stage, consumer)
        consumer.commit()
        assert before is seek_back or stage.committed() == {0: 5}


@BOTH_PROTOCOLS
def test_what_the_coordinator_refused_to_commit_is_lost(stage: Stage, protocol: str) -> None:
    with stage.after_reading(5, group_protocol=protocol) as consumer:
        with pytest.raises(CommitFailedError, match="OFFSET_METADATA_TOO_LARGE"):
            consumer.commit({tp(): OffsetAndMetadata(5, metadata="x" * 5000)})
        lose_and_return(stage, consumer)
        assert refused(consumer.commit) == {tp()}


def test_of_a_commit_that_was_refused_in_part_only_that_part_is_lost(stage: Stage) -> None:
    with stage.after_reading(5, partitions=2) as consumer:
        with pytest.raises(CommitFailedError, match="OFFSET_METADATA_TOO_LARGE"):
            consumer.commit({tp(0): OffsetAndMetadata(5, metadata="x" * 5000), tp(1): OffsetAndMetadata(5)})
        lose_and_return(stage, consumer)
        assert refused(consumer.commit) == {tp(0)}


def test_a_commit_in_a_callback_is_for_the_partitions_that_are_there(stage: Stage) -> None:
    class Commits(Hears):
        def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: object) -> None:
            consumer.commit()

    stage.create(records=5)
    with stage.subscribed(Commits()) as consumer:
        read(consumer, 1)
        lose_and_return(stage, consumer)
        assert refused(consumer.commit) == {tp()}


# ---- when partitions are given up


@BOTH_PROTOCOLS
@pytest.mark.parametrize("has_listener", [False, True])
def test_what_goes_to_another_member_uncommitted_is_lost_unless_a_listener_was_asked_to_commit(
    stage: Stage, protocol: str, has_listener: bool
) -> None:
    def is_shared() -> bool:
        first.pause(first.assignment())
        second.poll(timeout=0)
        return len(second.assignment()) == len(first.assignment()) == 1

    first = stage.after_reading(5, Hears() if has_listener else None, partitions=2, group_protocol=protocol)
    with first, stage.subscribed(group_protocol=protocol) as second:
        poll_until(first, is_shared)
        if has_listener:
            first.commit()
        else:
            assert second.assignment() <= refused(first.commit)
        first.commit()


def test_who_unsubscribes_gives_up_knowingly(stage: Stage) -> None:
    with stage.after_reading(5) as consumer:
        consumer.unsubscribe()
        consumer.commit()

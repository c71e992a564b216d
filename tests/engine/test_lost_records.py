"""A bare commit after records were lost that it should have covered: it says so, once, and names the partitions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from kafka_nextgen import AsyncConsumer, CommitFailedError, Consumer, GroupAdmin, RebalanceConsumer
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.engine.stage import GROUP, TOPIC, Hears, Stage, poll_until, read, tp
from tests.support.waiting import eventually

pytestmark = pytest.mark.parametrize("protocol", ["consumer", "classic"])

#: The member leaves by itself when it was not polled for this long.
IMPATIENT = {"max_poll_interval_ms": 10_000}


def let_go_out(stage: Stage, consumer: Consumer | AsyncConsumer) -> None:
    """Have so much time pass without a poll that the member leaves."""
    stage.cluster.advance(seconds=11)
    assert "not polled" in (consumer.health().problem or "")


def remove(stage: Stage, consumer: Consumer | AsyncConsumer) -> None:
    """Throw the member out from outside; it hears of it by its next heartbeat."""
    with GroupAdmin(bootstrap_servers=stage.cluster.bootstrap_servers) as admin:
        (removed,) = admin.remove_members(GROUP, member_ids=[consumer.group_metadata().member_id])
        assert removed.error is None


def lose_and_return(stage: Stage, consumer: Consumer) -> int:
    """Throw the member out, and let it join again; return how many records it read meanwhile, few if any."""
    consumer.pause(consumer.assignment())
    before, count = consumer.group_metadata(), 0
    remove(stage, consumer)

    def is_back() -> bool:
        nonlocal count
        count += len(consumer.poll(timeout=0, max_records=1))
        consumer.pause(consumer.assignment())
        now = consumer.group_metadata()
        return now != before and now.member_epoch >= 0 and bool(consumer.assignment())

    eventually("the member is back", is_back)
    return count


def refused(commit: Callable[[], object]) -> set[TopicPartition]:
    with pytest.raises(CommitFailedError, match=r"read on from what was committed last|poll\(\) until") as caught:
        commit()
    return set(caught.value.failed)


def test_a_batch_that_took_too_long_is_not_committed_and_commit_says_so(timed: Stage, protocol: str) -> None:
    timed.create(partitions=2, records=5)
    with timed.subscribed(group_protocol=protocol, **IMPATIENT) as consumer:
        read(consumer, 10)
        let_go_out(timed, consumer)
        assert refused(consumer.commit) == {tp(0), tp(1)}
        assert timed.committed() == {}


def test_commit_async_says_so_too_and_it_is_said_once(timed: Stage, protocol: str) -> None:
    timed.create(partitions=2, records=5)
    with timed.subscribed(group_protocol=protocol, **IMPATIENT) as consumer:
        read(consumer, 10)
        let_go_out(timed, consumer)
        assert refused(consumer.commit_async().result) == {tp(0), tp(1)}
        assert len(read(consumer, 10)) == 10
        consumer.commit()
        assert timed.committed() == {0: 5, 1: 5}


def test_a_member_that_was_removed_and_is_back_with_the_same_partition_has_lost_the_records(
    stage: Stage, protocol: str
) -> None:
    stage.create(records=5)
    with stage.subscribed(group_protocol=protocol) as consumer:
        read(consumer, 1)
        count = lose_and_return(stage, consumer)
        assert refused(consumer.commit) == {tp()}
        consumer.resume([tp()])
        assert len(read(consumer, 5 - count)) == 5 - count, "they are read again"
        consumer.commit()
        assert stage.committed() == {0: 5}


def test_what_was_committed_is_not_lost(stage: Stage, protocol: str) -> None:
    stage.create(partitions=2, records=5)
    with stage.subscribed(group_protocol=protocol) as consumer:
        read(consumer, 10)
        consumer.commit()
        consumer.commit({tp(1): 5})
        lose_and_return(stage, consumer)
        consumer.commit()
        assert stage.committed() == {0: 5, 1: 5}


def test_what_was_committed_by_its_offset_right_after_the_poll_is_not_lost(stage: Stage, protocol: str) -> None:
    stage.create(records=5)
    with stage.subscribed(group_protocol=protocol) as consumer:
        read(consumer, 5)
        consumer.commit({tp(): 5})
        lose_and_return(stage, consumer)
        consumer.commit()
        assert stage.committed() == {0: 5}


def test_what_a_loop_committed_by_its_offset_is_not_lost(stage: Stage, protocol: str) -> None:
    stage.create(records=5)
    with stage.subscribed(group_protocol=protocol) as consumer:
        for record in consumer:
            consumer.commit({tp(): record.offset + 1})
            if record.offset == 4:
                break
        lose_and_return(stage, consumer)
        consumer.commit()
        assert stage.committed() == {0: 5}


def test_what_the_coordinator_refused_to_commit_is_lost(stage: Stage, protocol: str) -> None:
    stage.create(records=5)
    with stage.subscribed(group_protocol=protocol) as consumer:
        read(consumer, 5)
        with pytest.raises(CommitFailedError, match="OFFSET_METADATA_TOO_LARGE"):
            consumer.commit({tp(): OffsetAndMetadata(5, metadata="x" * 5000)})
        lose_and_return(stage, consumer)
        assert refused(consumer.commit) == {tp()}


def test_who_has_sought_back_wants_nothing_committed_of_what_was_read(stage: Stage, protocol: str) -> None:
    stage.create(records=5)
    with stage.subscribed(group_protocol=protocol) as consumer:
        read(consumer, 5)
        consumer.pause([tp()])
        consumer.seek(tp(), 0)
        lose_and_return(stage, consumer)
        consumer.commit()


def test_a_listener_that_heard_of_the_loss_makes_no_difference(stage: Stage, protocol: str) -> None:
    stage.create(records=5)
    with stage.consumer(group_protocol=protocol) as consumer:
        heard = Hears()
        consumer.subscribe([TOPIC], heard)
        read(consumer, 1)
        lose_and_return(stage, consumer)
        assert "lost orders[0]" in heard.calls
        assert refused(consumer.commit) == {tp()}
        consumer.commit()


def test_a_loop_has_lost_what_it_was_given(timed: Stage, protocol: str) -> None:
    timed.create(records=5)
    with timed.subscribed(group_protocol=protocol, **IMPATIENT) as consumer:
        assert next(consumer).offset == 0
        assert next(consumer).offset == 1
        let_go_out(timed, consumer)
        assert refused(consumer.commit) == {tp()}
        consumer.commit()
        assert next(consumer).offset == 0, "they are read again"
        consumer.commit()
        assert timed.committed() == {0: 1}


@pytest.mark.parametrize("has_listener", [False, True])
def test_what_goes_to_another_member_uncommitted_is_lost_unless_a_listener_was_asked_to_commit(
    stage: Stage, protocol: str, has_listener: bool
) -> None:
    stage.create(partitions=2, records=5)
    with stage.consumer(group_protocol=protocol) as first, stage.consumer(group_protocol=protocol) as second:
        first.subscribe([TOPIC], Hears() if has_listener else None)
        read(first, 10)
        second.subscribe([TOPIC])

        def is_shared() -> bool:
            first.pause(first.assignment())
            second.poll(timeout=0)
            return len(second.assignment()) == len(first.assignment()) == 1

        poll_until(first, is_shared)
        if has_listener:
            first.commit()
        else:
            assert second.assignment() <= refused(first.commit)
        first.commit()


def test_who_unsubscribes_gives_up_knowingly(stage: Stage, protocol: str) -> None:
    stage.create(records=5)
    with stage.subscribed(group_protocol=protocol) as consumer:
        read(consumer, 5)
        consumer.unsubscribe()
        consumer.commit()


def test_a_commit_in_a_callback_is_for_the_partitions_that_are_there(stage: Stage, protocol: str) -> None:
    stage.create(records=5)

    class Commits(Hears):
        def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: object) -> None:
            consumer.commit()

    with stage.consumer(group_protocol=protocol) as consumer:
        consumer.subscribe([TOPIC], Commits())
        read(consumer, 1)
        lose_and_return(stage, consumer)
        assert refused(consumer.commit) == {tp()}


def test_an_async_consumer_is_told_as_well(timed: Stage, protocol: str) -> None:
    timed.create(records=5)

    async def main() -> None:
        async with AsyncConsumer(**timed.config(group_protocol=protocol, **IMPATIENT)) as consumer:
            await consumer.subscribe([TOPIC])
            records = 0
            while records < 5:
                records += len(await consumer.poll(timeout=0.1))
            await asyncio.to_thread(let_go_out, timed, consumer)
            with pytest.raises(CommitFailedError) as caught:
                await consumer.commit()
            assert set(caught.value.failed) == {tp()}
            await consumer.commit()

    asyncio.run(asyncio.wait_for(main(), 60))

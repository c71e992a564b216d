"""Record by record: what was given out is handed over, whatever happens between two records."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest

from kafka_nextgen import DeserializationError, MisuseError, Record
from tests.engine.stage import GROUP, TOPIC, Hears, Stage, read, tp, values
from tests.support.forking import in_forked_process
from tests.support.waiting import GUARD_S, eventually


@pytest.fixture
def ten(stage: Stage) -> Stage:
    """A topic of ten records."""
    stage.create(records=10)
    return stage


def fail_on_seven(data: bytes) -> int:
    if data == b"7":
        raise ZeroDivisionError("seven")
    return int(data)


def test_commit_in_the_loop_commits_exactly_what_was_given_out(ten: Stage) -> None:
    with ten.subscribed() as consumer:
        for record in islice(consumer, 10):
            consumer.commit()
            assert ten.committed() == {0: record.offset + 1}


def test_a_loop_may_seek_pause_and_poll(stage: Stage) -> None:
    stage.create(partitions=2, records=20)
    seen: list[Record] = []
    with stage.subscribed() as consumer:
        for record in consumer:
            if not seen:
                consumer.pause([tp(1 - record.partition)])
                consumer.seek(tp(record.partition), 10)
            seen.append(record)
            if record.offset == 15:
                break
        assert {record.partition for record in seen} == {seen[0].partition}
        assert [record.offset for record in seen] == [0, 10, 11, 12, 13, 14, 15]
        assert values(list(consumer.poll(timeout=GUARD_S))) == [16, 17, 18, 19]


def test_polls_loops_and_other_threads_share_what_there_is_and_go_on_behind_each_other(stage: Stage) -> None:
    stage.create(records=30)
    with stage.subscribed() as consumer, ThreadPoolExecutor(1) as thread:
        taken = list(islice(consumer, 5))
        taken += list(consumer.poll(timeout=GUARD_S, max_records=7))
        one, another = iter(consumer), iter(consumer)
        taken += [next(one), next(another), next(one), next(consumer), next(another)]
        polls = consumer.metrics().polling.polls
        taken += [thread.submit(next, consumer).result() for _ in range(2)]
        taken.append(next(one))
        assert values(taken) == list(range(20))
        assert consumer.metrics().polling.polls >= polls + 2, "each caller for themselves"


# ---- records that can't be deserialized


def test_a_record_that_cannot_be_deserialized_is_named_and_the_loop_goes_on_where_it_is_told_to(ten: Stage) -> None:
    with ten.consumer(value_deserializer=fail_on_seven) as consumer:
        records = iter(consumer)  # which outlives the errors that it raises
        with pytest.raises(MisuseError, match="subscribe"):
            next(records)
        consumer.subscribe([TOPIC])
        assert [record.value for record in islice(records, 7)] == [0, 1, 2, 3, 4, 5, 6]
        with pytest.raises(DeserializationError, match="seven") as caught:
            next(records)
        assert (caught.value.partition, caught.value.offset) == (tp(), 7)
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        assert consumer.position(tp()) == 7
        consumer.seek(caught.value.partition, caught.value.offset + 1)
        assert next(records).value == 8
        assert consumer.position(tp()) == 9
        consumer.seek(tp(), 7)
        for _ in range(3):
            with pytest.raises(DeserializationError):
                next(consumer)
        assert consumer.position(tp()) == 7


# ---- what ends a run of records


def test_a_loop_that_takes_its_time_polls_once_in_a_while(timed: Stage) -> None:
    timed.create(records=10)
    with timed.subscribed() as consumer:
        records = iter(consumer)
        first, polls = next(records), consumer.metrics().polling.polls
        timed.cluster.advance(seconds=5)
        assert consumer._core.cursor._run._is_over
        assert values([first, next(records)]) == [0, 1]
        assert consumer.metrics().polling.polls == polls + 1


def test_a_loop_that_goes_on_in_a_child_process_is_refused_there(ten: Stage) -> None:
    with ten.subscribed() as consumer:
        records = iter(consumer)
        next(records)

        def take_in_child() -> None:
            with pytest.raises(MisuseError):
                next(records)

        in_forked_process(take_in_child)
        assert next(records).offset == 1


def test_a_closed_consumer_gives_out_no_record_it_looked_at(ten: Stage) -> None:
    consumer = ten.subscribed()
    next(consumer)
    consumer.close()
    with pytest.raises(MisuseError, match="closed"):
        next(consumer)


def test_iteration_polls_between_two_records_when_it_has_to(ten: Stage) -> None:
    listener = Hears()
    with ten.subscribed(listener) as consumer:
        next(consumer)
        before = consumer._core.engine.mailbox.news
        ten.fence(consumer)
        eventually("the loss is known", lambda: consumer._core.engine.mailbox.news > before)
        assert next(consumer).offset == 0, "what was looked at is not given out any more, but comes again"
        assert listener.calls[:3] == ["assigned orders[0]", "lost orders[0]", "assigned orders[0]"]


# ---- batches, lag and the group's metadata


def test_batches_come_for_ever_and_no_larger_than_asked_for(stage: Stage) -> None:
    stage.create(records=30)
    with stage.subscribed() as consumer:
        batches = list(islice(consumer.batches(max_records=8), 4))
        with pytest.raises(ValueError, match="max_records"):
            consumer.poll(max_records=0)
    assert values([record for batch in batches for record in batch]) == list(range(sum(map(len, batches))))
    assert max(map(len, batches)) <= 8


def test_lag_is_known_once_something_was_fetched(ten: Stage) -> None:
    with ten.consumer() as consumer:
        assert consumer.lag() == {}
        consumer.subscribe([TOPIC])
        list(islice(consumer, 4))
        assert consumer.lag() == {tp(): 6}
        consumer.seek_to_beginning()
        assert consumer.lag() in ({tp(): None}, {tp(): 10})


def test_group_metadata_stays_that_of_what_is_processed_until_the_next_poll_if_it_is_lost(stage: Stage) -> None:
    """A member without a listener joins again by itself. Others may have read its records meanwhile."""
    with stage.after_reading(10) as consumer:
        before, identity = consumer.group_metadata(), consumer._core.engine.identity
        stage.fence(consumer)
        eventually("it has joined again", lambda: identity.member_epoch > before.member_epoch)
        assert consumer.group_metadata().member_epoch <= before.member_epoch
        consumer.poll(0)
        assert consumer.group_metadata().member_epoch == identity.member_epoch > before.member_epoch


def test_group_metadata_names_the_member_as_it_is(ten: Stage) -> None:
    with ten.consumer(group_instance_id="reader-1") as consumer:
        before = consumer.group_metadata()
        assert (before.group_id, before.member_epoch, before.member_id) == (GROUP, -1, "")
        consumer.subscribe([TOPIC])
        read(consumer, 10)
        member = consumer.group_metadata()
        assert member.member_epoch > 0
        assert (bool(member.member_id), member.instance_id) == (True, "reader-1")

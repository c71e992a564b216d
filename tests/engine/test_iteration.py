"""Record by record: what was given out is handed over, whatever happens between two records."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest

from kafka_nextgen import DeserializationError, MisuseError, Record
from tests.engine.stage import Hears, Stage, read, tp, values
from tests.support.waiting import eventually


def fail_on_seven(data: bytes) -> int:
    if data == b"7":
        raise ZeroDivisionError("seven")
    return int(data)


def test_commit_in_the_loop_commits_exactly_what_was_given_out(stage: Stage) -> None:
    stage.create(records=30)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        for record in islice(consumer, 12):
            consumer.commit()
            assert stage.committed() == {0: record.offset + 1}


def test_a_loop_may_seek_pause_and_poll(stage: Stage) -> None:
    stage.create(partitions=2, records=20)
    seen: list[Record] = []
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        for record in consumer:
            if not seen:
                consumer.pause([tp(1 - record.partition)])
                consumer.seek(tp(record.partition), 10)
            seen.append(record)
            if record.offset == 15:
                break
        assert {record.partition for record in seen} == {seen[0].partition}
        assert [record.offset for record in seen] == [0, 10, 11, 12, 13, 14, 15]
        assert values(list(consumer.poll(timeout=5))) == [16, 17, 18, 19]


def test_poll_goes_on_behind_the_loop_and_the_loop_behind_the_poll(stage: Stage) -> None:
    stage.create(records=30)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        first = list(islice(consumer, 5))
        second = list(consumer.poll(timeout=5, max_records=7))
        third = list(islice(consumer, 5))
    assert values([*first, *second, *third]) == list(range(17))


def test_a_record_that_cannot_be_deserialized_is_named_and_the_loop_goes_on_where_it_is_told_to(stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer(value_deserializer=fail_on_seven) as consumer:
        consumer.subscribe(["orders"])
        assert [record.value for record in islice(consumer, 7)] == [0, 1, 2, 3, 4, 5, 6]
        with pytest.raises(DeserializationError, match="seven") as caught:
            next(consumer)
        assert (caught.value.partition, caught.value.offset) == (tp(), 7)
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        assert consumer.position(tp()) == 7
        consumer.seek(caught.value.partition, caught.value.offset + 1)
        assert next(consumer).value == 8
        assert consumer.position(tp()) == 9


def test_a_bad_record_that_comes_first_is_raised_again_and_again(stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer(value_deserializer=fail_on_seven) as consumer:
        consumer.subscribe(["orders"])
        next(consumer)
        consumer.seek(tp(), 7)
        for _ in range(3):
            with pytest.raises(DeserializationError):
                next(consumer)
        assert consumer.position(tp()) == 7


def test_a_loop_object_outlives_the_errors_it_raises(stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer(value_deserializer=fail_on_seven) as consumer:
        records = iter(consumer)
        with pytest.raises(MisuseError, match="subscribe"):
            next(records)
        consumer.subscribe(["orders"])
        assert [record.value for record in islice(records, 7)] == [0, 1, 2, 3, 4, 5, 6]
        with pytest.raises(DeserializationError):
            next(records)
        consumer.seek(tp(), 8)
        assert [record.value for record in islice(records, 2)] == [8, 9]


def test_two_loops_over_one_consumer_share_what_there_is(stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        one, another = iter(consumer), iter(consumer)
        taken = [next(one), next(another), next(one), next(consumer), next(another)]
        assert values(taken) == [0, 1, 2, 3, 4]


def test_another_thread_polls_for_itself_and_goes_on_behind_the_loop(stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        records = iter(consumer)
        taken = [next(records)]
        with ThreadPoolExecutor(1) as thread:
            taken += [thread.submit(next, consumer).result() for _ in range(2)]
        taken.append(next(records))
        assert values(taken) == [0, 1, 2, 3]
        assert consumer.metrics().polling.polls >= 3, "each caller for themselves"


def test_a_loop_that_takes_its_time_polls_once_in_a_while(timed: Stage) -> None:
    timed.create(records=10)
    with timed.consumer() as consumer:
        consumer.subscribe(["orders"])
        records = iter(consumer)
        first, polls = next(records), consumer.metrics().polling.polls
        timed.cluster.advance(seconds=5)
        assert consumer._core.cursor._run._is_over
        assert values([first, next(records)]) == [0, 1]
        assert consumer.metrics().polling.polls == polls + 1


def test_a_loop_that_goes_on_in_a_child_process_is_refused_there(stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        records = iter(consumer)
        next(records)
        child = os.fork()
        if child == 0:
            try:
                next(records)
            except MisuseError:
                os._exit(0)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert next(records).offset == 1


def test_a_closed_consumer_gives_out_no_record_it_looked_at(stage: Stage) -> None:
    stage.create(records=10)
    consumer = stage.consumer()
    consumer.subscribe(["orders"])
    next(consumer)
    consumer.close()
    with pytest.raises(MisuseError, match="closed"):
        next(consumer)


def test_iteration_polls_between_two_records_when_it_has_to(stage: Stage) -> None:
    stage.create(records=10)
    listener = Hears()
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"], listener)
        next(consumer)
        before = consumer._core.engine.mailbox.news
        stage.fence(consumer)
        eventually("the loss is known", lambda: consumer._core.engine.mailbox.news > before)
        assert next(consumer).offset == 0, "what was looked at is not given out any more, but comes again"
        assert listener.calls[:3] == ["assigned orders[0]", "lost orders[0]", "assigned orders[0]"]


def test_batches_come_for_ever_and_no_larger_than_asked_for(stage: Stage) -> None:
    stage.create(records=30)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        batches = list(islice(consumer.batches(max_records=8), 4))
    assert values([record for batch in batches for record in batch]) == list(range(sum(map(len, batches))))
    assert max(map(len, batches)) <= 8


def test_a_number_of_records_must_be_one_at_least(stage: Stage) -> None:
    stage.create()
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        with pytest.raises(ValueError, match="max_records"):
            consumer.poll(max_records=0)


def test_lag_is_known_once_something_was_fetched(stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer() as consumer:
        assert consumer.lag() == {}
        consumer.subscribe(["orders"])
        list(islice(consumer, 4))
        assert consumer.lag() == {tp(): 6}
        consumer.seek_to_beginning()
        assert consumer.lag() in ({tp(): None}, {tp(): 10})


def test_group_metadata_stays_that_of_what_is_processed_until_the_next_poll_if_it_is_lost(stage: Stage) -> None:
    """A member without a listener joins again by itself. Others may have read its records meanwhile."""
    stage.create(records=10)
    with stage.consumer() as consumer:
        consumer.subscribe(["orders"])
        read(consumer, 10)
        before, identity = consumer.group_metadata(), consumer._core.engine.identity
        stage.fence(consumer)
        eventually("it has joined again", lambda: identity.member_epoch > before.member_epoch)
        assert consumer.group_metadata().member_epoch <= before.member_epoch
        consumer.poll(0)
        assert consumer.group_metadata().member_epoch == identity.member_epoch > before.member_epoch


def test_group_metadata_names_the_member_as_it_is(stage: Stage) -> None:
    stage.create(records=1)
    with stage.consumer(group_instance_id="reader-1") as consumer:
        before = consumer.group_metadata()
        assert (before.group_id, before.member_epoch, before.member_id) == ("billing", -1, "")
        consumer.subscribe(["orders"])
        read(consumer, 1)
        member = consumer.group_metadata()
        assert member.member_epoch > 0
        assert (bool(member.member_id), member.instance_id) == (True, "reader-1")
    with (
        stage.consumer(group_id=None, enable_auto_commit=None) as alone,
        pytest.raises(MisuseError, match=r"group\.id"),
    ):
        alone.group_metadata()

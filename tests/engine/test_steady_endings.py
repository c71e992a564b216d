"""Whatever ends a steady state: no record is lost, none comes twice or out of order, and another one begins."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.broker import leadership
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.messages import FetchResponse
from kafka_nextgen.wire.records import EndMarker, NewRecord, encode_batch, encode_end_marker, read_batches
from tests.engine.stage import PATIENCE_S, SETTINGS, Stage, poll_until, read, tp, values
from tests.engine.steady import (
    LONG_MS,
    Steadiness,
    fails,
    go_on,
    hang_up,
    next_of,
    once,
    one_by_one,
    reading,
    reads_on,
)
from tests.support.waiting import eventually

BUFFER_BYTES = 400_000
SHORT_MS = 400
THROTTLE_MS = 300
PartitionData = FetchResponse.FetchableTopicResponse.PartitionData

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="without the accelerator nothing is steady")


def larger(stage: Stage, consumer: Consumer) -> None:
    first = next_of(consumer)
    stage.write_batch(0, 3000)
    assert values(read(consumer, 3000)) == list(range(first, first + 3000))


def compressed(stage: Stage, consumer: Consumer) -> None:
    stage.write_zeros(0, 100)
    read(consumer, 1)


def seek(stage: Stage, consumer: Consumer) -> None:
    consumer.seek(tp(0), 1)
    assert values(read(consumer, 2)) == [1, 2]


def seek_behind_what_was_kept(stage: Stage, consumer: Consumer) -> None:
    first = next_of(consumer)
    stage.write(0, 5)
    eventually("the lag is 5", lambda: consumer.lag()[tp(0)] == 5, saw=consumer.lag)
    consumer.seek(tp(0), first + 3)
    assert values(read(consumer, 2)) == [first + 3, first + 4]


def pause_and_resume(stage: Stage, consumer: Consumer) -> None:
    first = next_of(consumer)
    consumer.pause([tp(0)])
    stage.write(0, 2)
    stage.write(1, 1)
    assert [(record.partition, record.offset) for record in read(consumer, 1)] == [(1, 0)]
    consumer.resume([tp(0)])
    assert values(read(consumer, 2)) == [first, first + 1]
    answer_the_other(stage, consumer)


def answer_the_other(stage: Stage, consumer: Consumer) -> None:
    """Have a fetch answered that waits for the second partition alone; the next one is for both."""
    stage.write(1, 1)
    assert [record.partition for record in read(consumer, 1)] == [1]


def other_partitions(stage: Stage, consumer: Consumer) -> None:
    consumer.assign([tp(0)])
    stage.write(1, 1)


def seek_to_the_beginning(stage: Stage, consumer: Consumer) -> None:
    consumer.seek_to_beginning([tp(0)])
    assert values(read(consumer, 3)) == [0, 1, 2]


def stop(stage: Stage, consumer: Consumer) -> None:
    first = next_of(consumer)
    stage.write(0, 1)
    eventually("the lag is 1", lambda: consumer.lag()[tp(0)] == 1, saw=consumer.lag)
    consumer.assign([tp(1)])
    stage.write(1, 1)
    assert [(record.partition, record.offset) for record in read(consumer, 1)] == [(1, 0)]
    consumer.assign([tp(0), tp(1)])
    consumer.seek(tp(0), first)
    assert values(read(consumer, 1)) == [first]
    answer_the_other(stage, consumer)


def another_leader_epoch(stage: Stage, consumer: Consumer) -> None:
    found = stage._partition(0)
    epoch = found.leader_epoch
    stage.run(lambda: leadership.lead(found, found.leader))
    assert found.leader_epoch == epoch + 1
    assert reads_on(stage, consumer, 1)
    answer_the_other(stage, consumer)


def error_of_a_partition(stage: Stage, consumer: Consumer) -> None:
    def refuse(answer: Any) -> Any:
        part = PartitionData(partition_index=0, error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER, high_watermark=-1)
        return answer.replaced(responses=[topic.replaced(partitions=[part]) for topic in answer.responses])

    first = next_of(consumer)
    once(stage, refuse)
    stage.write(0, 1)
    assert values(read(consumer, 1)) == [first]  # the next fetch of the node has to be answered before


def aborted_transaction(stage: Stage, consumer: Consumer) -> None:
    first = next_of(consumer)
    written = [NewRecord(b"never"), NewRecord(b"read")]
    aborted = encode_batch(written, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)
    marker = encode_end_marker(EndMarker(is_commit=False, coordinator_epoch=0), 7, 0, 0)
    for batch in (aborted, marker):
        stage.run(lambda batch=batch: stage._partition(0).log.append(read_batches(batch)[0]))  # type: ignore[misc]
    stage.write(0, 1)
    assert values(read(consumer, 1)) == [first + 3]


def forgotten_session(stage: Stage, consumer: Consumer) -> None:
    (sessions,) = stage.cluster._broker._cluster.fetch_sessions.values()
    stage.run(sessions.clear)


def questions(stage: Stage, consumer: Consumer) -> None:
    assert consumer.end_offsets([tp(0)]) == {tp(0): next_of(consumer)}
    assert len(consumer.partitions_for("orders")) == 2


def new_metadata(stage: Stage, consumer: Consumer) -> None:
    engine = consumer._core.engine
    before = engine.cluster.metadata
    engine.thread.submit(engine.cluster.refresh_metadata()).result(PATIENCE_S)
    assert engine.cluster.metadata is not before


ENDS: dict[str, Callable[[Stage, Consumer], None]] = {
    "an answer that is larger": larger,
    "compressed records": compressed,
    "a seek": seek,
    "a seek with records waiting": seek_behind_what_was_kept,
    "a pause": pause_and_resume,
    "a seek to the beginning": seek_to_the_beginning,
    "another assignment": other_partitions,
    "a stop": stop,
    "another leader epoch": another_leader_epoch,
    "an error of a partition": error_of_a_partition,
    "an aborted transaction": aborted_transaction,
    "a forgotten session": forgotten_session,
    "new metadata": new_metadata,
    "questions that bring new metadata": questions,
}


@pytest.mark.parametrize("happens", ENDS.values(), ids=ENDS)
def test_what_ends_one_is_gone_through_and_another_begins(
    stage: Stage, steady: Steadiness, happens: Callable[[Stage, Consumer], None]
) -> None:
    config = {"isolation_level": "read_committed", "fetch_max_wait_ms": SHORT_MS}
    with reading(stage, steady, **config) as consumer:
        ended = steady.ended
        happens(stage, consumer)
        assert reads_on(stage, consumer, 5)
        assert steady.ended > ended
        go_on(stage, consumer, steady)


def test_answers_without_records_do_not_end_it(stage: Stage, steady: Steadiness) -> None:
    with reading(stage, steady, fetch_max_wait_ms=100) as consumer:
        before = steady.answers
        assert not consumer.poll(1.0)
        assert steady.answers - before >= 4
        before, odd = steady.answers, steady.odd_answers
        assert reads_on(stage, consumer, 5)
        assert steady.answers - before >= 5
        assert steady.odd_answers == odd


@pytest.mark.parametrize("how", [hang_up, lambda: None], ids=["it hangs up", "it refuses"])
def test_a_broker_that_fails_in_the_midst_of_it(stage: Stage, steady: Steadiness, how: Callable[[], object]) -> None:
    with reading(stage, steady) as consumer:
        fails(stage, how)
        assert reads_on(stage, consumer, 5)
        assert consumer.metrics().reading.failed_fetches == 1
        go_on(stage, consumer, steady)


def damage(answer: Any) -> Any:
    topic, *topics = answer.responses
    part, *parts = topic.partitions
    damaged = part.replaced(records=bytes(part.records)[:-1] + b"\x07")
    return answer.replaced(responses=[topic.replaced(partitions=[damaged, *parts]), *topics])


def throttle(answer: Any) -> Any:
    return answer.replaced(throttle_time_ms=THROTTLE_MS)


def test_corrupt_records_are_told_of_where_they_are(stage: Stage, steady: Steadiness) -> None:
    with reading(stage, steady, fetch_max_wait_ms=SHORT_MS) as consumer:
        once(stage, damage)
        with pytest.raises(CorruptRecordError) as caught:
            assert reads_on(stage, consumer, 3)  # what is asked already is not damaged
        assert next_of(consumer) == caught.value.offset
        assert values(read(consumer, 1)) == [caught.value.offset]
        go_on(stage, consumer, steady)


def test_a_broker_that_asks_to_be_left_alone_is(stage: Stage, steady: Steadiness) -> None:
    with reading(stage, steady) as consumer:
        once(stage, throttle)
        began = time.monotonic()
        assert reads_on(stage, consumer, 4)
        assert time.monotonic() - began > THROTTLE_MS / 1000
        assert consumer.metrics().connections.throttled_ms == THROTTLE_MS
        go_on(stage, consumer, steady)


def test_a_node_that_does_not_lead_any_more(monkeypatch: pytest.MonkeyPatch, steady: Steadiness) -> None:
    with Cluster(brokers=2, config={**SETTINGS, "default.replication.factor": 2}) as cluster:
        stage = Stage(cluster, monkeypatch)
        with reading(stage, steady) as consumer:
            for _ in range(2):
                found = stage._partition(0)
                (other,) = set(found.replicas) - {found.leader}
                stage.run(lambda found=found, other=other: leadership.lead(found, other))  # type: ignore[misc]
                assert reads_on(stage, consumer, 5)
                answer_the_other(stage, consumer)
                go_on(stage, consumer, steady)


def test_a_broker_that_does_not_answer_in_time(stage: Stage, steady: Steadiness) -> None:
    answer, unanswered = stage.original(FETCH), threading.Event()

    async def never(*question: object) -> object:
        stage.handle(FETCH, answer)
        unanswered.set()
        await asyncio.sleep(3600)
        raise AssertionError("nobody waits for it")

    config = {"fetch_max_wait_ms": 200, "request_timeout_ms": 500}
    with reading(stage, steady, **config) as consumer:
        stage.handle(FETCH, never)
        assert reads_on(stage, consumer, 5)
        eventually("a fetch is left unanswered", unanswered.is_set)
        assert reads_on(stage, consumer, 5)
        assert consumer.metrics().reading.failed_fetches == 1
        go_on(stage, consumer, steady)


def test_buffers_that_are_too_small_for_it(stage: Stage, steady: Steadiness) -> None:
    stage.create(partitions=2)
    with stage.consumer(group_id=None, fetch_max_wait_ms=LONG_MS, fetch_buffer_bytes=200_000) as consumer:
        consumer.assign([tp(0), tp(1)])
        assert one_by_one(stage, consumer, 30) == list(range(30))
    assert steady.answers == 0


def test_an_application_that_stays_away_ends_it_and_finds_everything(stage: Stage, steady: Steadiness) -> None:
    """As much as may be buffered is, and no more is asked for."""
    with reading(stage, steady, fetch_buffer_bytes=BUFFER_BYTES) as consumer:
        first = next_of(consumer)
        for _ in range(200):
            stage.write_batch(0, 100)
            time.sleep(0.005)  # so that most batches are an answer of their own, and small
        assert consumer.metrics().reading.buffered_bytes <= BUFFER_BYTES
        assert values(read(consumer, 20_000)) == list(range(first, first + 20_000))
        go_on(stage, consumer, steady)


def test_closing_in_the_midst_of_it_commits_what_was_handed_over(stage: Stage, steady: Steadiness) -> None:
    stage.create(partitions=1)
    with stage.consumer(fetch_max_wait_ms=LONG_MS, enable_auto_commit=True) as consumer:
        consumer.subscribe(["orders"])
        poll_until(consumer, lambda: bool(consumer.assignment()))
        go_on(stage, consumer, steady)
        first = next_of(consumer)
        stage.write(0, 5)
        eventually("the lag is 5", lambda: consumer.lag()[tp(0)] == 5, saw=consumer.lag)
    assert stage.committed() == {0: first}


def test_a_rebalance_in_the_midst_of_it(stage: Stage, steady: Steadiness) -> None:
    """What each of two partitions has is read in order, none of it twice, whoever reads it."""
    stage.create(partitions=2)
    with stage.consumer(fetch_max_wait_ms=LONG_MS) as one, stage.consumer(fetch_max_wait_ms=LONG_MS) as other:
        one.subscribe(["orders"])
        poll_until(one, lambda: len(one.assignment()) == 2)
        go_on(stage, one, steady)
        one.commit()
        seen: dict[int, list[int]] = {0: list(range(next_of(one))), 1: []}
        other.subscribe(["orders"])
        deadline = time.monotonic() + PATIENCE_S
        while not (one.assignment() and other.assignment()) or min(map(len, seen.values())) < 40:
            assert time.monotonic() < deadline
            for partition in seen:
                stage.write(partition, 1)
            for consumer in (one, other):
                for record in consumer.poll(0.05):
                    seen[record.partition].append(record.offset)
                consumer.commit()
        assert all(offsets == list(range(len(offsets))) for offsets in seen.values())

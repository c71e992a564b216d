"""Whatever ends a steady state: no record is lost, none comes twice or out of order, and another one begins."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker import leadership
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.messages import FetchResponse
from kafka_nextgen.wire.records import EndMarker, NewRecord, encode_batch, encode_end_marker
from tests.engine.stage import SETTINGS, Stage, poll_until, read, tp, values
from tests.engine.steady import LONG_MS, Steadiness, fails, go_on, hang_up, next_of, once, reading, reads_on
from tests.support.waiting import eventually

BUFFER_BYTES = 400_000
SHORT_MS = 400
THROTTLE_MS = 50
PartitionData = FetchResponse.FetchableTopicResponse.PartitionData

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="without the accelerator nothing is steady")


def larger(stage: Stage, consumer: Consumer) -> None:
    first = next_of(consumer)
    stage.write_batch(0, 3000)
    assert values(read(consumer, 3000)) == list(range(first, first + 3000))


def compressed(stage: Stage, consumer: Consumer) -> None:
    stage.write_zeros(0, 100)
    read(consumer, 1)


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
    stage.append(0, aborted, marker)
    stage.write(0, 1)
    assert values(read(consumer, 1)) == [first + 3]


def forgotten_session(stage: Stage, consumer: Consumer) -> None:
    (sessions,) = stage.cluster._broker._cluster.fetch_sessions.values()
    stage.run(sessions.clear)


ENDS: dict[str, Callable[[Stage, Consumer], None]] = {
    "an answer that is larger": larger,
    "compressed records": compressed,
    "a seek with records waiting": seek_behind_what_was_kept,
    "a pause": pause_and_resume,
    "another assignment": other_partitions,
    "an error of a partition": error_of_a_partition,
    "an aborted transaction": aborted_transaction,
    "a forgotten session": forgotten_session,
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


def test_questions_that_bring_new_metadata_do_no_harm(stage: Stage, steady: Steadiness) -> None:
    """What comes first, the next answer to a fetch or a plan with the new metadata, decides whether they end it."""
    with reading(stage, steady) as consumer:
        assert consumer.end_offsets([tp(0)]) == {tp(0): next_of(consumer)}
        assert len(consumer.partitions_for("orders")) == 2
        assert reads_on(stage, consumer, 5)
        go_on(stage, consumer, steady)


def test_answers_without_records_do_not_end_it(stage: Stage, steady: Steadiness) -> None:
    with reading(stage, steady, fetch_max_wait_ms=20) as consumer:
        before, ended = steady.answers, steady.ended
        eventually("four answers are followed", lambda: steady.answers >= before + 4, saw=lambda: steady.answers)
        assert reads_on(stage, consumer, 5)
        assert steady.ended == ended


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
        once(stage, lambda answer: answer.replaced(throttle_time_ms=THROTTLE_MS))
        assert reads_on(stage, consumer, 4)
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

    async def never(*question: object) -> None:
        stage.handle(FETCH, answer)
        unanswered.set()
        await asyncio.Event().wait()

    config = {"fetch_max_wait_ms": 50, "request_timeout_ms": 300}
    with reading(stage, steady, **config) as consumer:
        stage.handle(FETCH, never)
        assert reads_on(stage, consumer, 5)
        eventually("a fetch is left unanswered", unanswered.is_set)
        assert reads_on(stage, consumer, 5)
        assert consumer.metrics().reading.failed_fetches == 1
        go_on(stage, consumer, steady)


def test_an_application_that_stays_away_ends_it_and_finds_everything(stage: Stage, steady: Steadiness) -> None:
    """As much as may be buffered is, and no more is asked for."""
    with reading(stage, steady, fetch_buffer_bytes=BUFFER_BYTES) as consumer:
        first = next_of(consumer)
        for _ in range(60):
            answers = steady.answers
            stage.write_batch(0, 300)
            eventually("it came", lambda answers=answers: steady.answers > answers or not steady.is_on)  # type: ignore[misc]
        assert not steady.is_on
        assert consumer.metrics().reading.buffered_bytes <= BUFFER_BYTES
        assert values(read(consumer, 18_000)) == list(range(first, first + 18_000))
        go_on(stage, consumer, steady)


def test_closing_in_the_midst_of_it_commits_what_was_handed_over(stage: Stage, steady: Steadiness) -> None:
    stage.create(partitions=1)
    with stage.subscribed(fetch_max_wait_ms=LONG_MS, enable_auto_commit=True) as consumer:
        poll_until(consumer, lambda: bool(consumer.assignment()))
        go_on(stage, consumer, steady)
        first = next_of(consumer)
        stage.write(0, 5)
        eventually("the lag is 5", lambda: consumer.lag()[tp(0)] == 5, saw=consumer.lag)
    assert stage.committed() == {0: first}


def test_a_rebalance_in_the_midst_of_it(stage: Stage, steady: Steadiness) -> None:
    """What each of two partitions has is read in order, none of it twice, whoever reads it."""
    stage.create(partitions=2)
    with stage.subscribed(fetch_max_wait_ms=LONG_MS) as one, stage.consumer(fetch_max_wait_ms=LONG_MS) as other:
        poll_until(one, lambda: len(one.assignment()) == 2)
        go_on(stage, one, steady)
        one.commit()
        seen: dict[int, list[int]] = {0: list(range(next_of(one))), 1: []}
        other.subscribe(["orders"])
        while not (one.assignment() and other.assignment()) or min(map(len, seen.values())) < 10:
            for partition in seen:
                stage.write(partition, 1)
            for consumer in (one, other):
                for record in consumer.poll(0.05):
                    seen[record.partition].append(record.offset)
                consumer.commit()
        assert all(offsets == list(range(len(offsets))) for offsets in seen.values())

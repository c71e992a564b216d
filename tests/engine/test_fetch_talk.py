"""Records that come one by one are read in one conversation with their broker, whatever ends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.reading import fetch_talk
from kafka_nextgen.engine.reading.fetch_talk import FetchTalk
from kafka_nextgen.engine.reading.record_decoder import RecordDecoder
from kafka_nextgen.transport.metadata import ClusterMetadata
from kafka_nextgen.wire.apis import FETCH, Answer
from kafka_nextgen.wire.fetch_request import RawFetchRequest
from tests.engine.stage import Stage, poll_until, read, tp, values

LONG_MS = 5_000
NEVER = 1_000_000


class Talks:
    """What answers led to: each is on the list with whether the next question took its place.

    ``new_images`` counts answers to Metadata, each of which ends a talk. ``stumbles`` is how many of the next answers
    meet a bug.
    """

    def __init__(self) -> None:
        self.went_on: list[bool] = []
        self.new_images = 0
        self.stumbles = 0

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        go_on, take = FetchTalk.go_on, ClusterMetadata._apply

        def watched(talk: FetchTalk, answer: Answer) -> RawFetchRequest | None:
            self.stumbles -= 1
            if self.stumbles >= 0:
                raise ZeroDivisionError("a bug")
            question = go_on(talk, answer)
            self.went_on.append(question is not None)
            return question

        def taken(keeper: ClusterMetadata, *what: Any, **how: Any) -> None:
            self.new_images += 1
            take(keeper, *what, **how)

        monkeypatch.setattr(FetchTalk, "go_on", watched)
        monkeypatch.setattr(ClusterMetadata, "_apply", taken)


@pytest.fixture
def talks(monkeypatch: pytest.MonkeyPatch) -> Talks:
    monkeypatch.setattr(fetch_talk, "SMALL_BEFORE_RELAY", NEVER)
    talks = Talks()
    talks.watch(monkeypatch)
    return talks


def one_by_one(stage: Stage, consumer: Consumer, count: int) -> list[int]:
    """Write a record and read it, so many times; what was read."""
    records = []
    for _ in range(count):
        stage.write(0, 1)
        records += read(consumer, 1)
    return values(records)


def reading(stage: Stage, talks: Talks) -> Consumer:
    """A consumer in the midst of a talk, which has read ten records."""
    stage.create(partitions=2)
    consumer = stage.consumer(group_id=None, fetch_max_wait_ms=LONG_MS)
    consumer.assign([tp(0), tp(1)])
    assert one_by_one(stage, consumer, 10) == list(range(10))
    assert any(talks.went_on[-5:])
    return consumer


def test_they_are(stage: Stage, talks: Talks) -> None:
    with reading(stage, talks) as consumer:
        talks.went_on.clear()
        talks.new_images = 0
        before = consumer.metrics().reading
        assert one_by_one(stage, consumer, 30) == list(range(10, 40))
        assert len(talks.went_on) == 30
        assert talks.went_on.count(False) <= talks.new_images, "on a slow machine the last one comes late"
        after = consumer.metrics().reading
        assert (after.fetches - before.fetches, after.fetched_records - before.fetched_records) == (30, 30)


def fails(stage: Stage, how: Callable[[], object]) -> None:
    """Let the broker fail once, where the next fetch is to be answered."""
    fetch = stage.original(FETCH)

    async def fail_once(*question: object) -> object:
        stage.handle(FETCH, fetch)
        how()
        answer: Any = await fetch(*question)
        return answer.replaced(error_code=ErrorCode.KAFKA_STORAGE_ERROR)

    stage.handle(FETCH, fail_once)


def hang_up() -> None:
    raise ConnectionResetError("the broker has had enough")


@pytest.mark.parametrize("how", [hang_up, lambda: None], ids=["it hangs up", "it refuses"])
def test_nothing_is_lost_or_read_twice_when_the_broker_fails_in_the_midst_of_it(
    stage: Stage, talks: Talks, how: Callable[[], object]
) -> None:
    with reading(stage, talks) as consumer:
        fails(stage, how)
        assert one_by_one(stage, consumer, 20) == list(range(10, 30))
        assert consumer.metrics().reading.failed_fetches == 1
        assert any(talks.went_on[-5:]), "and then it is a talk again"


def test_a_bug_in_the_midst_of_it_reaches_the_application_and_reading_goes_on(stage: Stage, talks: Talks) -> None:
    with reading(stage, talks) as consumer:
        talks.stumbles = 1
        stage.write(0, 1)
        with pytest.raises(ZeroDivisionError, match="a bug"):
            poll_until(consumer, lambda: False)
        assert values(read(consumer, 1)) == [10]
        assert one_by_one(stage, consumer, 10) == list(range(11, 21))


def test_so_does_a_bug_in_decoding(stage: Stage, talks: Talks, monkeypatch: pytest.MonkeyPatch) -> None:
    with reading(stage, talks) as consumer:
        decode, stumbles = RecordDecoder.decode_plain, [True]

        def watched(*what: Any) -> Any:
            if stumbles and stumbles.pop():
                raise MemoryError("no room for columns")
            return decode(*what)

        monkeypatch.setattr(RecordDecoder, "decode_plain", watched)
        stage.write(0, 1)
        with pytest.raises(MemoryError, match="no room for columns"):
            poll_until(consumer, lambda: False)
        assert values(read(consumer, 1)) == [10]
        assert one_by_one(stage, consumer, 10) == list(range(11, 21))


def test_it_ends_for_what_the_application_asks(stage: Stage, talks: Talks) -> None:
    with reading(stage, talks) as consumer:
        consumer.seek(tp(0), 4)
        stage.write(1, 1)
        assert sorted(values(read(consumer, 7))) == [0, 4, 5, 6, 7, 8, 9]
        assert False in talks.went_on[-3:]
        assert one_by_one(stage, consumer, 5) == list(range(10, 15))


def test_an_answer_counts_when_it_comes_and_not_when_it_is_decoded(
    stage: Stage, talks: Talks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that its latency is that of the broker."""
    with reading(stage, talks) as consumer:
        counted: list[int] = []
        before = consumer.metrics().reading.fetches

        def watch(decode: Callable[..., Any]) -> Callable[..., Any]:
            def watched(*what: Any) -> Any:
                counted.append(consumer.metrics().reading.fetches - before)
                return decode(*what)

            return watched

        for name in ("decode_plain", "decode_at_once"):
            monkeypatch.setattr(RecordDecoder, name, watch(getattr(RecordDecoder, name)))
        one_by_one(stage, consumer, 3)
        assert sorted(set(counted)) == [1, 2, 3]

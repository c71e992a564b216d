"""What callers may give: all that passes fits into every request, and the rest is refused before anything is sent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen import Consumer, OffsetAndMetadata, TopicPartition
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.application.arguments import (
    LONGEST_WAIT_S,
    checked_offset,
    checked_partitions,
    checked_seconds,
    checked_timestamps,
)
from kafka_nextgen.engine.settings import record_limits
from kafka_nextgen.membership.offsets.effects import SendCommit
from kafka_nextgen.requests import fetch, list_offsets, offset_commit
from kafka_nextgen.wire.apis import FETCH, LIST_OFFSETS, OFFSET_COMMIT
from kafka_nextgen.wire.frames import write_message
from tests.engine.stage import TOPIC, Stage, read, tp

ANYTHING = st.one_of(st.integers(), st.floats(), st.text(), st.binary(), st.none(), st.booleans())
PARTITIONS = st.builds(TopicPartition, ANYTHING | st.just(TOPIC), ANYTHING)
OFFSETS = ANYTHING | st.builds(OffsetAndMetadata, ANYTHING, ANYTHING, ANYTHING)
LIMITS = fetch.FetchLimits()

NO_PARTITIONS: list[Any] = [(TOPIC, 0), TOPIC, TopicPartition(b"t", 0)]  # type: ignore[arg-type]
CALLS: dict[str, Callable[[Consumer, TopicPartition], object]] = {
    "seek": lambda consumer, partition: consumer.seek(partition, 0),
    "seek_to_beginning": lambda consumer, partition: consumer.seek_to_beginning([partition]),
    "pause": lambda consumer, partition: consumer.pause([partition]),
    "resume": lambda consumer, partition: consumer.resume([partition]),
    "position": lambda consumer, partition: consumer.position(partition),
    "commit": lambda consumer, partition: consumer.commit({partition: 5}),
    "committed": lambda consumer, partition: consumer.committed([partition]),
    "end_offsets": lambda consumer, partition: consumer.end_offsets([partition]),
    "offsets_for_times": lambda consumer, partition: consumer.offsets_for_times({partition: 5}),
    "assign": lambda consumer, partition: consumer.assign([partition]),
}


@pytest.fixture
def unconnected() -> Iterator[Consumer]:
    consumer = Consumer(bootstrap_servers="127.0.0.1:1", group_id="billing")
    yield consumer
    consumer.close()


@given(PARTITIONS, OFFSETS)
def test_whatever_passes_can_be_written_into_every_request(partition: TopicPartition, offset: object) -> None:
    try:
        target = checked_offset(partition, offset)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return
    place = fetch.FetchPosition(partition, None, target.offset, target.leader_epoch)
    fetch.to_request([place], LIMITS, FETCH.min_version).encode(version=FETCH.min_version)
    commit = SendCommit(1, "member", 1, None, {partition: target}, deadline=1.0)
    oldest = OFFSET_COMMIT.min_version
    write_message(offset_commit.to_request(commit, "billing", oldest, {}), oldest)


@given(st.dictionaries(PARTITIONS, ANYTHING, max_size=2))
def test_times_too(timestamps: dict[TopicPartition, int]) -> None:
    try:
        asked = checked_timestamps(timestamps)
    except (TypeError, ValueError):
        return
    version = LIST_OFFSETS.min_version
    write_message(list_offsets.to_request(asked, {}, 0, 1000), version)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (2**63, ValueError, rf"orders\[0\].*{2**63}"),
        (-1, ValueError, r"orders\[0\].*-1.*offsets_for_times\(\) returns .* seek_to_end\(\)"),
        *((wrong, TypeError, r"orders\[0\].*whole number") for wrong in (1.5, "5", None)),
    ],
)
def test_what_is_no_offset_is_refused_with_what_to_do(wrong: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        checked_offset(tp(), wrong)


def test_one_partition_is_no_collection_of_them() -> None:
    with pytest.raises(TypeError, match="did you mean"):
        checked_partitions(tp())  # type: ignore[arg-type]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_only_a_partition_that_there_can_be_names_a_partition(
    unconnected: Consumer, call: Callable[[Consumer, TopicPartition], object]
) -> None:
    for wrong in NO_PARTITIONS:
        with pytest.raises(TypeError, match="partition"):
            call(unconnected, wrong)
    with pytest.raises(ValueError, match="invalid partition"):
        call(unconnected, tp(2**40))


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        *((wrong, TypeError, r"subscribe\(\) takes") for wrong in (b"orders", [b"orders"], [5], "orders")),
        *(([name], ValueError, "Topic name is invalid") for name in ("a/b c", "..", "x" * 250, "\ud800")),
    ],
)
def test_topics_are_named_by_strings_that_can_be_their_names(
    unconnected: Consumer, wrong: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        unconnected.subscribe(wrong)


def test_a_bad_offset_holds_up_no_other_partition(stage: Stage) -> None:
    stage.create(partitions=2)
    stage.write(1, 20)
    with stage.reader(0, 1) as consumer:
        with pytest.raises(ValueError, match=str(2**63)):
            consumer.seek(tp(0), 2**63)
        consumer.seek(tp(1), 10)
        assert [record.offset for record in read(consumer, 10)] == list(range(10, 20))


@pytest.mark.parametrize("call", [Consumer.poll, Consumer.unsubscribe, Consumer.topics])
def test_a_time_that_is_no_number_is_refused(unconnected: Consumer, call: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="nan"):
        call(unconnected, timeout=math.nan)


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        *((-1.0, 0.0), (-1, 0.0), (0, 0), (2, 2.0), (2.5, 2.5)),
        *((math.inf, LONGEST_WAIT_S), (None, LONGEST_WAIT_S), (timedelta(milliseconds=1500), 1.5)),
    ],
)
def test_a_time_below_zero_is_none_and_infinity_is_as_long_as_it_takes(given: Any, seconds: float) -> None:
    assert checked_seconds(given) == seconds


def test_who_may_wait_for_ever_is_answered_all_the_same(stage: Stage) -> None:
    stage.create(records=5)
    with stage.subscribed() as consumer:
        assert len(consumer.poll(timeout=math.inf)) == 5
        consumer.commit(timeout=math.inf)
        assert consumer.end_offsets([tp()], timeout=math.inf) == {tp(): 5}
        consumer.close(timeout=math.inf)


@pytest.mark.parametrize("given", ["1", b"1", [], object()])
def test_what_is_no_time_is_refused_as_such(given: object) -> None:
    with pytest.raises(TypeError, match="a timeout must be a number of seconds, a timedelta or None, not"):
        checked_seconds(given)


# ---- what the configuration comes to


MIB = 1 << 20


@pytest.mark.parametrize(
    ("buffer_bytes", "frame_bytes", "decompressed_bytes"),
    [
        pytest.param(64 * MIB, 100 * MIB, 64 * MIB, id="by default as much as is buffered"),
        pytest.param(1, 100 * MIB, 16 * MIB, id="a small buffer makes no sound batch unreadable"),
        pytest.param(2**31 - 1, 100 * MIB, 2**31 - 1 - 100 * MIB, id="columns count their bytes in 32 bits"),
    ],
)
def test_what_records_may_take_follows_from_the_buffer(
    buffer_bytes: int, frame_bytes: int, decompressed_bytes: int
) -> None:
    config = ConsumerConfig.parse(
        {
            "bootstrap.servers": "localhost:9092",
            "fetch.buffer.bytes": buffer_bytes,
            "receive.message.max.bytes": frame_bytes,
        }
    )
    limits = record_limits(config)
    assert limits.max_decompressed_bytes == decompressed_bytes
    assert limits.max_answer_bytes == 4 * decompressed_bytes

"""What callers may give: all that passes fits into every request, and the rest is refused before anything is sent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen import Consumer, OffsetAndMetadata, TopicPartition
from kafka_nextgen.bridge import fetch, list_offsets, offset_commit
from kafka_nextgen.coordinator.requests import OffsetCommit
from kafka_nextgen.engine.application.arguments import (
    LONGEST_WAIT_S,
    checked_offset,
    checked_partitions,
    checked_seconds,
    checked_timestamps,
)
from kafka_nextgen.wire.apis import FETCH, LIST_OFFSETS, OFFSET_COMMIT
from kafka_nextgen.wire.codec import write_message
from tests.engine.stage import TOPIC, Stage, poll_until, tp

ANYTHING = st.one_of(st.integers(), st.floats(), st.text(), st.binary(), st.none(), st.booleans())
PARTITIONS = st.builds(TopicPartition, ANYTHING | st.just(TOPIC), ANYTHING)
OFFSETS = ANYTHING | st.builds(OffsetAndMetadata, ANYTHING, ANYTHING, ANYTHING)
LIMITS = fetch.FetchLimits()

NO_PARTITION: dict[str, object] = {"a tuple": (TOPIC, 0), "a name": TOPIC, "a name in bytes": TopicPartition(b"t", 0)}  # type: ignore[arg-type]
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
    commit = OffsetCommit("billing", {partition: target}, "member", 1)
    write_message(offset_commit.to_request(commit, {}, OFFSET_COMMIT.min_version), OFFSET_COMMIT.min_version)


@given(st.dictionaries(PARTITIONS, ANYTHING, max_size=2))
def test_times_too(timestamps: dict[TopicPartition, int]) -> None:
    try:
        asked = checked_timestamps(timestamps)
    except (TypeError, ValueError):
        return
    version = LIST_OFFSETS.min_version
    write_message(list_offsets.to_request(asked, {}, 0, 1000), version)


@pytest.mark.parametrize("wrong", [2**63, -1])
def test_an_offset_that_cannot_be_is_refused_by_its_value(wrong: int) -> None:
    with pytest.raises(ValueError, match=rf"orders\[0\].*{wrong}"):
        checked_offset(tp(), wrong)


@pytest.mark.parametrize("wrong", [1.5, "5", None])
def test_what_is_no_whole_number_is_refused_by_its_type(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"orders\[0\].*whole number"):
        checked_offset(tp(), wrong)  # type: ignore[arg-type]


def test_one_partition_is_no_collection_of_them() -> None:
    with pytest.raises(TypeError, match="did you mean"):
        checked_partitions(tp())  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", NO_PARTITION.values(), ids=NO_PARTITION.keys())
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_only_a_partition_names_a_partition(
    unconnected: Consumer, call: Callable[[Consumer, TopicPartition], object], wrong: TopicPartition
) -> None:
    with pytest.raises(TypeError, match="partition"):
        call(unconnected, wrong)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_partition_has_a_number_that_it_can_have(
    unconnected: Consumer, call: Callable[[Consumer, TopicPartition], object]
) -> None:
    with pytest.raises(ValueError, match="there can be no partition"):
        call(unconnected, tp(2**40))


@pytest.mark.parametrize("wrong", [b"orders", [b"orders"], [5], "orders"])
def test_topics_are_named_by_strings(unconnected: Consumer, wrong: list[str]) -> None:
    with pytest.raises(TypeError, match=r"subscribe\(\) takes"):
        unconnected.subscribe(wrong)


@pytest.mark.parametrize("wrong", ["a/b c", "..", "x" * 250, "\ud800"])
def test_there_is_no_waiting_for_a_topic_that_cannot_be(unconnected: Consumer, wrong: str) -> None:
    with pytest.raises(ValueError, match="no topic of that name"):
        unconnected.subscribe([wrong])


def test_a_bad_offset_holds_up_no_other_partition(stage: Stage) -> None:
    stage.create(partitions=2)
    stage.write(1, 20)
    with stage.subscribed() as consumer:
        poll_until(consumer, lambda: len(consumer.assignment()) == 2)
        with pytest.raises(ValueError, match=str(2**63)):
            consumer.seek(tp(0), 2**63)
        consumer.seek(tp(1), 10)
        assert [record.offset for record in consumer.poll(timeout=20)] == list(range(10, 20))


@pytest.mark.parametrize("call", [Consumer.poll, Consumer.unsubscribe, Consumer.topics])
def test_a_time_that_is_no_number_is_refused(unconnected: Consumer, call: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="nan"):
        call(unconnected, timeout=math.nan)


@pytest.mark.parametrize(("given", "waited"), [(-1.0, 0.0), (0, 0), (2.5, 2.5), (math.inf, LONGEST_WAIT_S)])
def test_a_time_below_zero_is_none_and_infinity_is_as_long_as_it_takes(given: float, waited: float) -> None:
    assert checked_seconds(given) == waited


def test_who_may_wait_for_ever_is_answered_all_the_same(stage: Stage) -> None:
    stage.create(records=5)
    with stage.subscribed() as consumer:
        assert len(consumer.poll(timeout=math.inf)) == 5
        consumer.commit(timeout=math.inf)
        assert consumer.end_offsets([tp()], timeout=math.inf) == {tp(): 5}
        consumer.close(timeout=math.inf)


@pytest.mark.parametrize(
    ("given", "seconds"), [(timedelta(milliseconds=1500), 1.5), (None, LONGEST_WAIT_S), (-1, 0.0), (2, 2.0)]
)
def test_a_timeout_may_be_a_timedelta_or_none(given: object, seconds: float) -> None:
    assert checked_seconds(given) == seconds


@pytest.mark.parametrize("given", ["1", b"1", [], object()])
def test_what_is_no_time_is_refused_as_such(given: object) -> None:
    with pytest.raises(TypeError, match="a timeout is a number of seconds, a timedelta or None, not"):
        checked_seconds(given)


def test_the_offset_of_a_time_that_was_not_found_is_refused_with_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"offsets_for_times\(\) gives .* seek_to_end\(\)"):
        checked_offset(TopicPartition("orders", 0), -1)

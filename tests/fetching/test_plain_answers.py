"""Answers decoded in one go, from their bytes: to what going from step to step comes to, or not at all."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.fetching import DecodedPartition, Fetch
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.bridge.over_the_wire import AUDIT, IDS, ORDERS
from tests.fetching.plain_answers import (
    FETCH,
    LEFT_ALONE,
    PLAIN,
    PLAIN_TOO,
    answer_of,
    at_once,
    batch,
    body_of,
    fetch_of,
    outcome,
    partition_of,
    step_by_step,
    topic_of,
)
from tests.support.examples import examples
from tests.wire.columns import RECORDS

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the decoder was not compiled")


def agrees(body: memoryview, fetch: Fetch = FETCH, check_crc: bool = True) -> bool:
    """Whether it is decoded at once; to what it has to be, then."""
    found = at_once(body, fetch, check_crc)
    if found is None:
        return False
    told = outcome(found.throttle_time_ms, found.session_id, found.partitions)
    assert told == step_by_step(body, fetch, check_crc)
    assert all(type(part) is DecodedPartition for part in found.partitions)
    return True


def test_what_nearly_all_are_is_decoded_at_once() -> None:
    found = at_once(body_of(PLAIN))
    assert found is not None
    assert (found.throttle_time_ms, found.session_id) == (0, 77)
    assert [(str(part.partition), len(part.columns or ())) for part in found.partitions] == [
        ("orders[1]", 2),
        ("orders[3]", 4),
        ("audit[0]", 1),
    ]
    assert agrees(body_of(PLAIN))


@pytest.mark.parametrize("message", PLAIN_TOO.values(), ids=PLAIN_TOO)
def test_so_is(message: Any) -> None:
    assert agrees(body_of(message))


@pytest.mark.parametrize("message", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_it_is_left_to_those_who_have_more_to_say_about(message: Any) -> None:
    assert at_once(body_of(message)) is None


def test_it_is_left_alone_wherever_it_is_cut_short_or_too_long() -> None:
    body = body_of(PLAIN)
    for size in range(len(body)):
        assert at_once(memoryview(bytes(body[:size]))) is None, size
    assert at_once(memoryview(bytes(body) + b"\0")) is None


def test_whatever_byte_of_it_is_another() -> None:
    body = bytes(body_of(PLAIN))
    for place in range(len(body)):
        for mask in (0x01, 0x80, 0xFF):
            damaged = bytearray(body)
            damaged[place] ^= mask
            for check_crc in (True, False):
                agrees(memoryview(damaged), check_crc=check_crc)


def test_a_crc_counts_only_if_it_is_to_be_checked() -> None:
    records = bytearray(batch())
    records[17] ^= 1  # of the CRC
    body = body_of(answer_of(topic_of(partition_of(1, bytes(records)))))
    assert at_once(body) is None
    assert agrees(body, check_crc=False)


def test_it_is_left_alone_if_not_all_of_it_may_be_decoded() -> None:
    offsets = {TopicPartition("orders", number): 3 for number in range(4)}
    body = body_of(answer_of(topic_of(*(partition_of(number, batch(40)) for number in range(4)))))
    assert at_once(body, fetch_of(offsets, set_aside_bytes=len(body) + 1_000)) is None
    assert agrees(body, fetch_of(offsets, set_aside_bytes=len(body) + 100_000))


TOPICS = st.lists(
    st.tuples(
        st.sampled_from([ORDERS, AUDIT]),
        st.lists(st.tuples(st.integers(0, 4), st.lists(RECORDS, min_size=1, max_size=3)), max_size=3),
    ),
    max_size=3,
)


def batches_of(several: list[list[NewRecord]]) -> bytes:
    return b"".join(encode_batch(records, base_offset=10 * at) for at, records in enumerate(several))


@settings(max_examples=examples(150))
@given(TOPICS)
def test_whatever_the_records_are(topics: list[tuple[UUID, list[tuple[int, list[list[NewRecord]]]]]]) -> None:
    parts = [
        topic_of(*(partition_of(number, batches_of(several)) for number, several in partitions), topic_id=topic_id)
        for topic_id, partitions in topics
    ]
    told = [(topic_id, number) for topic_id, partitions in topics for number, _ in partitions]
    places = {(IDS[tp.topic], tp.partition) for tp in FETCH.wanted}
    body = body_of(answer_of(*parts))
    is_quick = (
        len(set(told)) == len(told) and set(told) <= places and max(map(len_of_records, parts), default=0) < 16_383
    )
    assert agrees(body) or not is_quick


def len_of_records(topic: Any) -> int:
    return max((len(partition.records) for partition in topic.partitions), default=0)

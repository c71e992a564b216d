"""Answers decoded in one go, from their bytes: to what going from step to step comes to, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka_nextgen.wire.plain_decoding import DecodedFetchAnswer

from kafka_nextgen.bridge.fetch import FetchPosition, from_response, names_of
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.fetching import DecodedPartition, Fetch, decode_answer, decode_plain_answer, places_of
from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.types import TopicId, TopicPartition
from kafka_nextgen.wire.codec import write_message
from kafka_nextgen.wire.fetch_response import read_fetch_response
from kafka_nextgen.wire.messages import FetchResponse
from kafka_nextgen.wire.records import Compression, NewRecord, RecordLimits, encode_batch
from tests.bridge.over_the_wire import AUDIT, GONE, IDS, ORDERS
from tests.support.examples import examples
from tests.wire.test_accelerated import RECORDS, content

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the decoder was not compiled")

VERSION = 17
LIMITS = RecordLimits()
PLENTY_BYTES = 1 << 20
Topic = FetchResponse.FetchableTopicResponse
Partition = Topic.PartitionData


def fetch_of(offsets: dict[TopicPartition, int], set_aside_bytes: int = PLENTY_BYTES) -> Fetch:
    """A fetch from these offsets on."""
    return fetch_at([FetchPosition(tp, IDS[tp.topic], offset) for tp, offset in offsets.items()], set_aside_bytes)


def fetch_at(positions: Sequence[FetchPosition], set_aside_bytes: int = PLENTY_BYTES) -> Fetch:
    wanted = {position.partition: position for position in positions}
    session = SessionRequest.alone(tuple(positions))
    names = names_of(positions)
    return Fetch(1, wanted, PLENTY_BYTES, 500, dict.fromkeys(wanted, 1), session, True, set_aside_bytes, names=names)


FETCH = fetch_of({TopicPartition("orders", number): 3 for number in range(4)} | {TopicPartition("audit", 0): 0})


def body_of(message: Any) -> memoryview:
    return memoryview(write_message(message, VERSION))


def partition_of(number: int, records: bytes | None, **fields: Any) -> Any:
    return Partition(
        partition_index=number, high_watermark=90, last_stable_offset=80, log_start_offset=2, records=records, **fields
    )


def topic_of(*partitions: Any, topic_id: TopicId = ORDERS) -> Any:
    return Topic(topic_id=topic_id, partitions=list(partitions))


def answer_of(*topics: Any, **fields: Any) -> Any:
    return FetchResponse(responses=list(topics), session_id=77, **fields)


def batch(count: int = 2, base_offset: int = 3, **how: Any) -> bytes:
    return encode_batch([NewRecord(b"v%d" % number) for number in range(count)], base_offset=base_offset, **how)


def at_once(
    body: memoryview, fetch: Fetch = FETCH, check_crc: bool = True
) -> DecodedFetchAnswer[DecodedPartition] | None:
    return decode_plain_answer(fetch, places_of(fetch), body, LIMITS, check_crc)


def outcome(throttle_time_ms: int, session_id: int, parts: Sequence[DecodedPartition]) -> object:
    """All there is to an answer, in a form that can be compared."""
    told = [
        (part._replace(columns=None), None if part.columns is None else (content(part.columns), part.columns.nbytes))
        for part in parts
    ]
    return throttle_time_ms, session_id, told


def step_by_step(body: memoryview, fetch: Fetch = FETCH, check_crc: bool = True) -> object:
    answer = read_fetch_response(VERSION, body)
    assert answer.error == ErrorCode.NONE
    parts = decode_answer(fetch, from_response(answer, fetch.names).partitions, LIMITS, check_crc)
    return outcome(answer.throttle_time_ms, answer.session_id, parts)


def agrees(body: memoryview, fetch: Fetch = FETCH, check_crc: bool = True) -> bool:
    """Whether it is decoded at once; to what it has to be, then."""
    found = at_once(body, fetch, check_crc)
    if found is None:
        return False
    told = outcome(found.throttle_time_ms, found.session_id, found.partitions)
    assert told == step_by_step(body, fetch, check_crc)
    assert all(type(part) is DecodedPartition for part in found.partitions)
    return True


PLAIN = answer_of(
    topic_of(partition_of(1, batch()), partition_of(3, batch(1) + batch(3, 9))),
    topic_of(partition_of(0, batch(1, 0)), topic_id=AUDIT),
)


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


PLAIN_TOO = {
    "throttled": answer_of(topic_of(partition_of(1, batch())), throttle_time_ms=120),
    "from before the offset": answer_of(topic_of(partition_of(1, batch(3, 1)))),
    "all from before the offset": answer_of(topic_of(partition_of(1, batch(3, 0)))),
    "the last batch cut short": answer_of(topic_of(partition_of(1, batch() + batch(1, 5)[:-1]))),
    "no whole batch": answer_of(topic_of(partition_of(1, batch()[:-1]))),
    "of an epoch": answer_of(topic_of(partition_of(1, batch(leader_epoch=8)))),
    "a long length": answer_of(topic_of(partition_of(1, batch(300)))),
    "with headers": answer_of(
        topic_of(partition_of(1, encode_batch([NewRecord(b"v", headers=(("trace", None),))], base_offset=3)))
    ),
    "nulls": answer_of(topic_of(partition_of(1, encode_batch([NewRecord(None), NewRecord(b"", b"k")], base_offset=3)))),
    "no partitions": answer_of(topic_of()),
    "no topics": answer_of(),
}


@pytest.mark.parametrize("message", PLAIN_TOO.values(), ids=PLAIN_TOO)
def test_so_is(message: Any) -> None:
    assert agrees(body_of(message))


LEADER = Partition.LeaderIdAndEpoch(leader_id=2, leader_epoch=9)
ENDPOINT = FetchResponse.NodeEndpoint(node_id=2, host="there", port=9092, rack=None)
ABORTED = [Partition.AbortedTransaction(producer_id=5, first_offset=3)]
DAMAGED = batch()[:-1] + b"\x07"

LEFT_ALONE = {
    "an error of the whole": answer_of(error_code=ErrorCode.INVALID_FETCH_SESSION_EPOCH),
    "an error": answer_of(topic_of(partition_of(1, None, error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER))),
    "an error above 255": answer_of(topic_of(partition_of(1, batch(), error_code=0x100))),
    "an error with records": answer_of(topic_of(partition_of(1, batch(), error_code=ErrorCode.KAFKA_STORAGE_ERROR))),
    "aborted": answer_of(topic_of(partition_of(1, batch(), aborted_transactions=ABORTED))),
    "another replica": answer_of(topic_of(partition_of(1, batch(), preferred_read_replica=2))),
    "another leader": answer_of(topic_of(partition_of(1, batch(), current_leader=LEADER))),
    "a leader's place": answer_of(topic_of(partition_of(1, batch())), node_endpoints=[ENDPOINT]),
    "no records": answer_of(topic_of(partition_of(1, b""))),
    "null for records": answer_of(topic_of(partition_of(1, None))),
    "compressed": answer_of(topic_of(partition_of(1, batch(compression=Compression.LZ4)))),
    "some compressed": answer_of(topic_of(partition_of(1, batch() + batch(1, 9, compression=Compression.GZIP)))),
    "damaged": answer_of(topic_of(partition_of(1, DAMAGED))),
    "some damaged": answer_of(topic_of(partition_of(2, batch()), partition_of(1, DAMAGED))),
    "a topic nobody asked for": answer_of(topic_of(partition_of(1, batch()), topic_id=GONE)),
    "a partition nobody asked for": answer_of(topic_of(partition_of(4, batch()))),
    "a partition that can't be": answer_of(topic_of(partition_of(-1, batch()))),
    "a partition twice": answer_of(topic_of(partition_of(1, batch()), partition_of(1, batch(1, 5)))),
    "a partition in two places": answer_of(topic_of(partition_of(1, batch())), topic_of(partition_of(1, batch()))),
    "very many": answer_of(topic_of(partition_of(1, batch(3_000)))),
}


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

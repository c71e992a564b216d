"""Which answers ``SteadyFetch`` takes, and that they come to what the readers in Python make of the same bytes."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.wire.messages import FetchResponse
from kafka_nextgen.wire.records import Compression, encode_end_marker
from kafka_nextgen.wire.records.encode import seal
from kafka_nextgen.wire.records.transactions import EndMarker
from tests.requests.over_the_wire import AUDIT, GONE
from tests.verification.fuzz.guarded import Guarded
from tests.wire.steady_bodies import NOTHING, ONE, PLAIN, SOUND, WRONG_CRC, changed, part
from tests.wire.steady_twin import (
    MOST_BYTES,
    PLACES,
    SESSION_ID,
    Partition,
    Start,
    Twin,
    agrees,
    at_once,
    batch,
    body_of,
    frame_of,
    partition_of,
    topic_of,
)

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the extension was not compiled")


@pytest.mark.parametrize("body", PLAIN.values(), ids=PLAIN)
def test_a_plain_answer_is_taken(body: bytes) -> None:
    assert at_once(body)


def test_what_is_taken_is_told_in_the_order_of_the_answer() -> None:
    taken = Start().step().answer(frame_of(SOUND), 0)
    assert taken is not None
    told = [(str(each.partition), len(each.columns or ()), each.fetched_bytes) for each in taken[1]]
    one, three, other = batch(), batch(1) + batch(3, 9), batch(1, 0)
    assert told == [("orders[1]", 2, len(one)), ("orders[3]", 4, len(three)), ("audit[0]", 1, len(other))]


LEADER = Partition.LeaderIdAndEpoch(leader_id=2, leader_epoch=9)
DIVERGING = Partition.EpochEndOffset(epoch=1, end_offset=2)
ENDPOINT = FetchResponse.NodeEndpoint(node_id=2, host="there", port=9092, rack=None)
ABORTED = [Partition.AbortedTransaction(producer_id=5, first_offset=3)]
DAMAGED = batch()[:-1] + b"\x07"
MARKER = changed(encode_end_marker(EndMarker(True, 3), 7, 1, 1_000), 0, (3).to_bytes(8, "big"))
TAG = b"\x01\x05\x00"  # one, of number 5, with nothing in it

ODD = {
    "a throttle time": body_of(topic_of(partition_of(1, batch())), throttle_time_ms=1),
    "an error of the whole": body_of(error_code=ErrorCode.INVALID_FETCH_SESSION_EPOCH),
    "an error of the whole above 255": body_of(error_code=0x100),
    "another session": changed(ONE, 6, (SESSION_ID + 1).to_bytes(4, "big")),
    "an error": body_of(topic_of(partition_of(1, None, error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER))),
    "an error above 255": part(batch(), error_code=0x100),
    "an error with records": part(batch(), error_code=ErrorCode.KAFKA_STORAGE_ERROR),
    "a tag of a partition": ONE[:-3] + TAG + b"\0\0",
    "a tag of a topic": ONE[:-2] + TAG + b"\0",
    "a tag of the whole": ONE[:-1] + TAG,
    "another leader": part(batch(), current_leader=LEADER),
    "a diverging epoch": part(batch(), diverging_epoch=DIVERGING),
    "a leader's address": body_of(topic_of(partition_of(1, batch())), node_endpoints=[ENDPOINT]),
    "aborted transactions": part(batch(), aborted_transactions=ABORTED),
    "a preferred replica": part(batch(), preferred_read_replica=2),
    "compressed": part(batch(compression=Compression.LZ4)),
    "some compressed": part(batch(), batch(1, 9, compression=Compression.GZIP)),
    "only a control batch": part(MARKER),
    "no records": part(b""),
    "null for records": body_of(topic_of(partition_of(1, None))),
    "no records of one partition": body_of(topic_of(partition_of(1, batch()), partition_of(2, b""))),
    "no whole batch": part(batch()[:-1]),
    "no whole batch of one partition": body_of(topic_of(partition_of(1, batch()), partition_of(2, batch()[:-1]))),
    "a batch without records": part(batch(0, 3, last_offset_delta=4)),
    "only records from before the offset": part(batch(3, 0)),
    "only such records, in a batch that spans it": part(batch(3, 0, last_offset_delta=9)),
    "a partition twice": body_of(topic_of(partition_of(1, batch()), partition_of(1, batch(1, 5)))),
    "a topic twice": body_of(topic_of(partition_of(1, batch())), topic_of(partition_of(2, batch()))),
    "a topic twice, another between": body_of(
        topic_of(partition_of(1, batch())),
        topic_of(partition_of(0, batch(1, 0)), topic_id=AUDIT),
        topic_of(partition_of(2, batch())),
    ),
    "a topic without partitions": body_of(topic_of(partition_of(1, batch())), topic_of(topic_id=AUDIT)),
    "a topic that was not asked for": body_of(topic_of(partition_of(1, batch()), topic_id=GONE)),
    "a partition that was not asked for": part(batch(), number=4),
    "a negative partition": part(batch(), number=-1),
    "an old format": part(changed(batch(), 16, b"\x01")),
    "a wrong CRC": WRONG_CRC,
    "a damaged record": part(seal(bytearray(DAMAGED))),
    "some damaged": body_of(topic_of(partition_of(2, batch()), partition_of(1, DAMAGED))),
    "an offset that comes again": part(batch(2, 3), batch(2, 4)),
    "a byte too many": ONE + b"\0",
    "more topics than there are bytes": changed(NOTHING, 10, b"\x7f"),
    "many topics": changed(NOTHING, 10, b"\x80"),
    "null for topics": changed(NOTHING, 10, b"\0"),
    "null for topics and no more": NOTHING[:10] + b"\0",
    "null for partitions": changed(ONE, 27, b"\0"),
    "a length that is not in its shortest form": ONE[:63] + bytes([ONE[63] | 0x80, 0]) + ONE[64:],
    "nothing": b"",
}


@pytest.mark.parametrize("body", ODD.values(), ids=ODD)
def test_an_odd_answer_changes_nothing(body: bytes) -> None:
    step, twin = Start().step(), Twin(Start())
    for _ in range(2):
        assert not agrees(step, twin, frame_of(body))
    assert agrees(step, twin, frame_of(SOUND)), "its request is not what it would have been"


def test_so_does_one_without_a_whole_header_or_with_tags_in_it() -> None:
    step, twin = Start().step(), Twin(Start())
    for size in range(5):
        assert step.answer(Guarded(5).put(frame_of(b"")[:size]), 1) is None
    for tags in (TAG, b"\x01", b""):
        assert step.answer(frame_of(ONE, tags), 1) is None
    assert agrees(step, twin, frame_of(SOUND))


def test_an_answer_is_odd_wherever_it_is_cut_short() -> None:
    step, twin = Start().step(), Twin(Start())
    for size in range(len(SOUND)):
        assert not agrees(step, twin, frame_of(SOUND[:size])), size
    assert agrees(step, twin, frame_of(SOUND))


@pytest.mark.parametrize("check_crc", [True, False])
@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_whatever_byte_is_another_it_is_odd_or_comes_to_what_python_says(mask: int, check_crc: bool) -> None:
    for at, byte in enumerate(SOUND):
        at_once(changed(SOUND, at, bytes([byte ^ mask])), check_crc=check_crc)


def test_it_is_the_same_in_each_version_and_a_crc_counts_only_if_it_is_to_be_checked() -> None:
    assert all(at_once(SOUND, version=version) for version in range(13, 18))
    assert at_once(WRONG_CRC, check_crc=False)


@pytest.mark.parametrize("more_bytes", [0, 1])
def test_an_answer_has_16_kib_at_most(more_bytes: int) -> None:
    head = batch(1, 4)[:17]
    begun = head[:8] + (1 << 20).to_bytes(4, "big") + head[12:]  # a large batch that is cut short
    overhead = len(part((batch(1) + begun).ljust(1_000, b"\0"))) - 1_000
    body = part((batch(1) + begun).ljust(MOST_BYTES + more_bytes - overhead, b"\0"))
    assert len(body) == MOST_BYTES + more_bytes
    assert at_once(body) == (not more_bytes)


@pytest.mark.parametrize("offset", [-(1 << 63), -1, 0, 4, (1 << 63) - 1])
def test_any_offset_may_have_been_asked_for(offset: int) -> None:
    places = [place._replace(offset=offset) for place in PLACES]
    assert at_once(ONE, places=places) == (offset <= 4)


MAYBE = {
    "a compressed batch from before the offset": part(batch(1, 2, compression=Compression.GZIP), batch(1)),
    "such a batch behind another": part(batch(1, 1), batch(1, 2, compression=Compression.GZIP), batch(1)),
    "a compressed batch of markers": part(
        seal(bytearray(changed(batch(1, 3, compression=Compression.GZIP), 22, b"\x21"))), batch(1, 4)
    ),
}


@pytest.mark.parametrize("body", MAYBE.values(), ids=MAYBE)
def test_what_is_compressed_and_not_read_may_be_odd_or_plain(body: bytes) -> None:
    at_once(body)

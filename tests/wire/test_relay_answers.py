"""Whatever a relay keeps can be decoded in one go, and is asked on behind as that says; and what can be is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any
from uuid import UUID

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from kafka_nextgen.transport.relays import HAS_RELAYS
from kafka_nextgen.wire.plain_decoding import DecodedFetchAnswer

from kafka_nextgen.fetching import DecodedPartition
from kafka_nextgen.types import TimestampType
from kafka_nextgen.wire.fetch_response import read_fetch_response
from kafka_nextgen.wire.frames import decode_request
from kafka_nextgen.wire.records import Compression, encode_batch
from tests.bridge.over_the_wire import AUDIT, GONE, IDS, ORDERS
from tests.fetching.test_plain_answers import FETCH, VERSION, answer_of, at_once, body_of, partition_of, topic_of
from tests.support.examples import examples
from tests.wire.test_accelerated import RECORDS, compacted
from tests.wire.test_fetch_relay import EPOCH, MOST_BODY, NUMBER, PLACES, SESSION, Given, Line, frame_of

pytestmark = pytest.mark.skipif(not HAS_RELAYS, reason="there are no relays here")

#: A topic's id, and its partitions' numbers and records.
Topics = Sequence[tuple[UUID, Sequence[tuple[int, bytes]]]]
Told = dict[tuple[UUID, int], tuple[int, int]]

LAST_EPOCHS = {(UUID(bytes=topic_id), number): last_epoch for topic_id, number, _, _, last_epoch, _ in PLACES}
RARELY = st.sampled_from([False, False, False, False, True])


@pytest.fixture(scope="module")
def line() -> Iterator[Line]:
    with closing(Line(Given())) as line:
        yield line


def kept_of(line: Line, body: bytes, check_crc: bool) -> bool:
    """Whether a new relay keeps this; if not, all of it is left."""
    line.begin(Given(check_crc=check_crc))
    frame = frame_of(body)
    told = line.answer(frame)
    kept, left = line.take(), line.left()
    assert (told, kept, left) in (([], [body], b""), (line.over, [], frame))
    return bool(kept)


def told_of(parts: Sequence[DecodedPartition]) -> Told:
    """From where on the next request has to ask for those that were answered."""
    told = {}
    for part in parts:
        assert part.columns is not None
        assert len(part.columns) > 0, "answers without records are for others"
        at = IDS[part.partition.topic], part.partition.partition
        end_epoch = part.columns.end_epoch
        told[at] = part.columns.next_offset, LAST_EPOCHS[at] if end_epoch < 0 else end_epoch
    return told


def asked_of(frame: bytes) -> Told:
    """From where on a request asks for what it tells of."""
    request = decode_request(frame[4:])
    message: Any = request.message
    assert (request.correlation_id, message.session_epoch) == (NUMBER + 1, EPOCH + 1)
    return {
        (topic.topic_id, part.partition): (part.fetch_offset, part.last_fetched_epoch)
        for topic in message.topics
        for part in topic.partitions
    }


def is_for_a_relay(body: bytes, found: DecodedFetchAnswer[DecodedPartition]) -> bool:
    """Whether what can be decoded is small, brings records only, and tells of each topic once."""
    topics = read_fetch_response(VERSION, memoryview(body)).topics
    return (
        len(body) <= MOST_BODY
        and (found.throttle_time_ms, found.session_id) == (0, SESSION)
        and all(part.columns is not None and len(part.columns) > 0 for part in found.partitions)
        and all(topic.partitions for topic in topics)
        and len({topic.topic for topic in topics}) == len(topics)
    )


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    """Batches of a partition, from before or from the offset it was asked for on; some are odd."""
    log, base_offset = b"", draw(st.integers(0, 4))
    may_be_odd = draw(RARELY)
    for _ in range(draw(st.integers(1, 2))):
        gap = draw(st.sampled_from([1, 1, 1, 3]))
        records = [compacted(record, at * gap) for at, record in enumerate(draw(RECORDS))]
        log += encode_batch(
            records,
            draw(st.sampled_from(Compression)) if may_be_odd else Compression.NONE,
            base_offset=base_offset,
            leader_epoch=draw(st.integers(-1, 5)),
            last_offset_delta=len(records) * gap + draw(st.integers(-1, 2)),
            timestamp_type=draw(st.sampled_from(TimestampType)),
            control=may_be_odd and draw(RARELY),
        )
        base_offset += len(records) * gap + 3
    return log[: -draw(st.sampled_from([1, 30, 70]))] if may_be_odd and draw(RARELY) else log


NUMBERS = st.sampled_from([0, 1, 2, 3, 3, 9])
TOPIC_IDS = st.sampled_from([ORDERS, ORDERS, AUDIT, GONE])
ANY_TOPICS: st.SearchStrategy[Topics] = st.lists(
    st.tuples(TOPIC_IDS, st.lists(st.tuples(NUMBERS, logs()), max_size=3)), max_size=3
)
ASKED_FOR: st.SearchStrategy[Topics] = st.fixed_dictionaries(
    {},
    optional={
        ORDERS: st.dictionaries(st.integers(0, 3), logs(), min_size=1, max_size=3),
        AUDIT: st.dictionaries(st.just(0), logs(), min_size=1),
    },
).map(lambda topics: [(topic_id, list(parts.items())) for topic_id, parts in topics.items()])
TOPICS = ANY_TOPICS | ASKED_FOR

Change = Callable[[bytearray, int, bytes], object]


def overwrite(body: bytearray, at: int, data: bytes) -> None:
    body[at : at + len(data)] = data


def insert(body: bytearray, at: int, data: bytes) -> None:
    body[at:at] = data


def remove(body: bytearray, at: int, data: bytes) -> None:
    del body[at : at + len(data)]


CHANGES = st.lists(
    st.tuples(
        st.sampled_from([overwrite, overwrite, insert, remove]),
        st.integers(0, 1 << 16),
        st.binary(min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=3,
)


def body_with(topics: Topics) -> bytes:
    answered = [topic_of(*(partition_of(*part) for part in parts), topic_id=topic_id) for topic_id, parts in topics]
    return bytes(body_of(answer_of(*answered)))


def check(line: Line, body: bytes, check_crc: bool) -> None:
    """Hold what a relay does with an answer against what is decoded of it."""
    found = at_once(memoryview(body), FETCH, check_crc)
    is_kept = kept_of(line, body, check_crc)
    asked = line.asked()
    if is_kept:
        assert found is not None, "kept, though it can't be decoded in one go"
        assert asked_of(asked) == told_of(found.partitions)
    else:
        assert asked == b""
        assert found is None or not is_for_a_relay(body, found)
    event("kept" if is_kept else "left")


@settings(max_examples=examples(300))
@given(topics=TOPICS)
def test_what_is_kept_can_be_decoded_and_the_other_way_round(line: Line, topics: Topics) -> None:
    check(line, body_with(topics), True)


@settings(max_examples=examples(500))
@given(topics=ASKED_FOR, changes=CHANGES, check_crc=st.booleans())
def test_so_it_is_with_what_was_changed(
    line: Line, topics: Topics, changes: Sequence[tuple[Change, int, bytes]], check_crc: bool
) -> None:
    body = bytearray(body_with(topics))
    for change, at, data in changes:
        change(body, at % (len(body) + 1), data)
    check(line, bytes(body), check_crc)

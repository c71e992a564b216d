"""Relays on a socket without a broker: what they keep and ask on behind, what ends them, and that nothing is lost then.

Beside them, what they ring, and what takes in what they brought as one step.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve, frozen
from kafka_nextgen.transport.relays import HAS_RELAYS

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.compiled import accelerator
from kafka_nextgen.wire.fetch_request import RawFetchRequest, WantedPartition, WantedTopic
from kafka_nextgen.wire.frames import client_head, encode_request
from kafka_nextgen.wire.records import Compression, NewRecord, encode_batch, encode_end_marker
from kafka_nextgen.wire.records.encode import seal
from kafka_nextgen.wire.records.transactions import EndMarker
from tests.bridge.over_the_wire import AUDIT, GONE, ORDERS
from tests.fetching.test_plain_answers import (
    DAMAGED,
    LEFT_ALONE,
    PLAIN,
    answer_of,
    at_once,
    batch,
    body_of,
    partition_of,
    topic_of,
)
from tests.support.signals import Signals, handled_by, shower
from tests.support.waiting import eventually
from tests.wire.test_accelerator_calls import growth_of, no_turn_for_others

pytestmark = pytest.mark.skipif(not HAS_RELAYS, reason="there are no relays here")

#: Topic id, number, leader epoch, offset, last epoch, most bytes.
Place = tuple[bytes, int, int, int, int, int]
Events = list[tuple[int, int]]

LONG_S = 60.0
SESSION, EPOCH, NUMBER = 77, 9, 5  # the session is the one that is answered
LAST = 2**31 - 1
PLACES: Sequence[Place] = [
    (AUDIT.bytes, 0, 6, 0, 2, 2_000),
    *((ORDERS.bytes, number, 4, 3, -1, 1_000 + number) for number in range(4)),
]
MOST_BODY = 16 * 1024


def wanted(number: int, offset: int, last_epoch: int = -1) -> WantedPartition:
    """A partition of orders as it is asked for."""
    return number, 4, offset, last_epoch, 1_000 + number


def orders(*partitions: WantedPartition) -> WantedTopic:
    return WantedTopic("orders", ORDERS, list(partitions))


@frozen
class Given:
    """What a relay is made of, but for its socket."""

    version: int = 17
    number: int = NUMBER
    epoch: int = EPOCH
    client_id: str | None = "me"
    rack_id: str = ""
    places: Sequence[Place] = PLACES
    check_crc: bool = True
    most_kept_bytes: int = 1 << 20
    asked_at: float = 0.0
    session_id: int = SESSION

    def arguments(self, fd: int, bell: accelerator.Bell | None = None) -> list[Any]:
        question = self._question((), self.epoch)
        return [
            fd,
            self.version,
            self.number,
            self.session_id,
            self.epoch,
            client_head(self.client_id),
            question.limits(self.version),
            question.rest(self.version),
            self.places,
            self.check_crc,
            self.most_kept_bytes,
            self.asked_at,
            bell,
        ]

    def request(self, number: int, epoch: int, *topics: WantedTopic) -> bytes:
        """The frame of a request, as Python writes it."""
        return encode_request(self._question(topics, epoch), self.version, number, self.client_id)

    def _question(self, topics: Sequence[WantedTopic], epoch: int) -> RawFetchRequest:
        return RawFetchRequest(500, 1, 1 << 20, 1, self.session_id, epoch, topics, (), self.rack_id)


class Line:
    """A socket that a relay has, and the broker's end of it.

    There is a bell, so that of a relay that goes on nothing is told.
    """

    def __init__(self, given: Given) -> None:
        self.socket, self.broker = socket.socketpair()
        self.socket.setblocking(False)
        self.broker.setblocking(False)
        self.fd = self.socket.fileno()
        self.epoll = select.epoll()
        self.epoll.register(self.fd, select.EPOLLIN)
        self.bell = accelerator.Bell()
        self.begin(given)

    def begin(self, given: Given) -> None:
        """Have a new relay."""
        self.given = given
        self.relay = accelerator.FetchRelay(*given.arguments(self.fd, self.bell))

    def serve(self, timeout_s: float = 0.0) -> Events:
        return accelerator.serve(self.epoll.fileno(), timeout_s, (self.relay,))

    def answer(self, frame: bytes) -> Events:
        """What is told when that has come."""
        self.broker.sendall(frame)
        return self.serve()

    def asked(self) -> bytes:
        """What has been sent since this was called last."""
        return receive(self.broker)

    def take(self) -> list[bytes]:
        """The bodies that are kept, which they are no more."""
        bodies = []
        while (first := self.relay.first()) is not None:
            bodies.append(first[1])
            self.relay.drop(first[0])
        return bodies

    def left(self) -> bytes:
        """What came and was not kept, be it still in the socket."""
        return self.relay.left()[0] + receive(self.socket)

    @property
    def over(self) -> Events:
        """What is told of a relay that is over."""
        return [(self.fd, 0)]

    def close(self) -> None:
        self.epoll.close()
        self.socket.close()
        self.broker.close()


def receive(end: socket.socket) -> bytes:
    """All that is there."""
    came = b""
    try:
        while more := end.recv(1 << 20):
            came += more
    except BlockingIOError:
        pass
    return came


@contextmanager
def lent(given: Given | None = None, **how: Any) -> Iterator[Line]:
    with closing(Line(evolve(given or Given(), **how))) as line:
        yield line


@pytest.fixture
def line() -> Iterator[Line]:
    with lent() as line:
        yield line


def frame_of(body: bytes | memoryview, number: int = NUMBER, tags: bytes = b"\x00") -> bytes:
    content = number.to_bytes(4, "big") + tags + body
    return len(content).to_bytes(4, "big") + content


def bring(offset: int, count: int = 1, leader_epoch: int = -1, partition: int = 1) -> bytes:
    """The body of an answer that brings records of a partition of orders."""
    records = batch(count, offset, leader_epoch=leader_epoch)
    return bytes(body_of(answer_of(topic_of(partition_of(partition, records)))))


SOUND = bytes(body_of(PLAIN))
NOTHING = bytes(body_of(answer_of()))
BEHIND_SOUND = WantedTopic("audit", AUDIT, [(0, 6, 1, 2, 2_000)])


# ---- answers that are kept


def test_a_plain_answer_is_kept_and_asked_on_behind(line: Line) -> None:
    before = time.monotonic()
    assert line.answer(frame_of(SOUND)) == []
    first = line.relay.first()
    assert first is not None
    number, body, came_at = first
    assert (number, body) == (1, SOUND)
    assert before <= came_at == line.relay.asked_at <= time.monotonic()
    assert line.relay.has_answers
    assert line.relay.correlation_id == NUMBER + 1
    assert line.asked() == line.given.request(NUMBER + 1, EPOCH + 1, orders(wanted(1, 5), wanted(3, 12)), BEHIND_SOUND)
    assert line.relay.left() == (b"", b"")
    assert not line.relay.is_over


@pytest.mark.parametrize("version", range(13, 18))
@pytest.mark.parametrize("client_id", ["me", "größe", "", None])
@pytest.mark.parametrize("rack_id", ["", "rack-7", "r" * 300])
def test_it_asks_as_python_would(version: int, client_id: str | None, rack_id: str) -> None:
    with lent(version=version, client_id=client_id, rack_id=rack_id) as line:
        line.answer(frame_of(SOUND))
        moved = orders(wanted(1, 5), wanted(3, 12)), BEHIND_SOUND
        assert line.asked() == line.given.request(NUMBER + 1, EPOCH + 1, *moved)


def test_topics_are_asked_for_in_the_order_they_were_answered_in(line: Line) -> None:
    audit, three, one = partition_of(0, batch(1, 0)), partition_of(3, batch(1)), partition_of(1, batch(1))
    line.answer(frame_of(body_of(answer_of(topic_of(audit, topic_id=AUDIT), topic_of(three, one)))))
    moved = BEHIND_SOUND, orders(wanted(3, 4), wanted(1, 4))
    assert line.asked() == line.given.request(NUMBER + 1, EPOCH + 1, *moved)


def test_where_there_was_nothing_new_nothing_has_moved(line: Line) -> None:
    assert line.answer(frame_of(NOTHING)) == []
    assert line.take() == [NOTHING]
    assert line.asked() == line.given.request(NUMBER + 1, EPOCH + 1)


def test_the_first_epoch_follows_the_last_one() -> None:
    with lent(epoch=LAST) as line:
        for number, epoch in ((NUMBER, 1), (NUMBER + 1, 2)):
            line.answer(frame_of(NOTHING, number))
            assert line.asked() == line.given.request(number + 1, epoch)


def test_number_0_follows_the_last_one() -> None:
    with lent(number=LAST) as line:
        for number, following in ((LAST, 0), (0, 1)):
            line.answer(frame_of(NOTHING, number))
            assert line.relay.correlation_id == following
        expected = [line.given.request(following, EPOCH + 1 + following) for following in (0, 1)]
        assert line.asked() == b"".join(expected)


def test_each_answer_is_asked_on_behind_from_where_the_one_before_ended(line: Line) -> None:
    for at, (offset, count, epoch, last_epoch) in enumerate(
        [(3, 2, -1, -1), (5, 1, 8, 8), (6, 40, -1, 8), (50, 1, 0, 0), (51, 1, 9, 9)]
    ):
        assert line.answer(frame_of(bring(offset, count, epoch), NUMBER + at)) == []
        expected = orders(wanted(1, offset + count, last_epoch))
        assert line.asked() == line.given.request(NUMBER + at + 1, EPOCH + at + 1, expected)


def test_partitions_go_on_by_themselves(line: Line) -> None:
    for at, (partition, offset) in enumerate([(2, 3), (0, 3), (2, 4), (0, 4)]):
        assert line.answer(frame_of(bring(offset, partition=partition), NUMBER + at)) == []
        expected = orders(wanted(partition, offset + 1))
        assert line.asked() == line.given.request(NUMBER + at + 1, EPOCH + at + 1, expected)


def test_records_from_before_the_offset_may_be_among_others(line: Line) -> None:
    assert line.answer(frame_of(bring(0, 10))) == []
    assert line.asked() == line.given.request(NUMBER + 1, EPOCH + 1, orders(wanted(1, 10)))


def test_the_last_batch_may_be_cut_short(line: Line) -> None:
    records = batch(1) + batch(1, 4)[:-1]
    assert line.answer(frame_of(body_of(answer_of(topic_of(partition_of(1, records)))))) == []
    assert line.asked() == line.given.request(NUMBER + 1, EPOCH + 1, orders(wanted(1, 4)))


def test_a_batch_with_the_wrong_crc_is_taken_where_that_is_not_checked() -> None:
    with lent(check_crc=False) as line:
        assert line.answer(frame_of(WRONG_CRC)) == []
        assert line.take() == [WRONG_CRC]


def test_an_answer_may_come_byte_by_byte(line: Line) -> None:
    frame = frame_of(SOUND)
    for at in range(len(frame)):
        assert line.relay.left() == (frame[:at], b"")
        assert line.answer(frame[at : at + 1]) == []
        assert line.relay.has_answers == (at == len(frame) - 1)
    assert line.take() == [SOUND]
    assert len(line.asked()) == len(line.given.request(0, 0, orders(wanted(1, 0), wanted(3, 0)), BEHIND_SOUND))


@pytest.mark.parametrize("more_bytes", [0, 1])
def test_an_answer_has_16_kib_at_most(line: Line, more_bytes: int) -> None:
    body = body_of_size(MOST_BODY + more_bytes)
    assert line.answer(frame_of(body)) == (line.over if more_bytes else [])
    assert line.take() == ([] if more_bytes else [body])
    assert line.left() == (frame_of(body) if more_bytes else b"")


def body_of_size(size: int) -> bytes:
    """A plain one, of a record and a large batch that is cut short."""
    head = batch(1, 4)[:17]
    begun = head[:8] + (1 << 20).to_bytes(4, "big") + head[12:]

    def made(records_bytes: int) -> bytes:
        return bytes(body_of(answer_of(topic_of(partition_of(1, (batch(1) + begun).ljust(records_bytes, b"\0"))))))

    return made(1_000 + size - len(made(1_000)))


# ---- taking them


def test_answers_are_kept_in_their_order(line: Line) -> None:
    bodies = [bring(3 + at) for at in range(5)]
    for at, body in enumerate(bodies):
        line.answer(frame_of(body, NUMBER + at))
    for number, body in enumerate(bodies, start=1):
        for _ in range(2):
            first = line.relay.first()
            assert first is not None
            assert first[:2] == (number, body)
        line.relay.drop(number)
    assert line.relay.first() is None
    assert not line.relay.has_answers


@pytest.mark.parametrize("number", [-(1 << 63), -1, 0, 2, 3, (1 << 63) - 1])
def test_no_other_answer_than_the_first_can_be_dropped(line: Line, number: int) -> None:
    line.answer(frame_of(bring(3)))
    line.answer(frame_of(bring(4), NUMBER + 1))
    with pytest.raises(LookupError, match="not the first"):
        line.relay.drop(number)
    assert line.take() == [bring(3), bring(4)]


def test_an_answer_can_be_dropped_once(line: Line) -> None:
    line.answer(frame_of(bring(3)))
    line.relay.drop(1)
    with pytest.raises(LookupError):
        line.relay.drop(1)


@pytest.mark.parametrize(("number", "error"), [("1", TypeError), (None, TypeError), (1 << 63, OverflowError)])
def test_what_is_no_number_can_not_be_dropped(line: Line, number: Any, error: type[Exception]) -> None:
    line.answer(frame_of(bring(3)))
    with pytest.raises(error):
        line.relay.drop(number)
    assert line.take() == [bring(3)]


class Finalized:
    """Has something done by the garbage collector, once nobody else has it."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.work = work
        self.itself = self

    def __del__(self) -> None:
        self.work()


@pytest.fixture
def _collecting() -> Iterator[None]:
    """The collector runs whenever it may, once it is enabled."""
    before = gc.get_threshold()
    gc.collect()
    gc.disable()
    gc.set_threshold(1, 1, 1)
    yield
    gc.set_threshold(*before)
    gc.enable()


@pytest.mark.usefixtures("_collecting")
def test_an_answer_is_what_came_even_if_it_is_dropped_while_it_is_told(line: Line) -> None:
    bodies = [bring(3 + at) for at in range(3)]

    def drop_two_and_get_another() -> None:
        gc.disable()
        line.relay.drop(1)
        line.relay.drop(2)
        line.answer(frame_of(bodies[2], NUMBER + 2))

    for at, body in enumerate(bodies[:2]):
        line.answer(frame_of(body, NUMBER + at))
    tuples = [tuple([at] * 3) for at in range(3_000)]  # which would else be used again, and nothing be collected
    Finalized(drop_two_and_get_another)
    first = line.relay.first
    gc.enable()
    told = first()
    gc.collect()
    assert told is not None
    assert told[:2] == (1, bodies[0])
    assert line.take() == bodies[2:]
    assert tuples


# ---- what ends them


def changed(body: bytes, at: int, to: bytes) -> bytes:
    return body[:at] + to + body[at + len(to) :]


def of_records(*parts: bytes) -> bytes:
    """The body of an answer with these bytes as records."""
    return bytes(body_of(answer_of(topic_of(partition_of(1, b"".join(parts))))))


ONE = bring(3)
KEPT_BYTES = len(ONE) + 32  # with what goes with each answer
WRONG_CRC = of_records(changed(batch(), 17, b"\0\0\0\0"))
DAMAGED_RECORD = of_records(seal(bytearray(DAMAGED)))
TAG = b"\x01\x05\x00"  # one, of number 5, with nothing in it
MARKER = encode_end_marker(EndMarker(True, 3), 7, 1, 1_000)
COMPRESSED_MARKERS = seal(bytearray(changed(batch(1, 3, compression=Compression.GZIP), 22, b"\x21")))

ODD_BODIES = {name: bytes(body_of(message)) for name, message in LEFT_ALONE.items() if name != "very many"} | {
    "a throttle time": bytes(body_of(answer_of(topic_of(partition_of(1, batch())), throttle_time_ms=1))),
    "an error": bytes(body_of(answer_of(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND))),
    "another session": changed(ONE, 6, b"\0\0\0\x4e"),
    "a topic in two places": bytes(
        body_of(answer_of(topic_of(partition_of(1, batch())), topic_of(partition_of(2, batch()))))
    ),
    "a tag of a partition": ONE[:-3] + TAG + b"\0\0",
    "a tag of a topic": ONE[:-2] + TAG + b"\0",
    "a tag of the whole": ONE[:-1] + TAG,
    "a damaged record": DAMAGED_RECORD,
    "some damaged records": of_records(batch(1), seal(bytearray(DAMAGED))),
    "a wrong CRC": WRONG_CRC,
    "an old format": of_records(changed(batch(), 16, b"\x01")),
    "only records from before the offset": of_records(batch(3, 0)),
    "only records from before the offset, in a batch that spans it": of_records(batch(3, 0, last_offset_delta=9)),
    "only a control batch": of_records(changed(MARKER, 0, (3).to_bytes(8, "big"))),
    "only a batch without records": of_records(batch(0, 3, last_offset_delta=4)),
    "no whole batch": of_records(batch()[:-1]),
    "one partition without a whole batch": bytes(
        body_of(answer_of(topic_of(partition_of(1, batch()), partition_of(2, batch()[:-1]))))
    ),
    "an offset that comes again": of_records(batch(2, 3), batch(2, 4)),
    "a byte too many": ONE + b"\0",
    "a byte too few": ONE[:-1],
    "nothing": b"",
    "more topics than there are bytes": changed(NOTHING, 10, b"\x7f"),
    "many topics": changed(NOTHING, 10, b"\x80"),
    "null for topics": changed(NOTHING, 10, b"\0"),
}

ODD_FRAMES = {name: frame_of(body) for name, body in ODD_BODIES.items()} | {
    "the number before": frame_of(ONE, NUMBER - 1),
    "the number behind": frame_of(ONE, NUMBER + 1),
    "a tag in front": frame_of(ONE, tags=TAG),
    "another answer behind": frame_of(ONE) + frame_of(bring(4), NUMBER + 1),
    "the beginning of another behind": frame_of(ONE) + b"\0",
    "no number": (2).to_bytes(4, "big") + b"\0\0",
    "no tags": (4).to_bytes(4, "big") + NUMBER.to_bytes(4, "big"),
    "no length": bytes(4),
    "a negative length": b"\xff" * 4,
    "the most negative length": b"\x80\0\0\0" + frame_of(ONE)[4:],
    "a length that is too large": b"\x7f\xff\xff\xff" + frame_of(ONE)[4:],
}


@pytest.mark.parametrize("frame", ODD_FRAMES.values(), ids=ODD_FRAMES)
def test_anything_else_ends_it_and_is_left(line: Line, frame: bytes) -> None:
    assert line.answer(frame) == line.over
    assert line.relay.is_over
    assert line.relay.left() == (frame, b"")
    assert line.relay.first() is None
    assert line.asked() == b""
    assert line.relay.correlation_id == NUMBER
    assert not any(line.relay.counted())
    assert line.bell.rings == 0


@pytest.mark.parametrize("name", [name for name in ODD_FRAMES if "behind" not in name or "number" in name])
def test_so_it_does_if_it_comes_byte_by_byte(line: Line, name: str) -> None:
    frame = ODD_FRAMES[name]
    told = [line.answer(bytes([byte])) for byte in frame]
    assert line.over in told
    assert line.left() == frame
    assert line.take() == []


KEPT_OR_NOT = {
    "a topic without partitions": bytes(body_of(answer_of(topic_of()))),
    "the same in front of others": bytes(body_of(answer_of(topic_of(), topic_of(partition_of(1, batch()))))),
    "a topic without partitions that nobody asked for": bytes(body_of(answer_of(topic_of(topic_id=GONE)))),
    "a compressed batch from before the offset": of_records(batch(1, 2, compression=Compression.GZIP), batch(1)),
    "a compressed batch of markers": of_records(COMPRESSED_MARKERS, batch(1, 4)),
}


@pytest.mark.parametrize("body", KEPT_OR_NOT.values(), ids=KEPT_OR_NOT)
def test_only_what_can_be_decoded_in_one_go_is_kept(line: Line, body: bytes) -> None:
    line.answer(frame_of(body))
    kept = line.take()
    assert kept == [] or at_once(memoryview(body)) is not None


def test_what_came_before_is_still_there(line: Line) -> None:
    line.answer(frame_of(ONE))
    odd = frame_of(NOTHING, NUMBER)
    assert line.answer(odd) == line.over
    assert line.take() == [ONE]
    assert line.relay.left() == (odd, b"")
    assert line.asked() == line.given.request(NUMBER + 1, EPOCH + 1, orders(wanted(1, 4)))


def test_a_large_answer_ends_it_as_soon_as_its_length_is_there(line: Line) -> None:
    frame = frame_of(bytes(20_000))
    assert line.answer(frame[:3]) == []
    assert line.answer(frame[3:4]) == line.over
    line.broker.sendall(frame[4:])
    assert line.left() == frame


def test_all_of_a_large_answer_is_left(line: Line) -> None:
    frame = frame_of(body_of(LEFT_ALONE["very many"]))
    assert line.answer(frame) == line.over
    assert line.left() == frame


@pytest.mark.parametrize("hang_up", [socket.socket.close, lambda end: end.shutdown(socket.SHUT_WR)])
@pytest.mark.parametrize("size", [0, 1, 4, 100])
def test_a_peer_that_hangs_up_ends_it(line: Line, size: int, hang_up: Callable[[socket.socket], None]) -> None:
    part = frame_of(SOUND)[:size]
    line.answer(part[: size // 2])
    line.broker.sendall(part[size // 2 :])
    hang_up(line.broker)
    told = line.serve() or line.serve()  # what came last, and that no more does
    assert told == line.over
    assert line.relay.is_over
    assert line.left() == part


def test_a_socket_that_is_waited_for_otherwise_ends_it(line: Line) -> None:
    line.epoll.modify(line.fd, select.EPOLLIN | select.EPOLLOUT)
    assert line.answer(frame_of(SOUND)) == line.over
    assert line.relay.is_over
    assert line.left() == frame_of(SOUND)


def test_no_more_is_kept_than_may_be() -> None:
    with lent(most_kept_bytes=2 * KEPT_BYTES) as line:
        frames = [frame_of(bring(3 + at), NUMBER + at) for at in range(3)]
        assert [line.answer(frame) for frame in frames] == [[], [], line.over]
        assert line.relay.left() == (frames[2], b"")
        assert line.take() == [bring(3), bring(4)]
        assert line.relay.is_over


def test_what_was_taken_makes_room() -> None:
    with lent(most_kept_bytes=KEPT_BYTES) as line:
        for at in range(5):
            assert line.answer(frame_of(bring(3 + at), NUMBER + at)) == []
            assert line.take() == [bring(3 + at)]
        assert not line.relay.is_over


@pytest.mark.parametrize("most_bytes", [-1, 0, len(ONE) - 1])
def test_nothing_is_kept_where_nothing_may_be(most_bytes: int) -> None:
    with lent(most_kept_bytes=most_bytes) as line:
        assert line.answer(frame_of(ONE)) == line.over
        assert line.relay.left() == (frame_of(ONE), b"")


def test_whoever_ends_it_leaves_the_next_answer(line: Line) -> None:
    line.answer(frame_of(ONE))
    line.relay.end()
    assert line.relay.is_over
    following = frame_of(bring(4), NUMBER + 1)
    assert line.answer(following) == line.over
    assert line.relay.left() == (following, b"")
    assert line.take() == [ONE]
    assert line.asked() == line.given.request(NUMBER + 1, EPOCH + 1, orders(wanted(1, 4)))


def test_whoever_ends_it_in_the_midst_of_an_answer_leaves_that(line: Line) -> None:
    frame = frame_of(SOUND)
    line.answer(frame[:100])
    line.relay.end()
    line.relay.end()
    line.broker.sendall(frame[100:])
    assert line.left() == frame


# ---- requests that do not go out at once


def fill(end: socket.socket) -> int:
    """Send until nothing goes any more; how many bytes did."""
    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
    count = 0
    try:
        while True:
            count += end.send(bytes(512))
    except BlockingIOError:
        return count


def test_a_request_that_can_not_be_sent_ends_it_and_is_left(line: Line) -> None:
    filled = fill(line.socket)
    assert line.answer(frame_of(SOUND)) == line.over
    assert line.relay.is_over
    expected = line.given.request(NUMBER + 1, EPOCH + 1, orders(wanted(1, 5), wanted(3, 12)), BEHIND_SOUND)
    assert line.relay.left() == (b"", expected)
    assert line.asked() == bytes(filled)
    assert (line.take(), line.bell.rings) == ([SOUND], 1)
    assert line.relay.correlation_id == NUMBER + 1


def test_of_a_request_that_is_sent_in_part_the_rest_is_left() -> None:
    with lent(rack_id="r" * 1_000_000) as line:  # more than goes into the socket
        assert line.answer(frame_of(ONE)) == line.over
        received, unsent = line.relay.left()
        sent = line.asked()
        assert 0 < len(sent) < 1_000_000
        assert (received, sent + unsent) == (b"", line.given.request(NUMBER + 1, EPOCH + 1, orders(wanted(1, 4))))
        assert line.take() == [ONE]


def test_a_request_that_nobody_is_there_for_is_left(line: Line) -> None:
    line.socket.shutdown(socket.SHUT_WR)
    assert line.answer(frame_of(ONE)) == line.over
    expected = line.given.request(NUMBER + 1, EPOCH + 1, orders(wanted(1, 4)))
    assert line.relay.left() == (b"", expected)
    assert line.take() == [ONE]


# ---- what is counted


def test_what_was_done_is_counted_once() -> None:
    asked_at = time.monotonic() - 5
    with lent(asked_at=asked_at) as line:
        assert line.relay.asked_at == asked_at
        assert line.relay.counted() == (0, 0, 0, 0, 0, 0.0, 0.0)
        line.answer(frame_of(SOUND))
        first_at = line.relay.asked_at
        line.answer(frame_of(NOTHING, NUMBER + 1))
        *counts, took_s, longest_s = line.relay.counted()
        bytes_in = len(frame_of(SOUND)) + len(frame_of(NOTHING))
        data_bytes = sum(len(each) - 61 for each in (batch(), batch(1), batch(3, 9), batch(1, 0)))
        assert counts == [2, bytes_in, len(line.asked()), 7, data_bytes]
        assert took_s == pytest.approx(line.relay.asked_at - asked_at)
        assert longest_s == first_at - asked_at > 5
        assert line.relay.counted() == (0, 0, 0, 0, 0, 0.0, 0.0)


def test_records_from_before_the_offset_are_not_counted(line: Line) -> None:
    line.answer(frame_of(bring(0, 10)))
    assert line.relay.counted()[3] == 7


# ---- serving


@contextmanager
def another(line: Line, events: int) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Another socket that is waited for, and its peer's end."""
    ours, peer = socket.socketpair()
    with ours, peer:
        line.epoll.register(ours.fileno(), events)
        yield ours, peer
        line.epoll.unregister(ours.fileno())


EVENTS: dict[str, tuple[int, Callable[[socket.socket], object]]] = {
    "readable": (select.EPOLLIN, lambda peer: peer.send(b"x")),
    "writable": (select.EPOLLIN | select.EPOLLOUT, lambda peer: None),
    "both": (select.EPOLLIN | select.EPOLLOUT, lambda peer: peer.send(b"x")),
    "hung up": (select.EPOLLIN, socket.socket.close),
    "hung up in one direction": (select.EPOLLIN | select.EPOLLRDHUP, lambda peer: peer.shutdown(socket.SHUT_WR)),
    "nothing": (select.EPOLLIN, lambda peer: None),
}


@pytest.mark.parametrize(("events", "act"), EVENTS.values(), ids=EVENTS)
def test_events_of_others_are_told_as_epoll_tells_them(
    line: Line, events: int, act: Callable[[socket.socket], object]
) -> None:
    with another(line, events) as (_, peer):
        act(peer)
        assert line.serve() == line.epoll.poll(0) == accelerator.serve(line.epoll.fileno(), 0, ())


def test_there_may_be_many_of_them(line: Line) -> None:
    fds = [os.dup(line.broker.fileno()) for _ in range(200)]
    try:
        for fd in fds:
            line.epoll.register(fd, select.EPOLLOUT)
        told = [event for _ in range(5) for event in line.serve()]
        assert set(told) == {(fd, select.EPOLLOUT) for fd in fds}
    finally:
        for fd in fds:
            os.close(fd)


def test_others_are_told_of_while_a_relay_goes_on(line: Line) -> None:
    with another(line, select.EPOLLOUT) as (ours, _):
        assert line.answer(frame_of(ONE)) == [(ours.fileno(), select.EPOLLOUT)]
        assert line.take() == [ONE]


def test_a_relay_that_goes_on_rings_its_bell_and_is_not_told_of(line: Line) -> None:
    for at in range(3):
        assert line.answer(frame_of(bring(3 + at), NUMBER + at)) == []
        assert line.bell.rings == at + 1
    assert line.answer(frame_of(NOTHING, NUMBER + 3)[:-1]) == []
    assert line.bell.rings == 3


def test_a_relay_that_goes_on_without_a_bell_is_told_of(line: Line) -> None:
    relay = accelerator.FetchRelay(*line.given.arguments(line.fd))
    line.broker.sendall(frame_of(ONE)[:-1])
    assert accelerator.serve(line.epoll.fileno(), 0, (relay,)) == []
    line.broker.sendall(frame_of(ONE)[-1:])
    assert accelerator.serve(line.epoll.fileno(), 0, (relay,)) == [(line.fd, 0)]
    assert relay.has_answers
    assert not relay.is_over


def test_only_a_bell_can_be_rung(line: Line) -> None:
    for bell in (threading.Event(), accelerator.Bell, 0, line.relay):
        with pytest.raises(TypeError, match="only a Bell"):
            accelerator.FetchRelay(*line.given.arguments(line.fd, bell))  # type: ignore[arg-type]


def test_several_relays_are_served_together(line: Line) -> None:
    with lent() as other:
        line.epoll.register(other.fd, select.EPOLLIN)
        line.broker.sendall(frame_of(ONE))
        other.broker.sendall(frame_of(WRONG_CRC))
        assert accelerator.serve(line.epoll.fileno(), 0, (line.relay, other.relay)) == other.over
        assert (line.take(), other.take()) == ([ONE], [])
        line.epoll.unregister(other.fd)


def test_several_relays_ring_one_bell(line: Line) -> None:
    with lent() as other:
        other.bell = line.bell
        other.begin(other.given)
        assert (line.answer(frame_of(ONE)), other.answer(frame_of(ONE))) == ([], [])
    assert line.bell.rings == 2


@pytest.mark.parametrize("timeout_s", [0.03, 0.0, -1.0, float("-inf")])
def test_nobody_is_waited_for_longer_than_that(line: Line, timeout_s: float) -> None:
    before = time.monotonic()
    assert line.serve(timeout_s) == []
    assert time.monotonic() - before >= timeout_s


@pytest.mark.parametrize("relays", [(3,), (None,), (accelerator,), [], None, "ab", {}])
def test_only_relays_can_be_served(line: Line, relays: Any) -> None:
    with pytest.raises(TypeError):
        accelerator.serve(line.epoll.fileno(), 0, relays)


def test_one_that_is_no_relay_among_others_is_refused(line: Line) -> None:
    line.broker.sendall(frame_of(ONE))
    with pytest.raises(TypeError, match="only a FetchRelay"):
        accelerator.serve(line.epoll.fileno(), 0, (line.relay, line.bell))  # type: ignore[arg-type]
    assert not line.relay.has_answers


def test_what_is_no_epoll_can_not_be_waited_on(line: Line) -> None:
    for fd in (-1, line.fd):
        with pytest.raises(OSError, match=r"argument|descriptor"):
            accelerator.serve(fd, 0, ())
    with pytest.raises(TypeError):
        accelerator.serve(line.epoll, 0, ())  # type: ignore[arg-type]


class Broker:
    """Answers each request as soon as it is there, until it has said so many bodies, on a thread of its own."""

    def __init__(self, line: Line, bodies: Sequence[bytes]) -> None:
        self.line = line
        self.bodies = bodies
        self.said = 0
        line.broker.settimeout(LONG_S)
        self.thread = threading.Thread(target=self.converse)
        self.thread.start()

    def converse(self) -> None:
        for at, body in enumerate(self.bodies):
            self.said += 1
            self.line.broker.sendall(frame_of(body, NUMBER + at))
            if not self.line.broker.recv(1 << 16):
                return


@contextmanager
def served(line: Line) -> Iterator[list[Events]]:
    """Have a thread serve until something is told of, which is on the list in the end."""
    told: list[Events] = []
    thread = threading.Thread(target=lambda: told.append(line.serve(LONG_S)))
    thread.start()
    yield told
    thread.join()


def test_answers_are_taken_while_others_come(line: Line) -> None:
    bodies = [bring(3 + at) for at in range(2_000)]
    taken: list[bytes] = []
    with another(line, select.EPOLLIN) as (ours, peer), served(line) as told:
        broker = Broker(line, bodies)
        while len(taken) < len(bodies):
            rings = line.bell.rings
            taken += line.take()
            if len(taken) < len(bodies) and not line.relay.has_answers:
                line.bell.wait(rings, LONG_S)
        broker.thread.join()
        fd = ours.fileno()
        peer.send(b"enough")
    assert taken == bodies
    assert told == [[(fd, select.EPOLLIN)]]
    assert line.relay.counted()[0] == len(bodies)


def test_nothing_is_lost_between_two_calls_of_serve(line: Line) -> None:
    bodies = [bring(3 + at) for at in range(2_000)]
    taken: list[bytes] = []
    is_done = threading.Event()

    def serve() -> None:
        while not is_done.is_set():
            line.serve(0.0005)

    thread = threading.Thread(target=serve)
    thread.start()
    broker = Broker(line, bodies)
    while len(taken) < len(bodies):
        rings = line.bell.rings
        if not line.relay.has_answers:
            line.bell.wait(rings, LONG_S)
        taken += line.take()
    broker.thread.join()
    is_done.set()
    thread.join()
    assert taken == bodies


def test_nothing_is_lost_whenever_it_is_ended() -> None:
    bodies = [bring(3 + at) for at in range(2_000)]
    for kept in range(40):
        with lent() as line:
            with served(line) as told:
                broker = Broker(line, bodies)
                while line.bell.rings <= kept:
                    line.bell.wait(line.bell.rings, LONG_S)
                line.relay.end()
                taken = line.take()
            assert line.take() == []
            assert taken == bodies[: broker.said - 1]
            assert line.relay.left() == (frame_of(bodies[broker.said - 1], NUMBER + broker.said - 1), b"")
            assert told == [line.over]
            line.socket.shutdown(socket.SHUT_RDWR)
            broker.thread.join()


def end_while_memory_is_watched() -> None:
    """End relays while an answer is just being kept, which has to wait for the GIL where memory is watched."""
    tracemalloc.start()
    for _ in range(20):
        with lent() as line, served(line):
            line.broker.sendall(frame_of(ONE))
            line.bell.wait(0, LONG_S)
            with no_turn_for_others():
                line.broker.sendall(frame_of(bring(4), NUMBER + 1))
                until = time.monotonic() + 0.02
                while time.monotonic() < until:
                    pass
                line.relay.end()
            line.broker.sendall(frame_of(bring(5), NUMBER + 2))  # the one before may have been kept


def test_ending_waits_for_nobody_who_waits_for_the_gil() -> None:
    script = "from tests.wire import test_fetch_relay as tests; tests.end_while_memory_is_watched()"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=LONG_S / 2)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # since 3.12: of its threads
def test_a_child_that_was_forked_off_meanwhile_takes_for_itself(line: Line) -> None:
    bodies = [bring(3), bring(4)]
    for at, body in enumerate(bodies):
        line.answer(frame_of(body, NUMBER + at))
    with served(line):
        pid = os.fork()
        if pid == 0:
            os._exit(0 if line.take() == bodies and not line.relay.has_answers else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert line.take() == bodies
        line.broker.sendall(frame_of(bring(5), NUMBER))  # which ends it


def test_a_signal_ends_the_waiting(line: Line, signals: Signals) -> None:
    with shower():
        assert line.serve(LONG_S) == []
    assert signals.handled > 0


# ---- what a relay is made of


class Broken:
    """Neither a sequence nor true nor false."""

    def __iter__(self) -> Iterator[Place]:
        raise ZeroDivisionError("nothing to be had today")

    def __bool__(self) -> bool:
        raise ZeroDivisionError("neither true nor false")

    def __repr__(self) -> str:
        return "broken"


WRONG: list[tuple[int, Any, type[Exception]]] = [
    (0, "3", TypeError),
    (0, None, TypeError),
    (1, 1 << 31, OverflowError),
    (2, -(1 << 31) - 1, OverflowError),
    (3, 1.5, TypeError),
    (4, b"", TypeError),
    (5, "me", TypeError),
    (6, None, TypeError),
    (7, 3, TypeError),
    (8, None, TypeError),
    (8, 3, TypeError),
    (8, [3], TypeError),
    (8, [list(PLACES[0])], TypeError),
    (8, [*PLACES, ()], TypeError),
    (8, [*PLACES, PLACES[0][:5]], TypeError),
    (8, [*PLACES, (*PLACES[0], 1)], TypeError),
    (8, [("x" * 16, 0, 0, 0, 0, 0)], TypeError),
    (8, [(bytearray(16), 0, 0, 0, 0, 0)], TypeError),
    (8, [*PLACES, (bytes(15), 0, 0, 0, 0, 0)], ValueError),
    (8, [(bytes(17), 0, 0, 0, 0, 0)], ValueError),
    (8, [(b"", 0, 0, 0, 0, 0)], ValueError),
    (8, [(bytes(16), 1 << 31, 0, 0, 0, 0)], OverflowError),
    (8, [(bytes(16), 0, 0, 1 << 63, 0, 0)], OverflowError),
    (8, [(bytes(16), 0, 0, "0", 0, 0)], TypeError),
    (8, Broken(), ZeroDivisionError),
    (9, Broken(), ZeroDivisionError),
    (10, 1 << 63, OverflowError),
    (10, "1", TypeError),
    (11, "now", TypeError),
    (12, "bell", TypeError),
]


def refuse(at: int, value: Any, error: type[Exception]) -> None:
    arguments = Given().arguments(0)
    arguments[at] = value
    with pytest.raises(error):
        accelerator.FetchRelay(*arguments)


@pytest.mark.parametrize(("at", "value", "error"), WRONG, ids=[f"{at}-{value!r:.30}" for at, value, _ in WRONG])
def test_what_can_not_be_is_an_error(at: int, value: Any, error: type[Exception]) -> None:
    refuse(at, value, error)


def test_nothing_is_kept_of_what_can_not_be() -> None:
    def use() -> None:
        for wrong in WRONG:
            refuse(*wrong)

    assert growth_of(use) < 4_000


@pytest.mark.parametrize("count", [0, 5, 12, 14])
def test_all_of_it_has_to_be_given(count: int) -> None:
    arguments = [*Given().arguments(0), 1][:count]
    with pytest.raises(TypeError, match="13 arguments"):
        accelerator.FetchRelay(*arguments)


def test_nothing_goes_by_a_name() -> None:
    with pytest.raises(TypeError):
        accelerator.FetchRelay(*Given().arguments(0), most_kept_bytes=1)  # type: ignore[call-arg]


class Growing:
    """A number; whoever asks for it makes a list longer."""

    def __init__(self, places: list[Any]) -> None:
        self.places = places

    def __index__(self) -> int:
        self.places.append((ORDERS.bytes, 1, 4, 3, -1, 1_001))
        return 0


def test_places_are_those_that_were_there_in_the_beginning() -> None:
    places: list[Any] = []
    places.append((AUDIT.bytes, Growing(places), 6, 0, 2, 2_000))
    with lent(places=places) as line:
        assert line.answer(frame_of(ONE)) == line.over, "a place that was not there yet is asked for"


def test_a_relay_without_places_keeps_what_tells_of_none() -> None:
    with lent(places=iter(())) as line:
        assert line.answer(frame_of(NOTHING)) == []
        assert line.answer(frame_of(ONE, NUMBER + 1)) == line.over


def test_a_relay_may_have_many_places() -> None:
    places = [(bytes([topic]) * 16, number, 4, 0, -1, 1_000) for number in range(99, -1, -1) for topic in range(250)]
    last = (b"\xf9" * 16, 99)
    body = body_of(answer_of(topic_of(partition_of(last[1], batch(1, 0)), topic_id=UUID(bytes=last[0]))))
    with lent(places=places) as line:
        assert line.answer(frame_of(body)) == []


def test_as_many_partitions_may_be_answered_as_an_answer_holds() -> None:
    numbers = range(126)
    with lent(places=[(ORDERS.bytes, number, 4, 3, -1, 1_000 + number) for number in numbers]) as line:
        records = encode_batch([NewRecord(None)], base_offset=3)
        body = body_of(answer_of(topic_of(*(partition_of(number, records) for number in numbers))))
        assert line.answer(frame_of(body)) == []
        moved = orders(*(wanted(number, 4) for number in numbers))
        assert line.asked() == line.given.request(NUMBER + 1, EPOCH + 1, moved)


def test_so_may_as_many_topics() -> None:
    ids = [UUID(int=at) for at in range(1, 127)]
    with lent(places=[(topic_id.bytes, 1, 4, 3, -1, 1_001) for topic_id in ids]) as line:
        records = encode_batch([NewRecord(None)], base_offset=3)
        body = body_of(answer_of(*(topic_of(partition_of(1, records), topic_id=topic_id) for topic_id in ids)))
        assert line.answer(frame_of(body)) == []
        moved = [WantedTopic("", topic_id, [wanted(1, 4)]) for topic_id in ids]
        assert line.asked() == line.given.request(NUMBER + 1, EPOCH + 1, *moved)


def test_nothing_is_kept_of_a_relay_that_is_gone(line: Line) -> None:
    frames = [frame_of(bring(3 + at), NUMBER + at) for at in range(4)]

    def use() -> None:
        line.begin(line.given)
        for frame in frames:
            line.answer(frame)
        line.relay.drop(1)
        line.answer(frames[0])
        line.relay.left()
        line.relay.counted()
        receive(line.broker)
        line.begin(line.given)

    assert growth_of(use) < 4_000


def test_its_bell_is_let_go_with_it() -> None:
    bell = accelerator.Bell()
    with lent() as line:
        relays = [accelerator.FetchRelay(*line.given.arguments(line.fd, bell)) for _ in range(10)]
        with_relays = sys.getrefcount(bell)
    relays.clear()
    assert (with_relays, sys.getrefcount(bell)) == (12, 2)


# ---- bells


@pytest.fixture
def bell() -> accelerator.Bell:
    return accelerator.Bell()


def ring_once_awaited(bell: accelerator.Bell) -> threading.Thread:
    def ring() -> None:
        eventually("somebody waits", lambda: bell.is_awaited)
        bell.ring()

    thread = threading.Thread(target=ring)
    thread.start()
    return thread


def test_rings_are_counted(bell: accelerator.Bell) -> None:
    for count in range(5):
        assert bell.rings == count
        bell.ring()


def test_a_waiting_thread_is_woken(bell: accelerator.Bell) -> None:
    thread = ring_once_awaited(bell)
    bell.wait(0, LONG_S)
    thread.join()
    assert (bell.rings, bell.is_awaited) == (1, False)


def test_a_ring_between_looking_and_waiting_is_not_lost(bell: accelerator.Bell) -> None:
    rings = bell.rings
    bell.ring()
    bell.wait(rings, LONG_S)


def test_a_ring_before_looking_does_not_count(bell: accelerator.Bell) -> None:
    bell.ring()
    before = time.monotonic()
    bell.wait(bell.rings, 0.01)
    assert time.monotonic() - before >= 0.01
    assert not bell.is_awaited


@pytest.mark.parametrize("timeout_s", [0.0, -0.0, -1.0, float("-inf"), float("nan")])
def test_nobody_waits_where_there_is_no_time(bell: accelerator.Bell, timeout_s: float) -> None:
    bell.wait(0, timeout_s)


@pytest.mark.parametrize("timeout_s", [1e6, 1e300, float("inf")])
def test_there_may_be_any_time(bell: accelerator.Bell, timeout_s: float) -> None:
    thread = ring_once_awaited(bell)
    bell.wait(0, timeout_s)
    thread.join()


@pytest.mark.parametrize("timeout_s", [1e-12, 1e-9, 1e-6, 0.000_999_999_999, 0.001])
def test_any_time_is_over_some_time(bell: accelerator.Bell, timeout_s: float) -> None:
    bell.wait(0, timeout_s)


def test_one_ring_wakes_every_thread_that_waits(bell: accelerator.Bell) -> None:
    waiting = [threading.Thread(target=bell.wait, args=(0, LONG_S)) for _ in range(5)]
    for thread in waiting:
        thread.start()
    eventually("somebody waits", lambda: bell.is_awaited)
    bell.ring()
    for thread in waiting:
        thread.join(LONG_S)
    assert not any(thread.is_alive() for thread in waiting)
    assert not bell.is_awaited


def test_two_that_ring_for_each_other_miss_no_ring() -> None:
    here, there = accelerator.Bell(), accelerator.Bell()

    def answer() -> None:
        for rings in range(5_000):
            here.wait(rings, LONG_S)
            there.ring()

    thread = threading.Thread(target=answer)
    thread.start()
    for rings in range(5_000):
        here.ring()
        there.wait(rings, LONG_S)
    thread.join()
    assert here.rings == there.rings == 5_000


def test_a_handler_runs_in_the_midst_of_a_wait_which_goes_on(bell: accelerator.Bell, signals: Signals) -> None:
    def ring() -> None:
        eventually("handlers ran", lambda: signals.handled >= 3)
        bell.ring()

    thread = threading.Thread(target=ring)
    with shower(when=lambda: bell.is_awaited):
        thread.start()
        bell.wait(0, LONG_S)
    thread.join()
    assert bell.rings == 1


def test_a_handler_may_ring(bell: accelerator.Bell, signals: Signals) -> None:
    signals.then = bell.ring
    with shower(when=lambda: bell.is_awaited):
        bell.wait(0, LONG_S)
    assert bell.rings == signals.handled > 0


def test_a_handler_may_wait_as_well(bell: accelerator.Bell, signals: Signals) -> None:
    signals.then = lambda: bell.wait(bell.rings, 0.001)
    with shower(when=lambda: bell.is_awaited):
        bell.wait(0, 0.05)
    assert signals.handled > 0
    assert not bell.is_awaited


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # since 3.12: of its threads
def test_a_forked_process_wakes_no_thread_of_its_parent(bell: accelerator.Bell) -> None:
    thread = threading.Thread(target=bell.wait, args=(0, LONG_S))
    thread.start()
    eventually("it waits", lambda: bell.is_awaited)
    pid = os.fork()
    if pid == 0:
        bell.ring()
        os._exit(bell.rings)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
    thread.join(0.05)
    assert thread.is_alive()
    assert bell.rings == 0
    bell.ring()
    thread.join()


def test_what_a_handler_raises_ends_the_wait(bell: accelerator.Bell, signals: Signals) -> None:
    signals.then = lambda: 1 // 0
    with pytest.raises(ZeroDivisionError), shower(when=lambda: bell.is_awaited and not signals.handled):
        bell.wait(0, LONG_S)
    assert not bell.is_awaited
    assert bell.rings == 0


@pytest.mark.parametrize(("arguments", "error"), [(("0", 1.0), TypeError), ((0, "1"), TypeError), ((0,), TypeError)])
def test_what_can_not_be_waited_for_is_an_error(
    bell: accelerator.Bell, arguments: tuple[Any, ...], error: type[Exception]
) -> None:
    with pytest.raises(error):
        bell.wait(*arguments)
    assert not bell.is_awaited


def test_a_new_bell_takes_no_arguments() -> None:
    with pytest.raises(TypeError, match="no arguments"):
        accelerator.Bell(3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no arguments"):
        accelerator.Bell(rings=3)  # type: ignore[call-arg]


def test_bells_that_are_gone_leave_nothing_of_their_type() -> None:
    before = sys.getrefcount(accelerator.Bell)
    for _ in range(100):
        accelerator.Bell()
    assert abs(sys.getrefcount(accelerator.Bell) - before) < 50


def test_nothing_is_kept_of_a_wait(bell: accelerator.Bell) -> None:
    def use() -> None:
        accelerator.Bell().wait(0, 1e-6)
        bell.ring()
        bell.wait(0, LONG_S)

    assert growth_of(use) < 2_000


# ---- several calls as one step


def test_calls_are_made_in_their_order() -> None:
    done: list[object] = []
    calls = [(done.append, "a"), (done.extend, "bc"), (done.insert, 0, "0"), (done.copy,)]
    accelerator.do_all([])
    accelerator.do_all(calls)
    assert done == ["0", "a", "b", "c"]


def test_what_one_raises_is_raised_and_ends_it() -> None:
    done: list[object] = []
    with pytest.raises(KeyError):
        accelerator.do_all([(done.append, 1), ({}.__getitem__, 1), (done.append, 2)])
    assert done == [1]


@pytest.mark.parametrize("calls", [None, 3, (), ((print,),), iter([]), {}])
def test_calls_are_a_list(calls: Any) -> None:
    with pytest.raises(TypeError, match="a list"):
        accelerator.do_all(calls)


@pytest.mark.parametrize("call", [None, print, [print], (), "print"])
def test_a_call_is_a_tuple(call: Any) -> None:
    done: list[object] = []
    with pytest.raises(TypeError, match="a tuple"):
        accelerator.do_all([(done.append, 1), call, (done.append, 2)])
    assert done == [1]


def test_what_is_called_has_to_be_callable() -> None:
    with pytest.raises(TypeError, match="not callable"):
        accelerator.do_all([(3, 4)])


def test_calls_that_come_meanwhile_are_made_as_well() -> None:
    done: list[object] = []
    calls: list[tuple[Any, ...]] = []
    calls += [(calls.append, (done.append, 2)), (done.append, 1)]
    accelerator.do_all(calls)
    assert done == [1, 2]


def test_a_call_has_its_arguments_even_if_it_is_taken_off_the_list() -> None:
    class Argument:
        pass

    argument = Argument()
    is_there = weakref.ref(argument)
    calls: list[tuple[Any, ...]] = []

    class First:
        def __divmod__(self, other: object) -> object:
            del other
            calls.clear()
            assert is_there() is not None
            return 0, 0

    calls.append((divmod, First(), argument))
    del argument
    accelerator.do_all(calls)


def test_no_handler_runs_in_between(signals: Signals) -> None:
    done: list[object] = []
    signals.then = lambda: done.append("handler")
    with handled_by(signals, signal.SIGVTALRM):
        timer = signal.setitimer, signal.ITIMER_VIRTUAL, 1e-6
        accelerator.do_all([timer, (sum, range(3_000_000)), (done.append, "last")])
        eventually("the handler ran", lambda: len(done) == 2)
    assert done == ["last", "handler"]


def test_nothing_is_kept_of_calls() -> None:
    done: list[object] = []

    def use() -> None:
        accelerator.do_all([(done.append, object()), (done.clear,)])
        with pytest.raises(ZeroDivisionError):
            accelerator.do_all([(divmod, 1, 0)])

    assert growth_of(use) < 4_000

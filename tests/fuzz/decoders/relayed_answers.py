"""Whole Fetch answers to a relay: it keeps what can be decoded in one go, and of anything else it leaves all bytes.

The first byte says from which offset on everything was asked for, and whether CRCs are to be checked; what follows is
in the session that was asked in. Where there are no relays, there is nothing to try.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from kafka_nextgen.transport.relays import HAS_RELAYS

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.fetching import DecodedPartition, Fetch
from kafka_nextgen.wire.fetch_response import read_fetch_response
from kafka_nextgen.wire.frames import decode_request
from tests.fetching.test_plain_answers import VERSION, at_once
from tests.fuzz.decoders.decoder import Decoder, refusals
from tests.fuzz.decoders.plain_answers import PLAIN_ANSWERS, _fetch
from tests.wire.test_fetch_relay import Given, Line, Place, frame_of

__all__ = ["RELAYED_ANSWERS"]

_WITHOUT_CRC = 0x80
_SESSION = slice(6, 10)


@cache
def _line() -> Line:
    return Line(Given())


@cache
def _places(offset: int) -> list[Place]:
    return [
        (at.topic_id.bytes, at.partition.partition, at.leader_epoch, at.offset, at.last_epoch, at.max_bytes)
        for at in _fetch(offset).wanted.values()
        if at.topic_id is not None
    ]


def _relay(data: bytes) -> None:
    with refusals():
        if not HAS_RELAYS or not data:
            raise DecodeError("there are no relays here, or there is nothing to relay")
        offset, check_crc, body = data[0] & ~_WITHOUT_CRC, not data[0] & _WITHOUT_CRC, data[1:]
        session_id = int.from_bytes(body[_SESSION], "big", signed=True)
        line = _line()
        line.begin(Given(places=_places(offset), check_crc=check_crc, session_id=session_id))
        told = line.answer(frame_of(body))
        kept, asked = line.take(), line.asked()
        if kept:
            assert (told, kept, line.relay.left()) == ([], [body], (b"", b""))
            _check_kept(body, _fetch(offset), asked)
        else:
            assert (told, asked, line.relay.left()) == (line.over, b"", (frame_of(body), b""))
            read_fetch_response(VERSION, memoryview(body))


def _check_kept(body: bytes, fetch: Fetch, asked: bytes) -> None:
    """It is decoded, though nobody checks CRCs again, and asked on behind from where that ends."""
    found = at_once(memoryview(body), fetch, check_crc=False)
    assert found is not None, "kept, though it can't be decoded in one go"
    request: Any = decode_request(asked[4:]).message
    told = [
        (topic.topic_id, part.partition, part.fetch_offset) for topic in request.topics for part in topic.partitions
    ]
    assert told == [_end_of(fetch, part) for part in found.partitions]


def _end_of(fetch: Fetch, part: DecodedPartition) -> tuple[object, int, int]:
    assert part.columns is not None
    assert len(part.columns) > 0, "kept, though there are no records"
    return fetch.wanted[part.partition].topic_id, part.partition.partition, part.columns.next_offset


RELAYED_ANSWERS = Decoder("relayed-answers", "Fetch answers to a relay", _relay, PLAIN_ANSWERS.seeds)

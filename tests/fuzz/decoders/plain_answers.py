"""Whole Fetch answers to columns in one go: passed over, or what going from step to step comes to.

Their bytes end at a guarded page. The first byte says from which offset on everything was asked for, and whether CRCs
are to be checked. Where it was not compiled, there is nothing to try.
"""

from __future__ import annotations

from functools import cache

from kafka_nextgen.bridge.fetch import FetchPosition
from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.fetching import Fetch
from kafka_nextgen.types import TopicId, TopicPartition
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.fetch_request import WITH_TOPIC_IDS
from kafka_nextgen.wire.fetch_response import read_fetch_response
from tests.fetching.plain_answers import PLAIN, PLAIN_TOO, VERSION, at_once, body_of, fetch_at, outcome, step_by_step
from tests.fuzz import corpus
from tests.fuzz.decoders.decoder import Decoder, refusals
from tests.fuzz.guarded import Guarded

__all__ = ["PLAIN_ANSWERS"]

_WITHOUT_CRC = 0x80
_MOST_BYTES = 64 * 1024
_MOST_PARTITIONS = 8


@cache
def _room() -> Guarded:
    return Guarded(_MOST_BYTES)


@cache
def _fetch(offset: int) -> Fetch:
    """Of all that seeds tell of, from this offset on."""
    return fetch_at(
        [
            FetchPosition(TopicPartition(f"topic-{at}", number), topic_id, offset)
            for at, topic_id in enumerate(_topic_ids())
            for number in range(_MOST_PARTITIONS)
        ]
    )


@cache
def _topic_ids() -> tuple[TopicId, ...]:
    answers = [read_fetch_response(VERSION, memoryview(body)) for body in _bodies()]
    return tuple(
        dict.fromkeys(topic.topic for each in answers for topic in each.topics if isinstance(topic.topic, TopicId))
    )


def _decode(data: bytes) -> None:
    with refusals():
        if not ACCELERATED or not data:
            raise DecodeError("the decoder was not compiled, or there is nothing to decode")
        body = _room().put(data[1:])
        fetch, check_crc = _fetch(data[0] & ~_WITHOUT_CRC), not data[0] & _WITHOUT_CRC
        found = at_once(body, fetch, check_crc)
        if found is None:
            read_fetch_response(VERSION, body)
            return
        try:
            told = step_by_step(body, fetch, check_crc)
        except DecodeError as error:
            raise AssertionError(f"taken, though {error}") from error
        assert outcome(found.throttle_time_ms, found.session_id, found.partitions) == told


@cache
def _bodies() -> tuple[bytes, ...]:
    """What Kafka answered in versions that write it alike, and what we have it answer."""
    told = [frame for frame in corpus.frames(corpus.RESPONSE) if frame.api is FETCH and frame.version >= WITH_TOPIC_IDS]
    return tuple([frame.data[5:] for frame in told] + [bytes(body_of(each)) for each in (PLAIN, *PLAIN_TOO.values())])


def _seeds() -> list[bytes]:
    return [bytes([first]) + body for body in _bodies() for first in (0, 3, _WITHOUT_CRC)]


PLAIN_ANSWERS = Decoder("plain-answers", "Fetch answers to columns in one go, and step by step", _decode, _seeds)

"""Whole Fetch answers to ``SteadyFetch``: odd, or what the readers in Python come to, and so is the next request.

Their bytes end at a guarded page. The first byte says from which offset on everything was asked for, and whether CRCs
are to be checked; what follows is an answer without its header, in the session that was asked in. Where the extension
was not compiled, there is nothing to try.
"""

from __future__ import annotations

from functools import cache

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.types import TopicId, TopicPartition
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.fetch_request import WITH_TOPIC_IDS
from kafka_nextgen.wire.frames import read_message
from kafka_nextgen.wire.messages import FetchResponse
from tests.verification.fuzz import corpus
from tests.verification.fuzz.decoders.decoder import Decoder, refusals
from tests.verification.fuzz.guarded import Guarded
from tests.wire.steady_bodies import PLAIN
from tests.wire.steady_twin import VERSION, Place, Start, Twin, agrees, frame_of

_WITHOUT_CRC = 0x80
_SESSION = slice(6, 10)
_MOST_BYTES = 64 * 1024
_MOST_PARTITIONS = 8


@cache
def _room() -> Guarded:
    return Guarded(_MOST_BYTES)


@cache
def _places(offset: int) -> tuple[Place, ...]:
    """Of all that seeds tell of, from this offset on."""
    return tuple(
        Place(TopicPartition(f"topic-{at}", number), topic_id.bytes, number, 4, offset, -1, 1_000)
        for at, topic_id in enumerate(_topic_ids())
        for number in range(_MOST_PARTITIONS)
    )


@cache
def _topic_ids() -> tuple[TopicId, ...]:
    answers = [read_message(FetchResponse, VERSION, memoryview(body)) for body in _bodies()]
    return tuple(dict.fromkeys(topic.topic_id for each in answers for topic in each.responses if topic.topic_id))


def _answer(data: bytes) -> None:
    with refusals():
        if not ACCELERATED or not data:
            raise DecodeError("the extension was not compiled, or there is no answer")
        offset, check_crc, body = data[0] & ~_WITHOUT_CRC, not data[0] & _WITHOUT_CRC, data[1:]
        session_id = int.from_bytes(body[_SESSION], "big", signed=True)
        start = Start(places=_places(offset), check_crc=check_crc, session_id=session_id)
        if not agrees(start.step(), Twin(start), _room().put(frame_of(body))):
            read_message(FetchResponse, VERSION, memoryview(body))


@cache
def _bodies() -> tuple[bytes, ...]:
    """What Kafka answered in versions that write it alike, and what tests have it answer."""
    told = [frame for frame in corpus.frames(corpus.RESPONSE) if frame.api is FETCH and frame.version >= WITH_TOPIC_IDS]
    return (*(frame.data[5:] for frame in told), *PLAIN.values())


def _seeds() -> list[bytes]:
    return [bytes([first]) + body for body in _bodies() for first in (0, 3, _WITHOUT_CRC)]


STEADY_ANSWERS = Decoder("steady-answers", "Fetch answers in a steady state, in C and in Python", _answer, _seeds)

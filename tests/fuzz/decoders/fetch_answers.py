"""Fetch answers by the reader that looks into the frame, and by the schema: both refuse, or both say the same.

The first byte is the version.
"""

from __future__ import annotations

from kafka_nextgen.bridge import fetch
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.frames import encode_response, read_response
from kafka_nextgen.wire.messages import FetchResponse
from kafka_nextgen.wire.raw_fetch import RawFetchAnswer
from tests.bridge.over_the_wire import IDS
from tests.fuzz import corpus
from tests.fuzz.decoders.decoder import Decoder, refusals
from tests.wire.fetch_by_schema import by_schema
from tests.wire.schema_messages import full

__all__ = ["FETCH_ANSWERS"]

NAMES = {topic_id: name for name, topic_id in IDS.items()}


def _read(data: bytes) -> None:
    if not data or not FETCH.speaks(data[0]):
        return
    version, frame = data[0], data[1:]
    with refusals():
        try:
            answer = read_response(FETCH, version, frame)[1]
        except DecodeError:
            _check_refused(version, frame)
            raise
        assert isinstance(answer, RawFetchAnswer)
        assert answer == by_schema(frame, version)
        taken = fetch.from_response(answer, NAMES)
        assert taken.throttle_time_ms >= 0
        assert all(partition.partition.partition >= 0 for partition in taken.partitions)


def _check_refused(version: int, frame: bytes) -> None:
    try:
        by_schema(frame, version)
    except DecodeError:
        return
    raise AssertionError("refused, though the schema's decoder takes it")


def _seeds() -> list[bytes]:
    frames = [(frame.version, frame.data) for frame in corpus.frames(corpus.RESPONSE) if frame.api is FETCH]
    versions = range(FETCH.min_version, FETCH.max_version + 1)
    frames += [(version, encode_response(FETCH, full(FetchResponse, version), version, 7)[4:]) for version in versions]
    return [bytes([version]) + frame for version, frame in frames]


FETCH_ANSWERS = Decoder("fetch-answers", "Fetch answers, by both readers there are", _read, _seeds)

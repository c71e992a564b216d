"""Records of ``__consumer_offsets`` as a coordinator loads them; what it understands it writes back and reads again."""

from __future__ import annotations

import struct

from kafka_nextgen.offsets_topic.extensions import KeyAndValue, Skipped, decode, encode
from tests.offsets_topic.written_by_kafka import KAFKAS
from tests.verification.fuzz import corpus
from tests.verification.fuzz.decoders.decoder import Decoder, refusals


def _split(data: bytes) -> tuple[bytes | None, bytes | None]:
    key, rest = _first(data)
    return key, _first(rest)[0]


def _first(data: bytes) -> tuple[bytes | None, bytes]:
    if len(data) < 4:
        return None, b""
    (length,) = struct.unpack_from(">i", data)
    return (None, data[4:]) if length < 0 else (data[4 : 4 + length], data[4 + length :])


def _read(data: bytes) -> None:
    key, value = _split(data)
    with refusals():
        record = decode(key, value)
        if isinstance(record, Skipped):
            return
        again = encode(record)
        assert decode(again.key, again.value) == record


def _joined(record: KeyAndValue) -> bytes:
    return b"".join(b"\xff" * 4 if part is None else struct.pack(">i", len(part)) + part for part in _parts(record))


def _parts(record: KeyAndValue) -> tuple[bytes | None, bytes | None]:
    return record.key, record.value


def _seeds() -> list[bytes]:
    return [*corpus.offsets_topic(), *map(_joined, KAFKAS.values())]


OFFSETS_TOPIC = Decoder("offsets-topic", "records of __consumer_offsets, to records and back", _read, _seeds)

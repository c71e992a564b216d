"""The compiled decoder against its twin: it passes, or answers with the same columns, and makes the same records of
them. Its input ends at a guarded page.

It is also called as it never is by us, with payloads that do not belong to the data: it may refuse, not crash. Where it
was not compiled, there is nothing to try.
"""

from __future__ import annotations

from array import array
from functools import cache

from kafka_nextgen.engine.application.record_run import RowsInPython, record_rows
from kafka_nextgen.errors import CorruptRecordError, DecodeError
from kafka_nextgen.wire.records import Columns, RecordLimits
from kafka_nextgen.wire.records.accelerated import ACCELERATED, decode_sound
from kafka_nextgen.wire.records.compression import decompress
from kafka_nextgen.wire.records.decode import decode_in_python
from tests.verification.fuzz.decoders.decoder import Decoder, refusals
from tests.verification.fuzz.decoders.records import LIMITS, PARTITION, batches_and_offset, limits_of, record_seeds
from tests.verification.fuzz.guarded import Guarded
from tests.wire.columns import content

if ACCELERATED:
    from kafka_nextgen.compiled import _accelerator

_SKIPS = 0x20
_SKIPPED = (0, 2, 100)
_MOST_BYTES = 64 * 1024


@cache
def _rooms() -> tuple[Guarded, Guarded]:
    return Guarded(_MOST_BYTES), Guarded(LIMITS.max_decompressed_bytes)


def _decode(data: bytes) -> None:
    with refusals():
        if not ACCELERATED:
            raise DecodeError("the decoder was not compiled")
        _compare(data)


def _compare(data: bytes) -> None:
    batches, offset, check_crc = batches_and_offset(data)
    skipped = _SKIPPED if data[:1] and data[0] & _SKIPS else ()
    room, payload_room = _rooms()
    place = room.put(batches)
    limits = limits_of(data)
    compiled = decode_sound(place, PARTITION, offset, limits.max_decompressed_bytes, check_crc, skipped)
    _decode_with_guarded_payload(place, payload_room, offset, skipped)
    twins = _by_twin(batches, offset, limits, check_crc, skipped)
    if compiled is not None:
        assert not isinstance(twins, CorruptRecordError), f"taken, though {twins}"
        assert content(compiled) == content(twins)
        _check_records(compiled, twins)
    elif isinstance(twins, CorruptRecordError):
        raise twins


def _check_records(compiled: Columns, twins: Columns) -> None:
    assert list(record_rows(compiled, 0, len(compiled))) == list(RowsInPython(twins, 0, len(twins)))


def _by_twin(
    batches: bytes, offset: int, limits: RecordLimits, check_crc: bool, skipped: tuple[int, ...]
) -> Columns | CorruptRecordError:
    try:
        return decode_in_python(memoryview(batches), PARTITION, offset, limits, check_crc, skipped)
    except CorruptRecordError as error:
        return error


def _decode_with_guarded_payload(place: memoryview, room: Guarded, offset: int, skipped: tuple[int, ...]) -> None:
    left_out = array("q", skipped)
    scanned = _accelerator.scan(place, offset, False, left_out)
    payloads = () if scanned is None else _payloads(place, scanned[2], room)
    _accelerator.decode(place, offset, left_out, payloads)
    _accelerator.decode(place, offset, left_out, (*payloads[1:], place, b""))


def _payloads(place: memoryview, compressed: list[tuple[int, int, int]], room: Guarded) -> tuple[memoryview, ...]:
    """What is compressed, decompressed; the first of it at a guarded page, of the rest nothing."""
    payloads: list[memoryview] = []
    for codec, start, stop in compressed:
        try:
            payload = decompress(codec, place[start:stop], LIMITS.max_decompressed_bytes)
        except DecodeError:
            payload = b""
        payloads.append(memoryview(b"") if payloads else room.put(payload))
    return tuple(payloads)


COMPILED_RECORDS = Decoder(
    "compiled-records",
    "record batches in C, against Python",
    _decode,
    record_seeds,
    limit_bytes=LIMITS.max_decompressed_bytes,
)

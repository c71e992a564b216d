"""Record batches, their compression, what a producer sends, and the markers of transactions.

The first byte of a batch's input says where it is read from (``offset`` below 16), how much it may become, and whether
the checksums of all its batches are made right first, since changed bytes would otherwise be refused by the checksum
and never get any further.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from crc32c import crc32c

from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.apis import APIS
from kafka_nextgen.wire.records import (
    Columns,
    Compression,
    NewRecord,
    RecordLimits,
    encode_batch,
    encode_end_marker,
    read_batches,
    read_end_marker,
    read_header,
    rebase,
)
from kafka_nextgen.wire.records.batch_header import CRC_START, HEADER, LENGTH_END
from kafka_nextgen.wire.records.compression import compress, decompress
from kafka_nextgen.wire.records.decode import decode_in_python
from kafka_nextgen.wire.records.transactions import EndMarker
from tests.verification.fuzz import corpus
from tests.verification.fuzz.decoders.decoder import Decoder, refusals

PARTITION = TopicPartition("orders", 0)
LIMITS = RecordLimits(max_decompressed_bytes=1 << 17)
NARROW_LIMITS = RecordLimits(max_decompressed_bytes=1_000)

_OFFSET_BITS = 0x0F
_SEALED = 0x80
_UNCHECKED = 0x40
_NARROW = 0x10
_CRC = struct.Struct(">I")
_CRC_AT = CRC_START - _CRC.size


def batches_and_offset(data: bytes) -> tuple[bytes, int, bool]:
    """The batches in an input, the offset to read from, and whether checksums count."""
    if not data:
        return b"", 0, True
    flags, batches = data[0], data[1:]
    return _sealed(batches) if flags & _SEALED else batches, flags & _OFFSET_BITS, not flags & _UNCHECKED


def limits_of(data: bytes) -> RecordLimits:
    """How much the batches of an input may become once decompressed."""
    return NARROW_LIMITS if data[:1] and data[0] & _NARROW else LIMITS


def record_seeds() -> list[bytes]:
    """Batches of real producers, of each codec, and such as no producer writes."""
    batches = [*_recorded_batches(), *_made_batches()]
    several = [bytes([_SEALED | flags]) + b"".join(_logged(batches[-9:-2])) for flags in (0, 3, _NARROW)]
    return [bytes([_SEALED]) + data for data in (*batches, *_decompressed_together())] + several


def _decompressed_together() -> Iterator[bytes]:
    for codec in (Compression.LZ4, Compression.ZSTD):
        yield b"".join(_logged([encode_batch([NewRecord(value)], codec) for value in (b"v" * 200, b"", b"w")]))


def _logged(batches: list[bytes]) -> Iterator[bytes]:
    """The batches with the offsets they get in a log."""
    end = 0
    for batch in batches:
        yield rebase(batch, end, 1)
        header = read_header(batch, 0)
        assert header is not None
        end += header.last_offset_delta + 1


def _sealed(batches: bytes) -> bytes:
    out = bytearray(batches)
    start = 0
    while start + HEADER.size <= len(out):
        length = int.from_bytes(out[start + 8 : start + LENGTH_END], "big", signed=True)
        end = start + LENGTH_END + length
        if end > len(out) or end < start + HEADER.size:
            break
        _CRC.pack_into(out, start + _CRC_AT, crc32c(memoryview(out)[start + CRC_START : end]))
        start = end
    return bytes(out)


def _recorded_batches() -> Iterator[bytes]:
    """The batches in recorded Produce requests and Fetch answers: they begin 16 bytes before a 2."""
    for kind in (corpus.REQUEST, corpus.RESPONSE):
        for frame in corpus.frames(kind):
            if frame.api in (APIS[0], APIS[1]):
                yield from _batches_in(frame.data)


def _batches_in(frame: bytes) -> Iterator[bytes]:
    start = 0
    while start + HEADER.size <= len(frame):
        end = start + LENGTH_END + int.from_bytes(frame[start + 8 : start + LENGTH_END], "big", signed=True)
        crc = int.from_bytes(frame[start + _CRC_AT : start + CRC_START], "big")
        is_batch = frame[start + 16] == 2 and start + HEADER.size <= end <= len(frame)
        if is_batch and crc32c(frame[start + CRC_START : end]) == crc:
            yield frame[start:end]
            start = end
        else:
            start += 1


def _made_batches() -> Iterator[bytes]:
    records = [
        NewRecord(b"v" * 200, key=b"k", timestamp=1_000, headers=(("trace", b"1"), ("größe", None))),
        NewRecord(None, key=None, timestamp=-1),
        NewRecord(b"", key=b"", timestamp=5, offset_delta=9),
    ]
    for codec in Compression:
        yield encode_batch(records, codec, base_offset=2, leader_epoch=4, last_offset_delta=12)
    yield encode_batch([], base_offset=100, last_offset_delta=9)
    yield encode_end_marker(EndMarker(True, 3), 7, 1, 1_000)


def _decode(data: bytes) -> None:
    batches, offset, check_crc = batches_and_offset(data)
    with refusals():
        check_columns(decode_in_python(memoryview(batches), PARTITION, offset, limits_of(data), check_crc), offset)


def check_columns(columns: Columns, offset: int) -> None:
    """What must hold of columns wherever they are from."""
    count = len(columns)
    assert count == len(columns.timestamps) == len(columns.leader_epochs) == len(columns.timestamp_types)
    assert count == len(list(columns.keys)) == len(list(columns.values))
    assert columns.headers is None or len(list(columns.headers)) == count
    offsets = list(columns.offsets)
    assert offsets == sorted(set(offsets)), offsets
    assert not offsets or (offset <= offsets[0] and offsets[-1] < columns.next_offset)
    assert columns.next_offset >= offset


def _decompress(data: bytes) -> None:
    if not data:
        return
    with refusals():
        decompressed = decompress(data[0] & 0x07, memoryview(data)[1:], COMPRESSION.limit_bytes)
        assert len(decompressed) <= COMPRESSION.limit_bytes or not data[0] & 0x07


def _compressed() -> list[bytes]:
    texts = [b"", b"a", bytes(5_000), b"orders and audits " * 100, bytes(range(256)) * 8]
    return [bytes([codec]) + compress(codec, text) for codec in Compression for text in texts]


def _produced(data: bytes) -> None:
    batches, _, _ = batches_and_offset(data)
    with refusals():
        for batch in read_batches(batches):
            if batch.header.is_control:
                read_end_marker(batch.header, batch.data)
    with refusals():
        read_header(batches, 0)


RECORDS = Decoder(
    "records", "record batches to columns, in Python", _decode, record_seeds, limit_bytes=LIMITS.max_decompressed_bytes
)
COMPRESSION = Decoder(
    "compression",
    "the four codecs",
    _decompress,
    _compressed,
    most_bytes=64 * 1024,
    limit_bytes=8 * 1024,
    turns_per_byte=1.6,
)
PRODUCED = Decoder("produced", "batches as a broker checks them, and markers of transactions", _produced, record_seeds)

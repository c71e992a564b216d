"""Batches that are legal but odd: what no well-known producer writes, byte by byte."""

from __future__ import annotations

import gzip
import time
from collections.abc import Mapping

import cramjam

from kafka_nextgen.wire.records import Compression, NewRecord, encode_batch
from kafka_nextgen.wire.records.batch_header import HEADER, LENGTH_END, MAGIC
from kafka_nextgen.wire.records.compression import XERIAL_HEADER, compress
from kafka_nextgen.wire.records.encode import seal, write_varint

NOW_MS = int(time.time() * 1000)
NO_HEADERS = b"\0"


def varint(number: int, padding: int = 0) -> bytes:
    """A number as a zigzag varint, with so many bytes more than it needs."""
    out = bytearray()
    write_varint(out, number)
    if padding:
        out[-1] |= 0x80
        out += b"\x80" * (padding - 1) + b"\0"
    return bytes(out)


def blob(content: bytes | None) -> bytes:
    return varint(-1) if content is None else varint(len(content)) + content


def headers(*pairs: tuple[bytes, bytes | None]) -> bytes:
    return varint(len(pairs)) + b"".join(blob(key) + blob(value) for key, value in pairs)


def record(
    offset: int = 0,
    *,
    attributes: int = 0,
    time_delta: int = 0,
    key: bytes = blob(b"key"),
    value: bytes = blob(b"value"),
    headers: bytes = NO_HEADERS,
    padding: int = 0,
    behind: bytes = b"",
) -> bytes:
    body = bytes([attributes]) + varint(time_delta, padding) + varint(offset, padding) + key + value + headers + behind
    return varint(len(body), padding) + body


def batch(
    *records: bytes,
    attributes: int = 0,
    payload: bytes | None = None,
    base_timestamp: int = NOW_MS,
    max_timestamp: int | None = None,
    producer: tuple[int, int, int] = (-1, -1, -1),
    count: int | None = None,
    last_offset_delta: int | None = None,
) -> bytes:
    body = b"".join(records) if payload is None else payload
    number = len(records) if count is None else count
    last = number - 1 if last_offset_delta is None else last_offset_delta
    length = HEADER.size - LENGTH_END + len(body)
    latest = base_timestamp if max_timestamp is None else max_timestamp
    fields = (0, length, -1, MAGIC, 0, attributes, last, base_timestamp, latest, *producer, number)
    return seal(bytearray(HEADER.pack(*fields) + body))


ONE, TWO = record(), record(1, key=blob(b"second"))
HALVES = ONE + TWO


def compressed(codec: Compression, payload: bytes) -> bytes:
    return batch(ONE, TWO, attributes=codec, payload=payload)


def _lz4(data: bytes, **how: object) -> bytes:
    compressor = cramjam.lz4.Compressor(block_linked=False, **how)
    compressor.compress(data)
    return bytes(compressor.finish())


def zstd(data: bytes) -> bytes:
    return bytes(cramjam.zstd.compress(data))


def _xerial(data: bytes) -> bytes:
    return compress(Compression.SNAPPY, data)


SKIPPABLE = b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"any"

ODD_BATCHES: Mapping[str, bytes] = {
    "header key not UTF-8": batch(record(headers=headers((b"caf\xe9", b"1")))),
    "header key cut UTF-8": batch(record(headers=headers((b"\xe2\x82", b"1")))),
    "header key a surrogate": batch(record(headers=headers((b"\xed\xa0\x80", b"1")))),
    "header key with NUL": batch(record(headers=headers((b"a\0b", b"1")))),
    "header key empty": batch(record(headers=headers((b"", b"1")))),
    "header key twice": batch(record(headers=headers((b"a", b"1"), (b"a", b"2")))),
    "header value null": batch(record(headers=headers((b"a", None)))),
    "header value empty": batch(record(headers=headers((b"a", b"")))),
    "header value of length -2": batch(record(headers=varint(1) + blob(b"a") + varint(-2))),
    "ten thousand headers": batch(record(headers=headers(*[(b"%d" % n, b"") for n in range(10_000)]))),
    "header count padded": batch(record(headers=varint(1, 2) + blob(b"a") + blob(b"1"))),
    "header count zero padded": batch(record(headers=varint(0, 2))),
    "header lengths padded": batch(record(headers=varint(1) + varint(1, 1) + b"a" + varint(1, 3) + b"1")),
    "key and value null": batch(record(key=blob(None), value=blob(None))),
    "key and value empty": batch(record(key=blob(b""), value=blob(b""))),
    "key of length -2": batch(record(key=varint(-2))),
    "value of length -2": batch(record(value=varint(-2))),
    "value of a large negative length": batch(record(value=varint(-(2**31)))),
    "numbers padded by one": batch(record(padding=1), record(1, padding=1)),
    "numbers padded to five bytes": batch(record(padding=4), record(1, padding=4)),
    "key length padded": batch(record(key=varint(3, 1) + b"key")),
    "null key padded": batch(record(key=varint(-1, 1))),
    "value length padded": batch(record(value=varint(5, 2) + b"value")),
    "time padded to ten bytes": batch(
        (lambda body: varint(len(body)) + body)(b"\0" + varint(0, 9) + varint(0) + blob(b"key") + blob(b"v") + b"\0")
    ),
    "number of more than 32 bits": batch(record(key=b"\x86\x80\x80\x80\x70" + b"key")),
    "record attributes": batch(record(attributes=0x7F)),
    "record attributes say log append time": batch(record(attributes=0x08)),
    "bytes behind the headers": batch(record(behind=b"xyz")),
    "batch attributes above bit 6": batch(ONE, attributes=0x7F80),
    "batch attribute delete horizon": batch(ONE, attributes=0x40),
    "no timestamp": batch(record(), base_timestamp=-1),
    "timestamp before 1970": batch(record(), base_timestamp=-62_135_596_800_001),
    "timestamp the least": batch(record(), base_timestamp=-(2**63)),
    "timestamp the largest": batch(record(), base_timestamp=2**63 - 1),
    "timestamp beyond 64 bits": batch(record(time_delta=2**63 - 1), base_timestamp=2**62),
    "timestamp below 64 bits": batch(record(time_delta=-(2**63)), base_timestamp=-1),
    "max timestamp -1": batch(ONE, max_timestamp=-1),
    "log append time by the producer": batch(ONE, attributes=0x08),
    "producer id without epoch": batch(ONE, producer=(4_000_000, -1, -1)),
    "producer id without sequence": batch(ONE, producer=(4_000_000, 0, -1)),
    "sequence without producer id": batch(ONE, producer=(-1, -1, 7)),
    "offset deltas all zero": batch(ONE, record(0), record(0)),
    "offset deltas falling": batch(record(1), record(0)),
    "offset delta beyond the span": batch(record(0), record(5)),
    "offset delta before the span": batch(record(-1), record(1)),
    "offset deltas with a gap": batch(record(0), record(2), last_offset_delta=2),
    "no records": batch(count=0, last_offset_delta=0),
    "control batch": batch(ONE, attributes=0x20),
    "gzip of two members": compressed(Compression.GZIP, gzip.compress(ONE) + gzip.compress(TWO)),
    "gzip padded with zeros": compressed(Compression.GZIP, gzip.compress(HALVES) + b"\0" * 8),
    "gzip with garbage behind": compressed(Compression.GZIP, gzip.compress(HALVES) + b"garbage"),
    "gzip with a name": compressed(
        Compression.GZIP, b"\x1f\x8b\x08\x08" + b"\0" * 6 + b"name\0" + gzip.compress(HALVES)[10:]
    ),
    "snappy bare": compressed(Compression.SNAPPY, bytes(cramjam.snappy.compress_raw(HALVES))),
    "snappy xerial": compressed(Compression.SNAPPY, _xerial(HALVES)),
    "snappy xerial of two blocks": compressed(Compression.SNAPPY, _xerial(ONE) + _xerial(TWO)[len(XERIAL_HEADER) :]),
    "snappy xerial twice": compressed(Compression.SNAPPY, _xerial(ONE) + _xerial(TWO)),
    "snappy xerial of version 2": compressed(
        Compression.SNAPPY, XERIAL_HEADER[:8] + b"\0\0\0\2\0\0\0\1" + _xerial(HALVES)[16:]
    ),
    "lz4 plain": compressed(Compression.LZ4, _lz4(HALVES)),
    "lz4 with a content checksum": compressed(Compression.LZ4, _lz4(HALVES, content_checksum=True)),
    "lz4 of two frames": compressed(Compression.LZ4, _lz4(ONE) + _lz4(TWO)),
    "lz4 with garbage behind": compressed(Compression.LZ4, _lz4(HALVES) + b"garbage"),
    "lz4 with a skippable frame": compressed(Compression.LZ4, SKIPPABLE + _lz4(HALVES)),
    "zstd without a size": compressed(Compression.ZSTD, zstd(HALVES)),
    "zstd of two frames": compressed(Compression.ZSTD, zstd(ONE) + zstd(TWO)),
    "zstd with skippable frames": compressed(Compression.ZSTD, SKIPPABLE + zstd(HALVES) + SKIPPABLE),
    "zstd with garbage behind": compressed(Compression.ZSTD, zstd(HALVES) + b"garbage"),
    "codec 5": batch(ONE, attributes=5),
    "codec 7": batch(ONE, attributes=7),
    "compressed odd varints": compressed(Compression.ZSTD, zstd(record(padding=1) + record(1, padding=2))),
    "compressed header key not UTF-8": compressed(
        Compression.ZSTD, zstd(record(headers=headers((b"\xff", b"1"))) + record(1, headers=headers((b"\xfe", None))))
    ),
    "compressed lengths of -2": compressed(
        Compression.ZSTD,
        zstd(record(key=varint(-2), value=varint(-3)) + record(1, headers=varint(1) + blob(b"a") + varint(-2))),
    ),
    "plain": encode_batch([NewRecord(b"value", b"key", NOW_MS)]),
}

#: By Kafka 4.4 and the embedded broker.
REFUSED = {
    *("bytes behind the headers", "timestamp the least", "timestamp the largest", "timestamp below 64 bits"),
    *("producer id without epoch", "producer id without sequence", "offset deltas with a gap", "no records"),
    *("control batch", "lz4 of two frames", "lz4 with a skippable frame", "zstd with garbage behind"),
    *("codec 5", "codec 7"),
}

#: Where the offsets that records state contradict the batch: librdkafka repeats records, Kafka's consumer loses some.
CONTRADICTORY = {
    *("offset deltas all zero", "offset deltas falling"),
    *("offset delta beyond the span", "offset delta before the span"),
}

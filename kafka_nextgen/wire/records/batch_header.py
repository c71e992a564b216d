"""The header of a batch: the 61 bytes before its records.

    base offset, length, leader epoch, magic, CRC | attributes, last offset delta, base and max timestamp,
    producer id, epoch and base sequence, record count, records...

The CRC-32C covers everything to the right of the bar, so a broker may write the base offset and the leader epoch
without computing it again (KIP-98, "Message Format"). The length is counted from the leader epoch. The attributes are
the codec (bits 0-2), the timestamp type (3), transactional (4), control (5) and delete horizon (6, KIP-534: the base
timestamp is then the horizon, but the records' deltas are still counted from it).

A batch may have fewer records than its offsets span, even none, because compaction removes records and keeps the span.
It never has more.

``find_end`` determines from headers alone where a partition's records end, before they are decoded. That is a guess for
the next fetch: decoding detects corruption.
"""

from __future__ import annotations

import struct

from kafka_nextgen.errors import CorruptRecordError, OldFormatError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TimestampType

__all__ = [
    "CODEC_AT",
    "CODEC_MASK",
    "CONTROL",
    "CRC_START",
    "HEADER",
    "LENGTH_END",
    "LOG_APPEND_TIME",
    "MAGIC",
    "MAGIC_AT",
    "TRANSACTIONAL",
    "BatchHeader",
    "Extent",
    "check_header",
    "find_end",
    "has_codec",
    "read_header",
    "verify_crc",
]

HEADER = struct.Struct(">qiibIhiqqqhii")
MAGIC = 2
LENGTH_END = 12  # where the bytes counted by the length begin
MAGIC_AT = 16
CRC_START = 21  # where the bytes covered by the CRC begin

CODEC_AT = 22  # the lower byte of the attributes
CODEC_MASK = 0x07
LOG_APPEND_TIME = 0x08
TRANSACTIONAL = 0x10
CONTROL = 0x20

MAX_INT64 = 2**63 - 1


@frozen
class BatchHeader:
    """A batch's header, with its fields in stored order; times are in milliseconds since the epoch."""

    base_offset: int
    length: int
    leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    @property
    def size(self) -> int:
        """The bytes of the whole batch, header included."""
        return LENGTH_END + self.length

    @property
    def next_offset(self) -> int:
        """The offset after the last one that the batch spans, whether or not that still has a record."""
        return self.base_offset + self.last_offset_delta + 1

    @property
    def codec(self) -> int:
        """The number of the codec that compressed the records."""
        return self.attributes & CODEC_MASK

    @property
    def timestamp_type(self) -> TimestampType:
        """Whether the producer or the broker set the records' timestamps."""
        if self.attributes & LOG_APPEND_TIME:
            return TimestampType.LOG_APPEND_TIME
        return TimestampType.CREATE_TIME

    @property
    def is_transactional(self) -> bool:
        """Whether the records belong to a transaction."""
        return bool(self.attributes & TRANSACTIONAL)

    @property
    def is_control(self) -> bool:
        """Whether the records are a coordinator's markers, which applications do not see."""
        return bool(self.attributes & CONTROL)


def read_header(data: bytes | memoryview, start: int) -> BatchHeader | None:
    """Read the header of the batch at ``start``; None if the batch ends beyond ``data``.

    Magic and length are checked first, because they determine the meaning of the other bytes. Raises ``OldFormatError``
    for formats 0 and 1, ``CorruptRecordError`` for any other format except 2, and for an invalid length.
    """
    left = len(data) - start
    if left > MAGIC_AT and data[start + MAGIC_AT] != MAGIC:
        raise _not_ours(data[start + MAGIC_AT])
    if left < LENGTH_END:
        return None
    length = int.from_bytes(data[start + 8 : start + LENGTH_END], "big", signed=True)
    if length < HEADER.size - LENGTH_END:
        raise CorruptRecordError(f"a length of {length} is too small for a batch's header")
    if left < LENGTH_END + length:
        return None
    return BatchHeader(*HEADER.unpack_from(data, start))


def _not_ours(magic: int) -> CorruptRecordError:
    if magic < MAGIC:
        return OldFormatError(
            f"message format {magic} is not supported; only format 2 (Kafka 0.11 or later) can be read"
        )
    return CorruptRecordError(f"message format {magic} is unknown; only format 2 can be read")


def check_header(header: BatchHeader) -> None:
    """Refuse a header with contradictory numbers; raises ``CorruptRecordError``."""
    if header.base_offset < 0:
        raise CorruptRecordError(f"the base offset is {header.base_offset}")
    if header.last_offset_delta < 0 or header.next_offset > MAX_INT64:
        raise CorruptRecordError(f"the last offset delta is {header.last_offset_delta}")
    if not 0 <= header.record_count <= header.last_offset_delta + 1:
        raise CorruptRecordError(
            f"{header.record_count} records are declared for {header.last_offset_delta + 1} offsets"
        )


def verify_crc(header: BatchHeader, batch: memoryview) -> None:
    """Compare the CRC-32C of a complete batch with the header's; raises ``CorruptRecordError`` if they differ."""
    from crc32c import crc32c  # slow: it imports importlib.metadata and argparse, and the C decoder does not need it

    actual = crc32c(batch[CRC_START:])
    if actual != header.crc:
        raise CorruptRecordError(f"its CRC-32C is {actual:08x}, but should be {header.crc:08x}")


_LEAST_LENGTH = HEADER.size - LENGTH_END


@frozen
class Extent:
    """The offset at which the complete batches end, the leader epoch of the last one, and their sizes."""

    offset: int
    leader_epoch: int
    base_offset: int
    nbytes: int
    last_batch_bytes: int

    @property
    def bytes_per_offset(self) -> float:
        """The average size per offset, including offsets without a record."""
        return self.nbytes / max(self.offset - self.base_offset, 1)


def find_end(data: memoryview, fetch_offset: int) -> Extent | None:
    """The end of the last complete batch; None if it is not beyond ``fetch_offset``, or can't be determined."""
    start, last, size = 0, -1, len(data)
    while size - start >= HEADER.size:
        length = int.from_bytes(data[start + 8 : start + LENGTH_END], "big", signed=True)
        if length < _LEAST_LENGTH:
            return None
        if length > size - start - LENGTH_END:
            break
        last = start
        start += LENGTH_END + length
    return _end_of(data, last, start, fetch_offset) if last >= 0 else None


def _end_of(data: memoryview, last: int, stop: int, fetch_offset: int) -> Extent | None:
    try:
        header = read_header(data, last)
    except CorruptRecordError:
        return None
    if header is None or header.next_offset <= fetch_offset:
        return None
    base_offset = int.from_bytes(data[:8], "big", signed=True)
    return Extent(header.next_offset, header.leader_epoch, base_offset, stop, stop - last)


def has_codec(data: bytes | memoryview) -> bool:
    """Whether the first batch, if any, is compressed."""
    return len(data) > CODEC_AT and data[CODEC_AT] & CODEC_MASK != 0

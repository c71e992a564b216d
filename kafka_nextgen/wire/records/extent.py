"""Where the records in a partition's bytes end, from the batches' lengths and the last one's header alone; and whether
they are compressed.

Quick enough to be asked before the records are decoded, and no more than a guess for whoever goes on fetching behind
them: what is corrupt is found by decoding.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.wire.records.batch_header import CODEC_AT, CODEC_MASK, HEADER, LENGTH_END, read_header

__all__ = ["Extent", "find_end", "has_codec"]

_LEAST_LENGTH = HEADER.size - LENGTH_END


@frozen
class Extent:
    """The offset where whole batches end, the leader epoch of the last one, and their bytes."""

    offset: int
    leader_epoch: int
    base_offset: int
    nbytes: int
    last_batch_bytes: int

    @property
    def bytes_per_offset(self) -> float:
        """What each offset took, also one that has no record."""
        return self.nbytes / max(self.offset - self.base_offset, 1)


def find_end(data: memoryview, fetch_offset: int) -> Extent | None:
    """Where the last whole batch ends; None if that does not lead beyond ``fetch_offset``, or can't be told."""
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
    """Whether the first batch is compressed, if there is any."""
    return len(data) > CODEC_AT and data[CODEC_AT] & CODEC_MASK != 0

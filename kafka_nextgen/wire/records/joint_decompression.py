"""Decompresses several batches of a partition with one call of the library.

Each call releases the GIL and has to reacquire it. If the application's thread is busy, the two threads wait for each
other at every batch, which takes longer than the decompression. The libraries read consecutive frames as one (for lz4,
from cramjam 2.14 on). The batches are therefore concatenated, with a separator frame between them: in the output, its
content marks the end of a batch. If records contain the same bytes, there are too many marks, and the batches are
decompressed one by one.

Only batches that are exactly one frame, according to its headers, are read that way: a frame that claims to continue
after its end would include the following data. Other batches are decompressed one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import cramjam

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.wire.records.compression import READS_LZ4_FRAMES_IN_A_ROW, Compression, compress, trimmed
from kafka_nextgen.wire.records.stated_size import CompressedFrame, lz4_frame, zstd_frame

__all__ = ["decompress_jointly"]

_Batch = tuple[memoryview, int]  # compressed data, and the maximum decompressed size

#: The first byte is rare in text and in numbers, so the mark is found quickly. The byte occurs in it only once, so two
#: marks never overlap.
_MARK = b"\xffbetween batches"

#: The maximum decompressed size of one call. It fits into a processor's cache, because the output is read again.
_TOGETHER_BYTES = 2 * 1024 * 1024


@frozen
class _Codec:
    """How frames of a codec are measured and decompressed, and the separator frame."""

    frame: Callable[[memoryview], CompressedFrame | None]
    into: Callable[[bytes, memoryview], int]
    separator: bytes


_CODECS = {Compression.ZSTD: _Codec(zstd_frame, cramjam.zstd.decompress_into, compress(Compression.ZSTD, _MARK))}
if READS_LZ4_FRAMES_IN_A_ROW:
    _CODECS[Compression.LZ4] = _Codec(lz4_frame, cramjam.lz4.decompress_into, compress(Compression.LZ4, _MARK))


def decompress_jointly(
    data: memoryview, compressed: Sequence[tuple[int, int, int]], limit_bytes: int
) -> tuple[memoryview, ...] | None:
    """Decompress these batches of ``data`` (codec, start, stop), to at most ``limit_bytes`` in total.

    Return None if they have to be decompressed one by one: there are too few, they have several codecs or one that does
    not support this, they may exceed the limit, or they are invalid.
    """
    if len(compressed) < 2:  # small responses, or nothing is compressed
        return None
    codecs = {codec for codec, _, _ in compressed}
    if len(codecs) > 1:
        return None
    codec = _CODECS.get(codecs.pop())  # type: ignore[call-overload]
    if codec is None:
        return None
    batches = _measured([data[start:stop] for _, start, stop in compressed], codec)
    if batches is None:
        return None
    payloads: list[memoryview] = []
    for some in _in_parts(batches):
        found = _decompress(some, codec, limit_bytes)
        if found is None:
            return None
        limit_bytes -= sum(map(len, found))
        payloads += found
    return tuple(payloads)


def _measured(frames: Sequence[memoryview], codec: _Codec) -> list[_Batch] | None:
    """The frames, each with its maximum decompressed size; None if one is not exactly one frame."""
    batches: list[_Batch] = []
    for data in frames:
        frame = codec.frame(data)
        if frame is None or frame.end != len(data):
            return None
        batches.append((data, frame.most_bytes))
    return batches


def _in_parts(batches: Sequence[_Batch]) -> Iterator[list[_Batch]]:
    """Split the batches into parts, each of at least one batch, for one call each."""
    part: list[_Batch] = []
    left_bytes = _TOGETHER_BYTES
    for batch in batches:
        left_bytes -= batch[1]
        if part and left_bytes < 0:
            yield part
            part, left_bytes = [], _TOGETHER_BYTES - batch[1]
        part.append(batch)
    yield part


def _decompress(batches: Sequence[_Batch], codec: _Codec, limit_bytes: int) -> list[memoryview] | None:
    most_bytes = sum([most for _, most in batches])
    if most_bytes > limit_bytes:
        return None
    room = accelerator.new_buffer(most_bytes + len(batches) * len(_MARK))
    try:
        used = codec.into(codec.separator.join([frame for frame, _ in batches]), room)
    except cramjam.DecompressionError:
        return None
    found = trimmed(room, used)
    ends = [*accelerator.find_all(found, _MARK, len(batches)), used]
    if len(ends) != len(batches):
        return None
    starts = [0, *[end + len(_MARK) for end in ends[:-1]]]
    return [found[start:end] for start, end in zip(starts, ends, strict=True)]

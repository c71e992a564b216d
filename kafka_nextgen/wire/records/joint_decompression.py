"""Batches of a partition decompressed together, some by each call of the library.

Each call lets go of the GIL and has to get it back. Where the application's thread is busy, the two wait for each other
at every batch, and that takes longer than decompressing it. The libraries read frames that follow each other as if they
were one (those of lz4 from cramjam 2.14 on). So the batches are put one behind the other, with a frame of our own in
between: wherever its content is found in what came out, a batch ends. Should records have the same in them, it is found
once too often.

Only batches that are one whole frame by its own headers are read that way: one that claims to go on behind its end
would take what follows for its own. Those, and other odd ones, are left to be decompressed one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import cramjam
from attrs import frozen

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.wire.records.compression import READS_LZ4_FRAMES_IN_A_ROW, Compression, compress, trimmed
from kafka_nextgen.wire.records.stated_size import CompressedFrame, lz4_frame, zstd_frame

__all__ = ["decompress_jointly"]

_Batch = tuple[memoryview, int]  # compressed, and what it becomes at most

#: Its first byte is rare in text and in numbers, so that it is quickly found. It has that byte only once: two of these
#: never overlap, wherever they begin and end.
_MARK = b"\xffbetween batches"

#: What the batches of one call may become together: what a processor's cache can hold, for it is looked at again.
_TOGETHER_BYTES = 2 * 1024 * 1024


@frozen
class _Codec:
    """How frames of a codec are measured and decompressed, and the frame that is put in between."""

    frame: Callable[[memoryview], CompressedFrame | None]
    into: Callable[[bytes, memoryview], int]
    separator: bytes


_CODECS = {Compression.ZSTD: _Codec(zstd_frame, cramjam.zstd.decompress_into, compress(Compression.ZSTD, _MARK))}
if READS_LZ4_FRAMES_IN_A_ROW:
    _CODECS[Compression.LZ4] = _Codec(lz4_frame, cramjam.lz4.decompress_into, compress(Compression.LZ4, _MARK))


def decompress_jointly(
    data: memoryview, compressed: Sequence[tuple[int, int, int]], limit_bytes: int
) -> tuple[memoryview, ...] | None:
    """Decompress these batches of ``data`` (codec, start, stop), which become at most ``limit_bytes`` together.

    None if they have to be decompressed one by one: they are few, of several codecs or one that can't be joined, may
    take more, or something is wrong with them.
    """
    if len(compressed) < 2:  # in small answers, and where nothing is compressed
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
    """The same with what each becomes at most; None if one is no whole frame."""
    batches: list[_Batch] = []
    for data in frames:
        frame = codec.frame(data)
        if frame is None or frame.end != len(data):
            return None
        batches.append((data, frame.most_bytes))
    return batches


def _in_parts(batches: Sequence[_Batch]) -> Iterator[list[_Batch]]:
    """As many as one call decompresses at a time: at least one."""
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

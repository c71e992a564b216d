"""The stream that frames are cut from, however it arrives in pieces."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from kafka_nextgen.transport.frame_reader import FrameReader
from tests.verification.fuzz import corpus
from tests.verification.fuzz.decoders.decoder import Decoder, refusals

_MOST, _BUFFER = 2_000, 64


def _frames_of(stream: bytes) -> tuple[list[bytes], bool]:
    """What is to come out, and whether the stream breaks the rules then."""
    frames, pos = [], 0
    while len(stream) - pos >= 4:
        (length,) = struct.unpack_from(">i", stream, pos)
        if not 0 <= length <= _MOST:
            return frames, True
        if pos + 4 + length > len(stream):
            break
        frames.append(stream[pos + 4 : pos + 4 + length])
        pos += 4 + length
    return frames, False


def _read(data: bytes) -> None:
    """The first byte is the length of the pieces, which grow by one from each to the next."""
    if not data:
        return
    stream = data[1:]
    frames, is_broken = _frames_of(stream)
    cut: list[bytes] = []
    refused = True
    with refusals():
        cut.extend(_cut(stream, data[0] + 1))
        refused = False
    assert refused == is_broken, f"refused: {refused}, broken: {is_broken}"
    if not is_broken:
        assert cut == frames


def _cut(stream: bytes, piece: int) -> Iterator[bytes]:
    reader = FrameReader(_MOST, _BUFFER)
    pos = 0
    while pos < len(stream):
        buffer = reader.buffer()
        assert len(buffer) > 0
        part = stream[pos : pos + min(piece, len(buffer))]
        buffer[: len(part)] = part
        for frame in reader.received(len(part)):
            yield bytes(frame)
        pos += len(part)
        piece += 1


def _seeds() -> list[bytes]:
    frames = [frame.data for frame in corpus.frames(corpus.REQUEST) if len(frame.data) < _MOST][::20]
    whole = b"".join(struct.pack(">i", len(frame)) + frame for frame in frames)
    return [bytes([piece]) + whole[:limit] for piece in (0, 3, 60, 255) for limit in (50, 700, 8_000)]


STREAM = Decoder("stream", "frames cut from a stream that arrives in pieces", _read, _seeds)

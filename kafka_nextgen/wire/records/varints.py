"""Zigzag varints, as records hold them: seven bits a byte, lowest first, the sign in the lowest bit of all.

They are read as Kafka's own reader does, by which brokers judge what they store: a number may be padded with empty
bytes, and bits beyond its 32 (a varint, 5 bytes at most) or 64 (a varlong, 10 bytes) are dropped. We write the shortest
form. Reading past the end is an ``IndexError``, which the reader of a batch translates.
"""

from __future__ import annotations

from kafka_nextgen.errors import CorruptRecordError

__all__ = ["read_varint", "read_varlong", "write_varint"]


def read_varint(data: bytes, pos: int) -> tuple[int, int]:
    """Read a varint of at most 32 bits; answers with the number and the position after it."""
    return _read(data, pos, 32)


def read_varlong(data: bytes, pos: int) -> tuple[int, int]:
    """Read a varint of at most 64 bits; answers with the number and the position after it."""
    return _read(data, pos, 64)


def _read(data: bytes, pos: int, bits: int) -> tuple[int, int]:
    raw = shift = 0
    while True:
        byte = data[pos]
        pos += 1
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift >= bits:
            raise CorruptRecordError(f"a varint of {bits} bits does not end")
    raw &= (1 << bits) - 1
    return (raw >> 1) ^ -(raw & 1), pos


def write_varint(out: bytearray, number: int) -> None:
    """Append a number of up to 64 bits; what fits into 32 is a varint too, the encodings agree."""
    raw = (number << 1) ^ (number >> 63)
    while raw > 0x7F:
        out.append(0x80 | raw & 0x7F)
        raw >>= 7
    out.append(raw)

"""Zigzag varints, as records hold them: seven bits a byte, lowest first, the sign in the lowest bit of all.

A number has one encoding only. Kafka's own reader lets a number be padded with empty bytes; we don't, since no
producer writes such and accepting them would give one record many faces. A varint has at most 32 bits (5 bytes),
a varlong 64 (10 bytes). Reading past the end is an ``IndexError``, which whoever reads a batch translates.
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
    if raw >> bits:
        raise CorruptRecordError(f"a varint exceeds {bits} bits")
    if byte == 0 and shift:
        raise CorruptRecordError("a varint is longer than its number needs")
    return (raw >> 1) ^ -(raw & 1), pos


def write_varint(out: bytearray, number: int) -> None:
    """Append a number of up to 64 bits; what fits into 32 is a varint too, the encodings agree."""
    raw = (number << 1) ^ (number >> 63)
    while raw > 0x7F:
        out.append(0x80 | raw & 0x7F)
        raw >>= 7
    out.append(raw)

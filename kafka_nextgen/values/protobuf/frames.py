"""Confluent's frame of Protobuf values: 0, an id in four bytes, and zigzag varints: the number of indexes, then these.

The indexes locate the message in its file and in the enclosing messages; an empty list means index 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.values.ids import FRAME_BYTES
from kafka_nextgen.values.protobuf.program import Fault

__all__ = ["BadError", "behind_frame"]

_MOST_BYTES = 5


class BadError(Exception):
    """A value is bad."""

    def __init__(self, fault: Fault, detail: int = 0) -> None:
        super().__init__(fault, detail)
        self.fault = fault
        self.detail = detail


def behind_frame(value: bytes, path: Sequence[int]) -> int:
    """Return where the message begins after a frame with these indexes; 0 if there are none. Raises BadError."""
    if not path:
        return 0
    if len(value) < FRAME_BYTES or value[0]:
        raise BadError(Fault.NO_FRAME)
    count, at = _number(value, FRAME_BYTES)
    if not 0 <= count <= len(value) - at:
        raise BadError(Fault.NO_FRAME)
    indexes = [0] if count == 0 else []
    for _ in range(count):
        index, at = _number(value, at)
        indexes.append(index)
    if indexes != list(path):
        raise BadError(Fault.OTHER_MESSAGE)
    return at


def _number(value: bytes, at: int) -> tuple[int, int]:
    """Return a zigzag varint of 32 bits, and where it ends."""
    raw = 0
    for place, byte in enumerate(value[at : at + _MOST_BYTES]):
        raw |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            raw &= 0xFFFFFFFF
            return raw >> 1 ^ -(raw & 1), at + place + 1
    raise BadError(Fault.NO_FRAME)

"""Reading a message field by field where it lies, without a copy, for the messages that a schema's decoder is too
slow for.

A cursor stands in the bytes of one structure and goes forward. What it demands is what ``reading`` demands of other
messages: every field lies within the bytes, every count fits in the bytes left at the fewest bytes an element takes,
strings are UTF-8. A violation is a ``DecodeError`` that names the field.
"""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache
from struct import Struct
from typing import Any

from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.primitives import (
    OBJECT_WEIGHT,
    Weighing,
    compact_length,
    find_tags,
    int16_length,
    int32_length,
    need,
    not_utf8,
    refuse,
    too_many,
)

__all__ = ["Cursor", "topic_id_of"]

_UUID_BYTES = 16
_SMALL = 0x80  # a varint below this is one byte


@lru_cache(maxsize=1024)
def topic_id_of(data: bytes) -> TopicId:
    """A topic's id of its 16 bytes; the same few come again and again."""
    return TopicId(bytes=data)


class Cursor:
    """Where reading goes on in ``data``, up to ``end``. ``flexible`` says how lengths are written (KIP-482)."""

    __slots__ = ("_data", "_end", "_flexible", "_pos", "_read_long", "_read_text", "_weigh")

    def __init__(self, data: memoryview, pos: int, end: int, flexible: bool, weigh: Weighing) -> None:
        self._data = data
        self._pos = pos
        self._end = end
        self._flexible = flexible
        self._weigh = weigh
        self._read_long = compact_length if flexible else int32_length
        self._read_text = compact_length if flexible else int16_length

    def fixed(self, layout: Struct, where: str) -> tuple[Any, ...]:
        """Fields of fixed size that follow each other."""
        pos, after = self._pos, self._pos + layout.size
        if after > self._end:
            need(layout.size, pos, self._end, where)
        self._pos = after
        return layout.unpack_from(self._data, pos)

    def topic_id(self, where: str) -> TopicId:
        """An id of 16 bytes."""
        pos, self._pos = self._pos, need(_UUID_BYTES, self._pos, self._end, where)
        return topic_id_of(bytes(self._data[pos : self._pos]))

    def text(self, where: str) -> str | None:
        """A string, or None for null."""
        size, pos = self._read_text(self._data, self._pos, self._end, where)
        self._pos = pos if size < 0 else need(size, pos, self._end, where)
        try:
            return None if size < 0 else str(self._data[pos : self._pos], "utf-8")
        except UnicodeDecodeError as error:
            not_utf8(error, where)

    def blob(self, where: str) -> memoryview | None:
        """Bytes, as a view of the frame, or None for null."""
        size, pos = self._read_long(self._data, self._pos, self._end, where)
        if size < 0:
            self._pos = pos
            return None
        self._pos = need(size, pos, self._end, where)
        return self._data[pos : self._pos]

    def count(self, least: int, where: str) -> int | None:
        """How many elements of an array follow, each of ``least`` bytes or more; None for null."""
        count, pos = self._read_long(self._data, self._pos, self._end, where)
        self._pos = pos
        if count <= 0:
            return None if count < 0 else 0
        if count * least > self._end - pos:
            too_many(count, least, self._end - pos, where)
        self._weigh(count, OBJECT_WEIGHT, where)
        return count

    def tags(self, known: Container[int], where: str) -> dict[int, Cursor]:
        """The tags that end a structure, those ``known`` as cursors over their fields; none before KIP-482."""
        if not self._flexible:
            return {}
        if self._pos < self._end and self._data[self._pos] == 0:
            self._pos += 1
            return {}
        found, self._pos = find_tags(self._data, self._pos, self._end, known, where)
        return {tag: Cursor(self._data, first, last, True, self._weigh) for tag, (first, last) in found.items()}

    def finish(self, where: str) -> None:
        """Refuse what is left over."""
        if self._pos != self._end:
            refuse(where, f"{self._end - self._pos} bytes follow")

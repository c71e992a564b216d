"""Plain Fetch answers (``plain_fetch``) to columns at once, by the compiled decoder.

Where records come one by one, an answer has a few bytes of them, and what it takes to get there is all there is to
reading: fields, views, calls, and an object for each step. Here one call makes of a body what ``read_fetch_response``
and ``decode_partition`` come to together; of whatever they have to say more about, it says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from attrs import frozen

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import BinaryColumn, Columns, HeaderColumn

__all__ = ["COLUMN_TYPES", "DecodedFetchAnswer", "Places", "decode_plain"]

T = TypeVar("T")

#: The partitions that may be answered, by the bytes of their topic's id and by their number.
Places = Mapping[bytes, Mapping[int, TopicPartition]]

#: What columns are made of.
COLUMN_TYPES = Columns, BinaryColumn, HeaderColumn


class _Position(Protocol):
    @property
    def offset(self) -> int: ...


@frozen
class DecodedFetchAnswer(Generic[T]):
    """An answer without an error, whose records are decoded."""

    throttle_time_ms: int
    session_id: int
    partitions: Sequence[T]


def decode_plain(
    body: memoryview,
    places: Places,
    wanted: Mapping[TopicPartition, _Position],
    most_bytes: int,
    check_crc: bool,
    made: type[T],
) -> DecodedFetchAnswer[T] | None:
    """Decode an answer of version 13 or later, without its header; None if it is to be read field by field.

    ``wanted`` says from which offset on each partition was asked for. It is also None where columns take more than
    ``most_bytes``. ``made`` is what is made of a partition: a named tuple with the fields of ``DecodedPartition``.
    """
    if not ACCELERATED:
        return None
    found = accelerator.decode_plain(body, places, wanted, most_bytes, check_crc, made, COLUMN_TYPES)
    return None if found is None else DecodedFetchAnswer(*found)

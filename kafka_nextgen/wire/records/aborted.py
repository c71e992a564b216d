"""Which batches of an answer are of aborted transactions, for whoever reads committed records only (KIP-98).

A leader answers such a reader with all there is before the last stable offset, and lists what was aborted among it: of
each transaction the producer's id, and the first offset it wrote.

- From that offset on every transactional batch of that producer is of that transaction, as far as its ABORT marker.
  What the producer writes behind the marker is of another one, which is in the list if it was aborted too.
- An entry counts from the first batch on that reaches its offset: compaction may have taken what lay there.
- What a producer wrote outside of transactions is kept. Markers give no records to anybody, and are not named.
- Where a marker can't be read nobody knows what is aborted behind it: the data ends in front of it, as if it had been
  cut off there, so that the next request meets it first. Met first, it is raised.

It takes nothing but the headers, and the record of each marker. A batch whose header is wrong ends the search: whoever
decodes the data meets it there, too, and says what is wrong with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from attrs import frozen

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records.batch_header import BatchHeader, read_header
from kafka_nextgen.wire.records.markers import read_end_marker

__all__ = ["Committed", "leave_out_aborted"]


@frozen
class Committed:
    """``data`` as far as it can be told what is aborted, and the base offsets of the batches that are, rising."""

    data: memoryview
    skipped: tuple[int, ...] = ()


def leave_out_aborted(
    data: bytes | bytearray | memoryview,
    aborted: Iterable[tuple[int, int]],
    partition: TopicPartition,
    fetch_offset: int,
) -> Committed:
    """Find the batches to leave out of what was answered for ``partition`` at ``fetch_offset``.

    ``aborted`` has pairs of a producer's id and the first offset of its transaction. Raises ``CorruptRecordError`` if
    what is to be read first is a marker that can't be read. (KIP-98, "Aborted Transactions List"; Kafka 0.11)
    """
    view = memoryview(data)
    transactions = _Transactions(aborted)
    skipped: list[int] = []
    start, reached = 0, fetch_offset
    while (header := _header(view, start)) is not None:
        batch = view[start : start + header.size]
        try:
            if transactions.covers(header, batch):
                skipped.append(header.base_offset)
        except CorruptRecordError as error:
            if reached == fetch_offset:
                raise _located(error, partition, header.base_offset) from error
            return Committed(view[:start], tuple(skipped))
        start += header.size
        reached = max(fetch_offset, header.next_offset)
    return Committed(view, tuple(skipped))


class _Transactions:
    """The aborted transactions that are yet to begin, and the producers in the middle of one."""

    def __init__(self, aborted: Iterable[tuple[int, int]]) -> None:
        self._ahead = deque(sorted((first_offset, producer_id) for producer_id, first_offset in aborted))
        self._producers: set[int] = set()

    def covers(self, header: BatchHeader, batch: memoryview) -> bool:
        """Whether this batch, the next one in the log, has records of an aborted transaction."""
        while self._ahead and self._ahead[0][0] < header.next_offset:
            self._producers.add(self._ahead.popleft()[1])
        if header.producer_id not in self._producers:
            return False
        if header.is_control:
            self._end(header, batch)
            return False
        return header.is_transactional

    def _end(self, header: BatchHeader, batch: memoryview) -> None:
        marker = read_end_marker(header, batch)
        if marker is not None and not marker.is_commit:
            self._producers.remove(header.producer_id)


def _header(view: memoryview, start: int) -> BatchHeader | None:
    try:
        return read_header(view, start)
    except CorruptRecordError:
        return None


def _located(error: CorruptRecordError, partition: TopicPartition, offset: int) -> CorruptRecordError:
    return CorruptRecordError(
        f"{partition} can't be read at offset {offset}: the marker there ends a transaction and can't be read, {error}."
        f" Nothing was skipped; seek past it to go on, or fetch again in case it broke on the way.",
        partition,
        offset,
    )

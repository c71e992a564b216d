"""Partitions that are read up to an end: how far they are fetched, and how many bytes to ask for.

- The fetch position counts, not the last record. Behind the last record of a range there may be a transaction's
  marker, records of an aborted transaction, or offsets that compaction emptied.
- A batch may lead beyond the end. Its records from the end on are dropped, and the position stops at the end.
- A partition that was fetched up to its end is not asked for any more. It is finished when all of that is handed over.
- A node is asked for what is left, so that little is fetched in vain: the bytes that each offset took in the last
  answer, times the offsets that are left, plus one batch, since the batch with the end should come whole. The first
  request is for one batch, to learn the size: a second request costs less than a megabyte that is not read.
- ``fetch.min.bytes`` does not apply (``Fetch.has_ends``): a node that is asked for less than that would hold back its
  answer for as long as it may. Where nothing is in the log yet, a node waits as usual.
- A range says which records are meant. So a position that the log does not have, or a log that was truncated, is an
  error under any ``auto.offset.reset``. So is a missing topic, or another one under the same name.
"""

from __future__ import annotations

from math import ceil

from attrs import define

from kafka_nextgen.fetching.needs import Arrival

__all__ = ["Bound"]

#: What to ask for before anything came: Kafka's default for a batch.
_FIRST_BYTES = 16 * 1024


@define
class Bound:
    """Where a partition is to end, and what is known of the bytes in front of that."""

    end: int
    _bytes_per_offset: float = 0.0  # of the answer that came last; 0 if none has
    _batch_bytes: int = 0  # of the largest batch that ended an answer
    _least_bytes: int = 1  # less than that brought nothing

    def note(self, arrival: Arrival) -> None:
        """Learn from records that came."""
        self._bytes_per_offset = arrival.bytes_per_offset
        self._batch_bytes = max(self._batch_bytes, arrival.last_batch_bytes)

    def most_bytes(self, offset: int, max_bytes: int) -> int:
        """How many bytes to ask for at ``offset``, at most ``max_bytes``."""
        wanted = _FIRST_BYTES
        if self._bytes_per_offset:
            wanted = ceil(self._bytes_per_offset * (self.end - offset)) + self._batch_bytes
        return min(max(wanted, self._least_bytes), max_bytes)

    def widen(self, offset: int, max_bytes: int) -> bool:
        """Ask for more, as no whole batch came; False if the limit is reached."""
        asked_bytes = self.most_bytes(offset, max_bytes)
        self._least_bytes = max(self._least_bytes, 2 * asked_bytes)
        return asked_bytes < max_bytes

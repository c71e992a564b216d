"""Partitions that are read up to an end: how far they are fetched, and how many bytes to request.

- The fetch position decides whether the end is reached, not the last record. The last record of a range may be followed
  by a transaction marker, records of an aborted transaction, or offsets removed by compaction.
- A batch may extend beyond the end. Its records from the end on are dropped, and the position stops at the end.
- A partition fetched up to its end is no longer requested. It is finished when all its records are handed over.
- To avoid useless transfers, the byte limit covers only the remaining offsets: their number times the bytes per offset
  in the last answer, plus one batch, so that the batch that contains the end arrives complete. The first request is for
  one batch, to learn the size: a second request costs less than the transfer of an unneeded megabyte.
- ``fetch.min.bytes`` does not apply (``Fetch.has_ends``): with a lower byte limit, a node would hold back its answer
  for the maximum wait. If the log has no records at the position yet, the node waits as usual.
- A range specifies exact records. So a position outside the log or a truncated log is an error under any
  ``auto.offset.reset``, like a missing or replaced topic.
"""

from __future__ import annotations

from math import ceil

from kafka_nextgen.fetching.needs import Arrival
from kafka_nextgen.lazy_attrs import define

__all__ = ["Bound"]

#: The byte limit before the first answer: Kafka's default batch size.
_FIRST_BYTES = 16 * 1024


@define
class Bound:
    """A partition's end, and size estimates for the records before it."""

    end: int
    _bytes_per_offset: float = 0.0  # in the last answer; 0 before the first
    _batch_bytes: int = 0  # the largest batch at the end of an answer
    _least_bytes: int = 1  # smaller limits returned no complete batch

    def note(self, arrival: Arrival) -> None:
        """Update the estimates from received records."""
        self._bytes_per_offset = arrival.bytes_per_offset
        self._batch_bytes = max(self._batch_bytes, arrival.last_batch_bytes)

    def most_bytes(self, offset: int, max_bytes: int) -> int:
        """How many bytes to request at ``offset``, at most ``max_bytes``."""
        wanted = _FIRST_BYTES
        if self._bytes_per_offset:
            wanted = ceil(self._bytes_per_offset * (self.end - offset)) + self._batch_bytes
        return min(max(wanted, self._least_bytes), max_bytes)

    def widen(self, offset: int, max_bytes: int) -> bool:
        """Raise the byte limit after an answer without a complete batch; returns False if the maximum is reached."""
        asked_bytes = self.most_bytes(offset, max_bytes)
        self._least_bytes = max(self._least_bytes, 2 * asked_bytes)
        return asked_bytes < max_bytes

"""Producer ids, given out one by one and reserved in blocks, as Kafka's controller hands them to its brokers (KIP-730).

A block is noted in the catalogue before its first id is given out. So no id is given out twice, also by brokers that
follow each other on one data directory; what was left of a block when a broker ended is never used.
"""

from __future__ import annotations

from attrs import define

from kafka_nextgen.broker.storage import Catalogue

__all__ = ["ProducerIds"]

_BLOCK = 1000
_KIND, _KEY = "producer-ids", "next-block"


@define
class ProducerIds:
    """The ids that are left of the block at hand."""

    _catalogue: Catalogue
    _next: int = 0
    _end: int = 0

    def take(self) -> int:
        """An id that was never given; raises ``StorageError`` if a new block can't be noted."""
        if self._next == self._end:
            begin = self._catalogue.entries(_KIND).get(_KEY, 0)
            assert isinstance(begin, int)
            self._catalogue.put(_KIND, _KEY, begin + _BLOCK)
            self._next, self._end = begin, begin + _BLOCK
        self._next += 1
        return self._next - 1

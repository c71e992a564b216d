"""Numbers that are never given out twice, also not by brokers that follow each other: the catalogue keeps the next one.

A client that heard of a leader epoch (KIP-101) does not believe in a lower one: it would not find the leader.
Fail-overs leave no trace in the logs, so with the epoch kept here all partitions begin after a restart, as if they had
been elected new leaders; a client that comes with an older one looks the leader up again (KIP-320).

Producer ids are reserved in blocks, as Kafka's controller hands them to its brokers (KIP-730). A block is noted before
its first id is given out; what was left of it when a broker ended is never used.
"""

from __future__ import annotations

from attrs import define, frozen

from kafka_nextgen.broker.storage import Catalogue

__all__ = ["GivenEpochs", "ProducerIds"]

_EPOCHS, _NEXT_EPOCH = "leader-epochs", "next"

_BLOCK = 1000
_PRODUCER_IDS, _NEXT_BLOCK = "producer-ids", "next-block"


@frozen
class GivenEpochs:
    """The leader epochs that were given out, by a catalogue."""

    _catalogue: Catalogue

    @property
    def next(self) -> int:
        """The lowest epoch that no partition was given, nor a higher one."""
        kept = self._catalogue.entries(_EPOCHS).get(_NEXT_EPOCH, 0)
        assert isinstance(kept, int)
        return kept

    def given(self, epoch: int) -> None:
        """Note that a partition is led at this epoch, before anybody hears of it; raises ``StorageError``."""
        if epoch >= self.next:
            self._catalogue.put(_EPOCHS, _NEXT_EPOCH, epoch + 1)


@define
class ProducerIds:
    """The ids that are left of the block at hand."""

    _catalogue: Catalogue
    _next: int = 0
    _end: int = 0

    def take(self) -> int:
        """An id that was never given; raises ``StorageError`` if a new block can't be noted."""
        if self._next == self._end:
            begin = self._catalogue.entries(_PRODUCER_IDS).get(_NEXT_BLOCK, 0)
            assert isinstance(begin, int)
            self._catalogue.put(_PRODUCER_IDS, _NEXT_BLOCK, begin + _BLOCK)
            self._next, self._end = begin, begin + _BLOCK
        self._next += 1
        return self._next - 1

"""Leader epochs and producer ids, which are never used twice, even after a restart: the catalogue stores the next one.

A client that knows a leader epoch (KIP-101) ignores lower ones, so it would not find a leader with a lower epoch. Logs
do not record fail-overs, so after a restart all partitions begin at the epoch stored here, as if new leaders had been
elected. A client with an older epoch looks the leader up again (KIP-320).

Producer ids are reserved in blocks, as Kafka's controller assigns them to brokers (KIP-730). A block is stored before
its first id is used; the rest of a block is lost when the broker ends.
"""

from __future__ import annotations

from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.testing.broker.storage import Catalogue

__all__ = ["GivenEpochs", "ProducerIds"]

_EPOCHS, _NEXT_EPOCH = "leader-epochs", "next"

_BLOCK = 1000
_PRODUCER_IDS, _NEXT_BLOCK = "producer-ids", "next-block"


@frozen
class GivenEpochs:
    """The leader epochs that were used, stored in a catalogue."""

    _catalogue: Catalogue

    @property
    def next(self) -> int:
        """One more than the highest epoch that any partition has had."""
        kept = self._catalogue.entries(_EPOCHS).get(_NEXT_EPOCH, 0)
        assert isinstance(kept, int)
        return kept

    def given(self, epoch: int) -> None:
        """Store that this epoch is used, before any client gets it. Raises ``StorageError``."""
        if epoch >= self.next:
            self._catalogue.put(_EPOCHS, _NEXT_EPOCH, epoch + 1)


@define
class ProducerIds:
    """The unused ids of the current block."""

    _catalogue: Catalogue
    _next: int = 0
    _end: int = 0

    def take(self) -> int:
        """An unused id. Raises ``StorageError`` if a new block can't be stored."""
        if self._next == self._end:
            begin = self._catalogue.entries(_PRODUCER_IDS).get(_NEXT_BLOCK, 0)
            assert isinstance(begin, int)
            self._catalogue.put(_PRODUCER_IDS, _NEXT_BLOCK, begin + _BLOCK)
            self._next, self._end = begin, begin + _BLOCK
        self._next += 1
        return self._next - 1

"""Leader epochs, which no partition may be given twice (KIP-101), also not by brokers that follow each other.

A client that heard of an epoch does not believe in a lower one: it would not find the leader. Fail-overs leave no trace
in the logs, so the catalogue knows which epoch was not given yet. With it all partitions begin after a restart, as
if they had been elected new leaders; a client that comes with an older one looks the leader up again (KIP-320).
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.broker.storage import Catalogue

__all__ = ["GivenEpochs"]

_KIND, _KEY = "leader-epochs", "next"


@frozen
class GivenEpochs:
    """The leader epochs that were given out, by a catalogue."""

    _catalogue: Catalogue

    @property
    def next(self) -> int:
        """The lowest epoch that no partition was given, nor a higher one."""
        kept = self._catalogue.entries(_KIND).get(_KEY, 0)
        assert isinstance(kept, int)
        return kept

    def given(self, epoch: int) -> None:
        """Note that a partition is led at this epoch, before anybody hears of it; raises ``StorageError``."""
        if epoch >= self.next:
            self._catalogue.put(_KIND, _KEY, epoch + 1)

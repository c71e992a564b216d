"""How much is read ahead of the work, by pausing partitions, so that polling never stops.

``limit`` bounds the records in hand, over all partitions. Each partition may have an equal share of half of it
before it is paused, and goes on when half of that is left; a poll brings at most one share. So one slow partition
holds one share twice at most, and cannot starve the others. When the limit is reached everything is paused;
a partition that is assigned at just that moment may bring one record more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import frozen

from kafka_nextgen.types import TopicPartition

__all__ = ["Throttle"]


@frozen
class Throttle:
    """``limit``: how many records may be in hand."""

    limit: int

    def max_records(self, windows: Mapping[TopicPartition, int]) -> int:
        """How many records the next poll may bring; ``windows`` has every assigned partition."""
        return max(1, min(self._share(windows), self.limit - sum(windows.values())))

    def to_pause(
        self, windows: Mapping[TopicPartition, int], paused: Collection[TopicPartition]
    ) -> frozenset[TopicPartition]:
        """The partitions that should be paused, given those that are."""
        if sum(windows.values()) >= self.limit:
            return frozenset(windows)
        share = self._share(windows)
        return frozenset(
            partition
            for partition, window in windows.items()
            if window > (share // 2 if partition in paused else share - 1)
        )

    def _share(self, windows: Mapping[TopicPartition, int]) -> int:
        return max(1, self.limit // (2 * max(1, len(windows))))

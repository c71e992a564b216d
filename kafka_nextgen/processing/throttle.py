"""How much is read ahead of the work, by pausing partitions, so that polling never stops.

``limit`` bounds the records in hand, over all partitions. Each partition may have an equal share of half of it
before it is paused, and goes on when half of that is left. A poll brings a share at most or, when there are more
partitions than can be worked on at once, what leaves room for as many slow ones as there are hands: so slow
partitions starve the others only where nobody would be free for them. When the limit is reached everything is
paused; a partition that is assigned at just that moment may bring one record more.

With so many partitions that a share would be a record or two, polling would cost more than it brings: a share is
``min_share`` at least, and the limit grows with the partitions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import frozen

from kafka_nextgen.types import TopicPartition

__all__ = ["Throttle"]


@frozen
class Throttle:
    """``limit`` and ``min_share`` are numbers of records, ``concurrency`` of those who work."""

    limit: int
    concurrency: int
    min_share: int = 8

    def max_records(self, windows: Mapping[TopicPartition, int]) -> int:
        """How many records the next poll may bring; ``windows`` has every assigned partition."""
        limit = self._limit(windows)
        most = max(self._share(windows), limit // (2 * self.concurrency))
        return max(1, min(most, limit - sum(windows.values())))

    def to_pause(
        self, windows: Mapping[TopicPartition, int], paused: Collection[TopicPartition]
    ) -> frozenset[TopicPartition]:
        """The partitions that should be paused, given those that are."""
        if sum(windows.values()) >= self._limit(windows):
            return frozenset(windows)
        share = self._share(windows)
        return frozenset(
            partition
            for partition, window in windows.items()
            if window > (share // 2 if partition in paused else share - 1)
        )

    def _limit(self, windows: Mapping[TopicPartition, int]) -> int:
        return max(self.limit, 2 * self.min_share * len(windows))

    def _share(self, windows: Mapping[TopicPartition, int]) -> int:
        return self._limit(windows) // (2 * max(1, len(windows)))

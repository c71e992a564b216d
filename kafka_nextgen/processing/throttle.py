"""Bound the records in hand by pausing partitions, so that polling never stops.

``limit`` bounds the records in hand, over all partitions. A partition is paused when it has an equal share of
half of that, and resumed when half of its share is left. A poll returns at most a share or, if there are more
partitions than workers, what leaves room for as many slow partitions as there are workers: so slow partitions starve
others only while all workers are busy. At the limit all partitions are paused; a partition assigned at that moment may
add one record.

With very many partitions a share would be a record or two, and polling would cost more than it returns. So a share is
at least ``min_share``, and the limit grows with the number of partitions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import frozen

from kafka_nextgen.types import TopicPartition

__all__ = ["Throttle"]


@frozen
class Throttle:
    """``limit`` and ``min_share`` are numbers of records, ``concurrency`` of workers."""

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

"""Containers for thousands of open commits: a mapping that is cheap to copy, and a priority queue by time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from typing import TypeVar

__all__ = ["PersistentMap", "Schedule"]

K = TypeVar("K")
V = TypeVar("V")

_BUCKETS = 64  # a change copies the tuple of buckets and one bucket; with thousands of keys both cost about the same


class PersistentMap(Mapping[K, V]):
    """An immutable, unordered mapping in 64 hash buckets; an updated copy shares the unchanged buckets."""

    __slots__ = ("_buckets",)

    def __init__(self, buckets: tuple[dict[K, V], ...] = ({},) * _BUCKETS) -> None:
        self._buckets = buckets

    def __getitem__(self, key: K) -> V:
        return self._buckets[hash(key) % _BUCKETS][key]

    def __iter__(self) -> Iterator[K]:
        for bucket in self._buckets:
            yield from bucket

    def __len__(self) -> int:
        return sum(map(len, self._buckets))

    def updated(self, changes: Mapping[K, V]) -> PersistentMap[K, V]:
        """A copy with these values."""
        buckets = list(self._buckets)
        own: set[int] = set()
        for key, value in changes.items():
            _own_bucket(buckets, own, key)[key] = value
        return PersistentMap(tuple(buckets))

    def without(self, keys: Iterable[K]) -> PersistentMap[K, V]:
        """A copy without these keys. Missing keys are ignored."""
        buckets = list(self._buckets)
        own: set[int] = set()
        for key in keys:
            _own_bucket(buckets, own, key).pop(key, None)
        return PersistentMap(tuple(buckets))


def _own_bucket(buckets: list[dict[K, V]], own: set[int], key: K) -> dict[K, V]:
    number = hash(key) % _BUCKETS
    if number not in own:
        own.add(number)
        buckets[number] = dict(buckets[number])
    return buckets[number]


class Schedule:
    """A priority queue of operations by time. Setting the time of an operation again replaces the earlier one."""

    def __init__(self) -> None:
        self._times: dict[int, float] = {}
        self._heap: list[tuple[float, int]] = []  # includes stale entries, skipped when popped

    def set(self, operation: int, when: float | None) -> None:
        """Schedule ``operation`` at ``when``; None removes it."""
        if when is None:
            self._times.pop(operation, None)
        elif self._times.get(operation) != when:
            self._times[operation] = when
            heappush(self._heap, (when, operation))
        if len(self._heap) > 2 * len(self._times) + 100:
            self._heap = [(when, operation) for operation, when in self._times.items()]
            heapify(self._heap)

    def first(self) -> float | None:
        """The earliest time; None if nothing is scheduled."""
        while self._heap and self._times.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def due(self, now: float) -> frozenset[int]:
        """Remove and return the operations that are due at ``now``."""
        operations = set()
        while (when := self.first()) is not None and when <= now:
            operations.add(self.pop())
        return frozenset(operations)

    def pop(self) -> int:
        """Remove and return the earliest operation. Call ``first`` beforehand: it drops stale entries."""
        operation = self._heap[0][1]
        del self._times[operation]
        return operation

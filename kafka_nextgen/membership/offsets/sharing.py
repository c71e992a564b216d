"""A mapping that is never changed: one with a few changes shares nearly all of it, and costs little to make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

__all__ = ["SharingMap"]

K = TypeVar("K")
V = TypeVar("V")

_BUCKETS = 64  # a change copies a tuple of these and one of them: of thousands of keys both take about as long


class SharingMap(Mapping[K, V]):
    """Keys by their hash in one of 64 dictionaries; a change copies the one that it concerns. In no order."""

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

    def updated(self, changes: Mapping[K, V]) -> SharingMap[K, V]:
        """The same with these values."""
        buckets = list(self._buckets)
        own: set[int] = set()
        for key, value in changes.items():
            _own_bucket(buckets, own, key)[key] = value
        return SharingMap(tuple(buckets))

    def without(self, keys: Iterable[K]) -> SharingMap[K, V]:
        """The same without these keys, as far as they are there."""
        buckets = list(self._buckets)
        own: set[int] = set()
        for key in keys:
            _own_bucket(buckets, own, key).pop(key, None)
        return SharingMap(tuple(buckets))


def _own_bucket(buckets: list[dict[K, V]], own: set[int], key: K) -> dict[K, V]:
    number = hash(key) % _BUCKETS
    if number not in own:
        own.add(number)
        buckets[number] = dict(buckets[number])
    return buckets[number]

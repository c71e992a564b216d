"""A persistent mapping: an updated copy shares nearly all of the original, so that copies are cheap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

__all__ = ["SharingMap"]

K = TypeVar("K")
V = TypeVar("V")

_BUCKETS = 64  # a change copies the tuple of buckets and one bucket: with thousands of keys both cost about the same


class SharingMap(Mapping[K, V]):
    """An immutable mapping in 64 hash buckets; a change copies only the buckets it touches. Unordered."""

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
        """A copy with these values."""
        buckets = list(self._buckets)
        own: set[int] = set()
        for key, value in changes.items():
            _own_bucket(buckets, own, key)[key] = value
        return SharingMap(tuple(buckets))

    def without(self, keys: Iterable[K]) -> SharingMap[K, V]:
        """A copy without these keys. Missing keys are ignored."""
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

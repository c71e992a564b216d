"""A mutable mapping over another mapping, which it never changes.

The records of a request are applied to overlays of the group's mappings, so handling a request changes no state. An
overlay costs time for the keys that the request touches, not for all keys of the group.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, MutableMapping, ValuesView
from enum import Enum
from typing import Generic, TypeVar, overload

__all__ = ["Overlay"]

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class _Removed(Enum):
    """Marks a key of the mapping below as deleted here."""

    MARK = "removed"


class Overlay(MutableMapping[K, V], Generic[K, V]):
    """The mapping ``below`` with the changes made here."""

    __slots__ = ("_above", "_below", "_length")

    def __init__(self, below: Mapping[K, V]) -> None:
        self._below = below
        self._above: dict[K, V | _Removed] = {}
        self._length = len(below)

    def __getitem__(self, key: K) -> V:
        found = self._above.get(key)
        if found is None:
            return self._below[key]
        if isinstance(found, _Removed):
            raise KeyError(key)
        return found

    @overload
    def get(self, key: K, /) -> V | None: ...

    @overload
    def get(self, key: K, /, default: V | T) -> V | T: ...

    def get(self, key: K, /, default: V | T | None = None) -> V | T | None:
        """The value at ``key``, or ``default``. Overridden for speed: most accesses use it."""
        found = self._above.get(key)
        if found is None:
            below = self._below.get(key)
            return default if below is None else below
        return default if isinstance(found, _Removed) else found

    def items(self) -> ItemsView[K, V]:
        """A snapshot of all items."""
        return self._merged().items()

    def values(self) -> ValuesView[V]:
        """A snapshot of all values."""
        return self._merged().values()

    def _merged(self) -> Mapping[K, V]:
        if not self._above:
            return self._below
        merged = dict(self._below)
        for key, value in self._above.items():
            if isinstance(value, _Removed):
                merged.pop(key, None)
            else:
                merged[key] = value
        return merged

    def __setitem__(self, key: K, value: V) -> None:
        self._length += key not in self
        self._above[key] = value

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        self._length -= 1
        self._above[key] = _Removed.MARK

    def __contains__(self, key: object) -> bool:
        found = self._above.get(key)  # type: ignore[arg-type]  # anything may be asked for
        return key in self._below if found is None else not isinstance(found, _Removed)

    def __iter__(self) -> Iterator[K]:
        for key in self._below:
            if key not in self._above or not isinstance(self._above[key], _Removed):
                yield key
        for key, value in self._above.items():
            if key not in self._below and not isinstance(value, _Removed):
                yield key

    def __len__(self) -> int:
        return self._length

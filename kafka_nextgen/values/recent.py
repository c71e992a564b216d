"""A cache of the most recently used keys.

Keys have two generations. A key that is used moves to the younger generation. When that is full, it replaces the older
one, whose keys are dropped. So the cache always has the last ``most`` keys, and at most twice as many. The dicts are
replaced, never changed, so several threads can use them.

A pickle has no negative keys: these stand for GUIDs and long ids in this process only (``framing.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

__all__ = ["Recent"]

T = TypeVar("T")


class Recent(Generic[T]):
    """Values by number."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._young: dict[int, T] = {}
        self._old: dict[int, T] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (self._most, _lasting(self._young), _lasting(self._old))

    @property
    def young(self) -> Mapping[int, T]:
        """The younger generation: at most ``most`` keys, including the last used one."""
        return self._young

    def get(self, key: int) -> T | None:
        """The value of this key, if it is known."""
        young = self._young.get(key)
        old = self._old.get(key)
        if young is None and old is not None:
            self.put(key, old)
        return old if young is None else young

    def put(self, key: int, value: T) -> None:
        """Keep this value."""
        young = {**self._young, key: value}
        if len(young) > self._most:
            self._old, young = self._young, {key: value}
        self._young = young


def _lasting(values: Mapping[int, T]) -> dict[int, T]:
    return {key: value for key, value in values.items() if key >= 0}


def _remade(most: int, young: dict[int, T], old: dict[int, T]) -> Recent[T]:
    recent = Recent[T](most)
    recent._young, recent._old = young, old  # noqa: SLF001  (the same class)
    return recent

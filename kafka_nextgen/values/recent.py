"""A cache of the most recently used keys.

Keys have two generations. A key that is used moves to the younger generation. When that is full, it replaces the older
one, whose keys are dropped. So the cache always has the last ``most`` keys, and at most twice as many. The dicts are
replaced, never changed, so several threads can use them.

A pickle has no negative keys, because these represent GUIDs and long ids in this process only (``framing.py``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Generic, TypeVar

from kafka_nextgen import clocks

__all__ = ["FAILURE_S", "Recent"]

T = TypeVar("T")

#: How long (seconds) an unusable schema stays in a cache: it may be registered or corrected later.
FAILURE_S = 10.0


class Recent(Generic[T]):
    """Values by number. All are dropped ``lasts_s`` seconds after the first one was added."""

    def __init__(self, most: int, lasts_s: float = math.inf) -> None:
        self._most, self._lasts_s = most, lasts_s
        self._young: dict[int, T] = {}
        self._old: dict[int, T] = {}
        self._until = math.inf

    def __reduce__(self) -> tuple[object, ...]:
        kept = ({}, {}) if self._lasts_s < math.inf else (_lasting(self._young), _lasting(self._old))
        return _remade, (self._most, self._lasts_s, *kept)

    @property
    def young(self) -> Mapping[int, T]:
        """The younger generation: at most ``most`` keys, including the last used one."""
        self._drop_late()
        return self._young

    def get(self, key: int) -> T | None:
        """Return the value of this key, if it is cached."""
        self._drop_late()
        young = self._young.get(key)
        old = self._old.get(key)
        if young is None and old is not None:
            self.put(key, old)
        return old if young is None else young

    def put(self, key: int, value: T) -> None:
        """Store this value."""
        if not self._young:
            self._until = clocks.monotonic() + self._lasts_s
        young = {**self._young, key: value}
        if len(young) > self._most:
            self._old, young = self._young, {key: value}
        self._young = young

    def _drop_late(self) -> None:
        if self._until < math.inf and clocks.monotonic() >= self._until:
            self._young, self._old, self._until = {}, {}, math.inf


def _lasting(values: Mapping[int, T]) -> dict[int, T]:
    return {key: value for key, value in values.items() if key >= 0}


def _remade(most: int, lasts_s: float, young: dict[int, T], old: dict[int, T]) -> Recent[T]:
    recent = Recent[T](most, lasts_s)
    recent._young, recent._old = young, old  # noqa: SLF001  (the same class)
    return recent

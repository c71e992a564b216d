"""Where reading stands still: a group has read nothing of a partition for a time, though there is more of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import TypeAlias

#: A group, and the key of a partition.
Place: TypeAlias = tuple[str, int]


class Standstill:
    """Compares samples that are ``after_s`` apart. A slow group is none: it gets on, however far it is behind."""

    def __init__(self, after_s: float) -> None:
        self._after_s = after_s
        self._samples: deque[tuple[float, Mapping[Place, int]]] = deque()
        self._told: set[Place] = set()

    def look(self, now: float, unread: Mapping[Place, int]) -> Iterator[tuple[Place, int]]:
        """Give the places that stand still, each once, and the offset there.

        ``unread`` has the next offset of each place that has more to read, at the time ``now`` in seconds.
        """
        self._samples.append((now, unread))
        while self._samples[0][0] < now - self._after_s:
            _, before = self._samples.popleft()
            for place, offset in unread.items():
                if before.get(place) == offset and place not in self._told:
                    self._told.add(place)
                    yield place, offset

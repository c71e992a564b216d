"""Who could pass on what, among the members of a kind, while partitions move.

Which kinds have what is seen at once. To look at each member is put off until somebody is asked for, topic by topic.
What is out of date is dropped when it comes to the top. The last that came is the first to pass on, so that what moves
anyway moves again, rather than something else.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.assignors.moving import Holdings

__all__ = ["Passing"]


class Passing:
    """Keeps ``holdings``, and what each kind has, in step; ``kind_of`` is by place."""

    def __init__(self, holdings: Holdings, kind_of: Sequence[int]) -> None:
        self._holdings, self._kind_of = holdings, kind_of
        self._topics: list[dict[int, None]] = [{} for _ in range(max(kind_of) + 1)]
        self._holders: dict[int, dict[int, list[int]]] = {}
        for topic, places in enumerate(holdings.holders):
            for kind in dict.fromkeys(map(kind_of.__getitem__, places)):
                self._topics[kind][topic] = None

    def topics(self, kind: int) -> list[int]:
        """What anybody of a kind has, or had before, as long as nobody found that out."""
        return list(self._topics[kind])

    def topics_of(self, place: int) -> list[int]:
        """What somebody has, in order."""
        return self._holdings.topics_of(place)

    def who(self, kind: int, topic: int) -> int | None:
        """The member of a kind that is to pass on a partition of the topic; None if nobody has any."""
        places = self._holders_of(topic).get(kind, [])
        while places and not self._holdings.has_any(topic, places[-1]):
            places.pop()
        if not places:
            self._topics[kind].pop(topic, None)
            return None
        return places[-1]

    def move(self, topic: int, giver: int, taker: int) -> None:
        """Let a partition of the topic go from one to another."""
        holders, kind = self._holders_of(topic), self._kind_of[taker]
        self._holdings.move(topic, giver, taker)
        holders.setdefault(kind, []).append(taker)
        self._topics[kind][topic] = None

    def _holders_of(self, topic: int) -> dict[int, list[int]]:
        if topic not in self._holders:
            by_kind = self._holders[topic] = {}
            for place in self._holdings.holders[topic]:
                by_kind.setdefault(self._kind_of[place], []).append(place)
        return self._holders[topic]

"""Who has what, while partitions are given and moved one by one.

Shares are only taken apart where something changes: of a member and a topic of it there is a list from the first change
on. The last that came is the first to go.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from kafka_nextgen.assignors.keeping import Share
from kafka_nextgen.types import TopicId

__all__ = ["Holdings"]


class Holdings:
    """Shares by place; topics by their index in ``topic_ids``. ``holders`` are who has, or had, any of each topic."""

    def __init__(self, shares: Sequence[Share], topic_ids: Sequence[TopicId]) -> None:
        self.holders: list[list[int]] = [[] for _ in topic_ids]
        self._shares = shares
        self._topic_ids = topic_ids
        self._lists: list[dict[int, list[int]]] = [{} for _ in shares]
        self._indexes = {topic_id: index for index, topic_id in enumerate(topic_ids)}
        for place, share in enumerate(shares):
            for topic_id in share:
                self.holders[self._indexes[topic_id]].append(place)

    def give(self, topic: int, places: Sequence[int], numbers: Sequence[int]) -> None:
        """Give each of the partitions to the member at the same point of ``places``."""
        for place, number in zip(places, numbers, strict=True):
            lists = self._lists[place]
            if topic in lists:
                lists[topic].append(number)
            elif self._shares[place]:
                self._list(topic, place).append(number)
            else:
                lists[topic] = [number]
        self.holders[topic].extend(places)

    def move(self, topic: int, giver: int, taker: int) -> None:
        """Let a partition of the topic go from one to another."""
        self._list(topic, taker).append(self._list(topic, giver).pop())
        self.holders[topic].append(taker)

    def has_any(self, topic: int, place: int) -> bool:
        """Whether somebody has a partition of the topic."""
        numbers = self._lists[place].get(topic)
        return bool(self._shares[place].get(self._topic_ids[topic]) if numbers is None else numbers)

    def topics_of(self, place: int) -> list[int]:
        """The topics that somebody has any partition of, in order."""
        topics = {*self._lists[place], *map(self._indexes.__getitem__, self._shares[place])}
        return [topic for topic in sorted(topics) if self.has_any(topic, place)]

    def shares(self) -> list[Share]:
        """What it came to. A share in which nothing changed is the very object it was."""
        single: dict[int, frozenset[int]] = {}
        return [self._share(place, lists, single) for place, lists in enumerate(self._lists)]

    def _list(self, topic: int, place: int) -> list[int]:
        lists = self._lists[place]
        if topic not in lists:
            lists[topic] = sorted(self._shares[place].get(self._topic_ids[topic], ()))
        return lists[topic]

    def _share(self, place: int, lists: dict[int, list[int]], single: dict[int, frozenset[int]]) -> Share:
        if not lists:
            return self._shares[place]
        share: dict[TopicId, Set[int]] = dict(self._shares[place])
        for topic, numbers in lists.items():
            if len(numbers) == 1:  # mostly so, and a set is a big thing for one number
                number = numbers[0]
                share[self._topic_ids[topic]] = single.get(number) or single.setdefault(number, frozenset(numbers))
            elif numbers:
                share[self._topic_ids[topic]] = frozenset(numbers)
            else:
                share.pop(self._topic_ids[topic], None)
        return share

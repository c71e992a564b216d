"""Build an assignment: give and move partitions one by one, and keep track of their members.

The input shares are not copied. A member's list for a topic is copied at its first change. The partition that was added
last moves first: it is moving in any case, so moving it again saves moving another one.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from kafka_nextgen.assignors.spec import Share
from kafka_nextgen.types import TopicId

__all__ = ["AssignmentBuilder", "OwnersByCohort"]


class AssignmentBuilder:
    """Shares by member index; topics by their index in ``topic_ids``.

    ``holders`` are the members that have or had a partition of each topic.
    """

    def __init__(self, shares: Sequence[Share], topic_ids: Sequence[TopicId]) -> None:
        self.holders: list[list[int]] = [[] for _ in topic_ids]
        self._shares = shares
        self._topic_ids = topic_ids
        self._lists: list[dict[int, list[int]]] = [{} for _ in shares]
        self._indexes = {topic_id: index for index, topic_id in enumerate(topic_ids)}
        for member, share in enumerate(shares):
            for topic_id in share:
                self.holders[self._indexes[topic_id]].append(member)

    def assign(self, topic: int, members: Sequence[int], numbers: Sequence[int]) -> None:
        """Give each partition of ``numbers`` to the member at the same position in ``members``."""
        for member, number in zip(members, numbers, strict=True):
            lists = self._lists[member]
            if topic in lists:
                lists[topic].append(number)
            elif self._shares[member]:
                self._list(topic, member).append(number)
            else:
                lists[topic] = [number]
        self.holders[topic].extend(members)

    def move(self, topic: int, giver: int, taker: int) -> None:
        """Move a partition of the topic from one member to another."""
        self._list(topic, taker).append(self._list(topic, giver).pop())
        self.holders[topic].append(taker)

    def has_any(self, topic: int, member: int) -> bool:
        """Whether the member has a partition of the topic."""
        numbers = self._lists[member].get(topic)
        return bool(self._shares[member].get(self._topic_ids[topic]) if numbers is None else numbers)

    def topics_of(self, member: int) -> list[int]:
        """The topics that the member has a partition of, in order."""
        topics = {*self._lists[member], *map(self._indexes.__getitem__, self._shares[member])}
        return [topic for topic in sorted(topics) if self.has_any(topic, member)]

    def shares(self) -> list[Share]:
        """The assignment. An unchanged share is the input object."""
        single: dict[int, frozenset[int]] = {}
        return [self._share(member, lists, single) for member, lists in enumerate(self._lists)]

    def _list(self, topic: int, member: int) -> list[int]:
        lists = self._lists[member]
        if topic not in lists:
            lists[topic] = sorted(self._shares[member].get(self._topic_ids[topic], ()))
        return lists[topic]

    def _share(self, member: int, lists: dict[int, list[int]], single: dict[int, frozenset[int]]) -> Share:
        if not lists:
            return self._shares[member]
        share: dict[TopicId, Set[int]] = dict(self._shares[member])
        for topic, numbers in lists.items():
            if len(numbers) == 1:  # the usual case; shared sets save memory
                number = numbers[0]
                share[self._topic_ids[topic]] = single.get(number) or single.setdefault(number, frozenset(numbers))
            elif numbers:
                share[self._topic_ids[topic]] = frozenset(numbers)
            else:
                share.pop(self._topic_ids[topic], None)
        return share


class OwnersByCohort:
    """Finds the members of a cohort that have a partition of a topic; ``cohort_of`` is by member.

    The topics of each cohort are computed immediately; the members of a topic are computed when they are first needed.
    Stale entries are dropped when they are found.
    """

    def __init__(self, builder: AssignmentBuilder, cohort_of: Sequence[int]) -> None:
        self._builder, self._cohort_of = builder, cohort_of
        self._topics: list[dict[int, None]] = [{} for _ in range(max(cohort_of) + 1)]
        self._holders: dict[int, dict[int, list[int]]] = {}
        for topic, members in enumerate(builder.holders):
            for cohort in dict.fromkeys(map(cohort_of.__getitem__, members)):
                self._topics[cohort][topic] = None

    def topics(self, cohort: int) -> list[int]:
        """The topics that the cohort's members have partitions of; some entries may be stale."""
        return list(self._topics[cohort])

    def topics_of(self, member: int) -> list[int]:
        """The topics that the member has a partition of, in order."""
        return self._builder.topics_of(member)

    def owner(self, cohort: int, topic: int) -> int | None:
        """The cohort member that should pass on a partition of the topic; None if no member has one."""
        members = self._holders_of(topic).get(cohort, [])
        while members and not self._builder.has_any(topic, members[-1]):
            members.pop()
        if not members:
            self._topics[cohort].pop(topic, None)
            return None
        return members[-1]

    def move(self, topic: int, giver: int, taker: int) -> None:
        """Move a partition of the topic from one member to another."""
        holders, cohort = self._holders_of(topic), self._cohort_of[taker]
        self._builder.move(topic, giver, taker)
        holders.setdefault(cohort, []).append(taker)
        self._topics[cohort][topic] = None

    def _holders_of(self, topic: int) -> dict[int, list[int]]:
        if topic not in self._holders:
            by_cohort = self._holders[topic] = {}
            for member in self._builder.holders[topic]:
                by_cohort.setdefault(self._cohort_of[member], []).append(member)
        return self._holders[topic]

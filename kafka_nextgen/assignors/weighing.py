"""Shares of as much work for everybody's capacity as can be, moving one partition at a time.

1. Everybody keeps what it had, where that still exists and is still subscribed to.
2. Free partitions, the heaviest first, go to the subscriber whose load would be the least with it.
3. The most loaded member gives a partition to another, as long as the higher of the two loads gets lower by it. Of all
   such moves it makes the one after which that is the lowest; of equal ones, that of the lightest partition. A member
   without such a move is done, and the next is the most loaded. It ends when nobody has one, after sixteen such rounds
   at the latest.

So in the end there is no partition whose move would help, and where there was none at the beginning nothing moves. With
equal weights and capacities, and one subscription, everybody has as many as everybody else, or one more.

Loads are whole numbers, weights times what makes all capacities alike, so nothing is ever rounded. Members of one
capacity and subscription are a *class*; of each only the least loaded is a candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain
from math import lcm

from attrs import frozen

from kafka_nextgen.assignors.keeping import Share, keep
from kafka_nextgen.assignors.rows import Row
from kafka_nextgen.assignors.spec import AssignmentSpec, TopicMetadata
from kafka_nextgen.assignors.subscriptions import Kind, Subscriptions, subscriptions_of
from kafka_nextgen.assignors.takers import Takers
from kafka_nextgen.types import TopicPartition

__all__ = ["share_by_weight"]

MAX_SWEEPS = 16

#: A partition's weight, and which classes are in front of its topic.
Sort = tuple[int, int]


def share_by_weight(
    group: AssignmentSpec, capacities: Mapping[str, int], weights: Mapping[TopicPartition, int]
) -> dict[str, Share]:
    """What each member is to have. Partitions that are not in ``weights`` weigh 1."""
    member_ids = sorted(group.members)
    members = [group.members[member_id] for member_id in member_ids]
    subscriptions = subscriptions_of(members, group.topics)
    had = keep([member.target for member in members], subscriptions).shares
    row = Row.of(subscriptions.topics, frozenset())
    classes = _Classes.of(subscriptions, [capacities[member_id] for member_id in member_ids])
    fronts: dict[tuple[int, ...], int] = {}
    topics = [
        (topic, fronts.setdefault(classes.front(subscriptions.kinds_of[topic_id]), len(fronts)))
        for topic_id, topic in subscriptions.topics.items()
    ]
    scale = _Scale(_sorts(topics, weights), classes, list(fronts), [row.places_of(share) for share in had])
    scale.fill()
    for _ in range(MAX_SWEEPS):
        if not scale.sweep():
            break
    shares = map(row.share_of, scale.shares())
    return {
        member_id: before if before == share else share
        for member_id, before, share in zip(member_ids, had, shares, strict=True)
    }


@frozen
class _Classes:
    """Members of one subscription and capacity; ``units`` are what weight 1 adds to the load of each member."""

    members: Sequence[Kind]
    units: Sequence[int]
    of_kind: Sequence[Sequence[int]]

    @classmethod
    def of(cls, subscriptions: Subscriptions, capacities: Sequence[int]) -> _Classes:
        classes: list[Kind] = []
        of_kind: list[list[int]] = []
        for kind in subscriptions.kinds:
            by_capacity: dict[int, list[int]] = {}
            for place in kind.places:
                by_capacity.setdefault(capacities[place], []).append(place)
            of_kind.append(list(range(len(classes), len(classes) + len(by_capacity))))
            classes += [Kind(kind.topic_ids, places) for places in by_capacity.values()]
        common = lcm(*capacities)
        return cls(classes, [common // capacity for capacity in capacities], of_kind)

    def front(self, kinds: Sequence[int]) -> tuple[int, ...]:
        """The classes that these kinds are made of."""
        return tuple(chain.from_iterable(self.of_kind[kind] for kind in kinds))


def _sorts(topics: Iterable[tuple[TopicMetadata, int]], weights: Mapping[TopicPartition, int]) -> list[Sort]:
    """The sort of each partition in the row of these topics, of which the front is told."""
    sorts: list[Sort] = []
    for topic, front in topics:
        plain = (1, front)
        numbers = range(topic.num_partitions)
        sorts += [
            (weight, front) if (weight := weights.get(TopicPartition(topic.name, number), 1)) > 1 else plain
            for number in numbers
        ]
    return sorts


class _Scale:
    """Loads, and who has what; partitions are their places in the row."""

    def __init__(
        self,
        sorts: Sequence[Sort],
        classes: _Classes,
        fronts: Sequence[Sequence[int]],
        has: Sequence[Sequence[int]],
    ) -> None:
        self._sorts, self._units = sorts, classes.units
        self._has: list[dict[Sort, list[int]]] = [{} for _ in has]
        loads = [0] * len(has)
        for place, partitions in enumerate(has):
            for partition in partitions:
                self._has[place].setdefault(sorts[partition], []).append(partition)
            loads[place] = self._units[place] * sum(sorts[partition][0] for partition in partitions)
        self._takers = Takers(classes.members, fronts, classes.units, loads)

    def fill(self) -> None:
        """Give out what nobody has, the heaviest first."""
        taken = set(chain.from_iterable(chain.from_iterable(sorted_has.values()) for sorted_has in self._has))
        free = [partition for partition in range(len(self._sorts)) if partition not in taken]
        for partition in sorted(free, key=lambda partition: -self._sorts[partition][0]):
            _, taker = self._takers.best(*self._sorts[partition])
            self._give(partition, taker)

    def sweep(self) -> bool:
        """Let everybody give, the most loaded first, until nobody can; whether anything moved."""
        givers = [(-load, place) for place, load in enumerate(self._takers.loads)]
        heapify(givers)
        moved = False
        while givers:
            load, giver = heappop(givers)
            if -load != self._takers.loads[giver] or (move := self._best_move(giver)) is None:
                continue
            sort, taker = move
            self._give(self._take(sort, giver), taker)
            moved = True
            for place in (giver, taker):
                heappush(givers, (-self._takers.loads[place], place))
        return moved

    def shares(self) -> list[list[int]]:
        """What everybody has."""
        return [sorted(chain.from_iterable(has.values())) for has in self._has]

    def _best_move(self, giver: int) -> tuple[Sort, int] | None:
        """The sort of partition to give, and to whom, so that the higher of the two loads gets lowest."""
        load, unit = self._takers.loads[giver], self._units[giver]
        best: tuple[int, Sort, int] | None = None
        for sort in self._has[giver]:
            rises_to, taker = self._takers.best(*sort)
            higher = max(load - sort[0] * unit, rises_to)
            if taker != giver and higher < load and (best is None or (higher, sort, taker) < best):
                best = higher, sort, taker
        return None if best is None else best[1:]

    def _give(self, partition: int, taker: int) -> None:
        sort = self._sorts[partition]
        self._has[taker].setdefault(sort, []).append(partition)
        self._takers.change(taker, sort[0])

    def _take(self, sort: Sort, giver: int) -> int:
        """The last that came of this sort."""
        partitions = self._has[giver][sort]
        partition = partitions.pop()
        if not partitions:
            del self._has[giver][sort]
        self._takers.change(giver, -sort[0])
        return partition

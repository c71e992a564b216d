"""Balance weighted partitions over members of different capacities, moving one partition at a time.

1. Members keep their previous partitions that still exist and that they still subscribe to.
2. Unassigned partitions, heaviest first, go to the subscriber whose load would then be the lowest.
3. The most loaded member gives a partition to another, as long as that lowers the higher of the two loads. It chooses
   the move that makes that load lowest; if several are equal, the move of the lightest partition. A member without such
   a move is done, and the next most loaded member follows. This ends when no member has such a move, or after
   ``MAX_SWEEPS`` rounds.

So at the end no single move would help, and if none helped at the start, nothing moves. With equal weights, capacities
and subscriptions the members' counts differ by at most one.

Loads are integers: weights times the least common multiple of all capacities over the member's own, so nothing is
rounded. Members with the same capacity and subscription form a cohort; only the least loaded of each is a candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain
from math import lcm

from kafka_nextgen.assignors.least_loaded import LeastLoaded, LeastLoadedSubscriber
from kafka_nextgen.assignors.partition_index import PartitionIndex
from kafka_nextgen.assignors.previous_target import keep
from kafka_nextgen.assignors.spec import AssignmentSpec, Share, TopicMetadata
from kafka_nextgen.assignors.subscriptions import Cohort, Subscriptions, subscriptions_of
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition

__all__ = ["share_by_weight"]

MAX_SWEEPS = 16

#: A partition's weight, and the index of the set of cohorts that subscribe to its topic.
PartitionKind = tuple[int, int]


def share_by_weight(
    group: AssignmentSpec, capacities: Mapping[str, int], weights: Mapping[TopicPartition, int]
) -> dict[str, Share]:
    """The share of each member, by member id. Partitions that are not in ``weights`` weigh 1."""
    member_ids = sorted(group.members)
    members = [group.members[member_id] for member_id in member_ids]
    subscriptions = subscriptions_of(members, group.topics)
    had = keep([member.target for member in members], subscriptions).shares
    partitions = PartitionIndex.of(subscriptions.topics, frozenset())
    cohorts = _CapacityCohorts.of(subscriptions, [capacities[member_id] for member_id in member_ids])
    subscriber_sets: dict[tuple[int, ...], int] = {}
    topics = [
        (
            topic,
            subscriber_sets.setdefault(cohorts.subscribers(subscriptions.cohorts_of[topic_id]), len(subscriber_sets)),
        )
        for topic_id, topic in subscriptions.topics.items()
    ]
    balancer = _WeightedBalancer(
        _kinds(topics, weights), cohorts, list(subscriber_sets), [partitions.indexes_of(share) for share in had]
    )
    balancer.fill()
    for _ in range(MAX_SWEEPS):
        if not balancer.sweep():
            break
    shares = map(partitions.share_of, balancer.shares())
    return {
        member_id: before if before == share else share
        for member_id, before, share in zip(member_ids, had, shares, strict=True)
    }


@frozen
class _CapacityCohorts:
    """Members with the same subscription and capacity; ``units``, by member, are what weight 1 adds to the load."""

    cohorts: Sequence[Cohort]
    units: Sequence[int]
    of_subscription: Sequence[Sequence[int]]

    @classmethod
    def of(cls, subscriptions: Subscriptions, capacities: Sequence[int]) -> _CapacityCohorts:
        cohorts: list[Cohort] = []
        of_subscription: list[list[int]] = []
        for cohort in subscriptions.cohorts:
            by_capacity: dict[int, list[int]] = {}
            for member in cohort.members:
                by_capacity.setdefault(capacities[member], []).append(member)
            of_subscription.append(list(range(len(cohorts), len(cohorts) + len(by_capacity))))
            cohorts += [Cohort(cohort.topic_ids, members) for members in by_capacity.values()]
        common = lcm(*capacities)
        return cls(cohorts, [common // capacity for capacity in capacities], of_subscription)

    def subscribers(self, cohorts: Sequence[int]) -> tuple[int, ...]:
        """The parts of these subscription cohorts, by capacity."""
        return tuple(chain.from_iterable(self.of_subscription[cohort] for cohort in cohorts))


def _kinds(topics: Iterable[tuple[TopicMetadata, int]], weights: Mapping[TopicPartition, int]) -> list[PartitionKind]:
    """The kind of each partition; topics come with the index of their set of subscribers."""
    kinds: list[PartitionKind] = []
    for topic, subscribers in topics:
        plain = (1, subscribers)
        numbers = range(topic.num_partitions)
        kinds += [
            (weight, subscribers) if (weight := weights.get(TopicPartition(topic.name, number), 1)) > 1 else plain
            for number in numbers
        ]
    return kinds


class _WeightedBalancer:
    """The loads and partitions of all members; partitions are numbered as in ``PartitionIndex``."""

    def __init__(
        self,
        kinds: Sequence[PartitionKind],
        cohorts: _CapacityCohorts,
        subscriber_sets: Sequence[Sequence[int]],
        has: Sequence[Sequence[int]],
    ) -> None:
        self._kinds, self._units = kinds, cohorts.units
        self._has: list[dict[PartitionKind, list[int]]] = [{} for _ in has]
        loads = [0] * len(has)
        for member, partitions in enumerate(has):
            for partition in partitions:
                self._has[member].setdefault(kinds[partition], []).append(partition)
            loads[member] = self._units[member] * sum(kinds[partition][0] for partition in partitions)
        self._loads = _LeastLoadedByWeight(cohorts.cohorts, subscriber_sets, cohorts.units, loads)

    def fill(self) -> None:
        """Assign the unassigned partitions, heaviest first."""
        taken = set(chain.from_iterable(chain.from_iterable(by_kind.values()) for by_kind in self._has))
        free = [partition for partition in range(len(self._kinds)) if partition not in taken]
        for partition in sorted(free, key=lambda partition: -self._kinds[partition][0]):
            _, taker = self._loads.best(*self._kinds[partition])
            self._give(partition, taker)

    def sweep(self) -> bool:
        """Let members give, the most loaded first, until none can; return whether anything moved."""
        givers = [(-load, member) for member, load in enumerate(self._loads.loads)]
        heapify(givers)
        moved = False
        while givers:
            load, giver = heappop(givers)
            if -load != self._loads.loads[giver] or (move := self._best_move(giver)) is None:
                continue
            kind, taker = move
            self._give(self._take(kind, giver), taker)
            moved = True
            for member in (giver, taker):
                heappush(givers, (-self._loads.loads[member], member))
        return moved

    def shares(self) -> list[list[int]]:
        """The partitions of each member."""
        return [sorted(chain.from_iterable(has.values())) for has in self._has]

    def _best_move(self, giver: int) -> tuple[PartitionKind, int] | None:
        """The kind of partition to give, and the member to give it to, that make the higher of the two loads lowest."""
        load, unit = self._loads.loads[giver], self._units[giver]
        best: tuple[int, PartitionKind, int] | None = None
        for kind in self._has[giver]:
            rises_to, taker = self._loads.best(*kind)
            higher = max(load - kind[0] * unit, rises_to)
            if taker != giver and higher < load and (best is None or (higher, kind, taker) < best):
                best = higher, kind, taker
        return None if best is None else best[1:]

    def _give(self, partition: int, taker: int) -> None:
        kind = self._kinds[partition]
        self._has[taker].setdefault(kind, []).append(partition)
        self._loads.change(taker, kind[0])

    def _take(self, kind: PartitionKind, giver: int) -> int:
        """Take the partition of this kind that came last."""
        partitions = self._has[giver][kind]
        partition = partitions.pop()
        if not partitions:
            del self._has[giver][kind]
        self._loads.change(giver, -kind[0])
        return partition


class _LeastLoadedByWeight:
    """Finds the subscriber whose load would be the lowest with one more partition of a given weight.

    Among members with the same capacity, the least loaded is always the best, so there is a ``LeastLoadedSubscriber``
    for each set of subscribers and capacity.
    """

    def __init__(
        self,
        cohorts: Sequence[Cohort],
        subscriber_sets: Sequence[Sequence[int]],
        units: Sequence[int],
        loads: list[int],
    ) -> None:
        self.loads = loads
        self._units = units
        self._least = LeastLoaded(cohorts, loads)
        self._by_unit: list[list[LeastLoadedSubscriber]] = []
        self._of_cohort: list[list[LeastLoadedSubscriber]] = [[] for _ in cohorts]
        for subscribers in subscriber_sets:
            alike: dict[int, list[int]] = {}
            for each in subscribers:
                alike.setdefault(units[cohorts[each].members[0]], []).append(each)
            self._by_unit.append([self._subscribers(alike[unit]) for unit in sorted(alike)])

    def best(self, weight: int, subscribers: int) -> tuple[int, int]:
        """The lowest load after taking this weight, and its member; the first one if several are equal."""
        members = [each.first() for each in self._by_unit[subscribers]]
        return min((self.loads[member] + weight * self._units[member], member) for member in members)

    def change(self, member: int, weight: int) -> None:
        """Add this weight, possibly negative, to a member's load."""
        entry, cohort = self._least.change(member, weight * self._units[member])
        if weight < 0:
            for subscribers in self._of_cohort[cohort]:
                subscribers.fell(entry, cohort)

    def _subscribers(self, cohorts: Sequence[int]) -> LeastLoadedSubscriber:
        subscribers = LeastLoadedSubscriber(self._least, cohorts)
        for cohort in cohorts:
            self._of_cohort[cohort].append(subscribers)
        return subscribers

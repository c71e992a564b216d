"""Balance members that share no topic, along augmenting paths.

A giver passes a partition to an intermediate member, which passes one of another topic to the next, and so on to a
taker. The taker need not subscribe to the first topic. Only the loads at both ends change.

1. The most loaded members give first, each to the nearest member with at least two partitions fewer: a short path moves
   fewer partitions than a long one.
2. A cohort can pass on a topic if any of its members has a partition of it. That member also takes the incoming
   partition.
3. If no path leads to a member with two partitions fewer, all cohorts reached are *settled*: their partitions can't
   leave the reached cohorts. Later givers have no more partitions than these, so paths avoid settled cohorts.

At the end no path reduces a difference, so no assignment is more balanced.

Paths are found as in Dinic's algorithm (``max_flow``): measure the distance of every topic and cohort from the givers'
topics once, then let each giver search for a path on which every step increases the distance. Dead ends are not tried
again. When all givers have searched, the remaining paths are longer, so there are few such phases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import chain, pairwise

from kafka_nextgen.assignors.assignment_builder import AssignmentBuilder, OwnersByCohort
from kafka_nextgen.assignors.least_loaded import LeastLoaded

__all__ = ["balance_along_paths"]

#: Topics, each with the cohort that takes one of its partitions.
Path = list[tuple[int, int]]

#: The index of a topic, or the complement of a cohort's index, so that the two can be distinguished.
Node = int


class AugmentingPaths:
    """Paths to members with a load of at most ``most`` that avoid the ``settled`` cohorts."""

    def __init__(
        self,
        cohorts_of: Sequence[Sequence[int]],
        owners: OwnersByCohort,
        loads: LeastLoaded,
        settled: Set[int],
        most: int,
    ) -> None:
        self._cohorts_of, self._owners, self._loads = cohorts_of, owners, loads
        self._settled, self._most = settled, most
        self._distances: dict[Node, int] = {}
        self._steps: dict[Node, list[Node]] = {}

    @property
    def cohorts(self) -> list[int]:
        """The cohorts that were reached; all reachable ones if there is no path."""
        return [~node for node in self._distances if node < 0]

    def measure(self, topics: Iterable[int]) -> bool:
        """Measure distances from these topics. Return whether there may be a path; ownership can be stale."""
        self._distances, self._steps = {}, {}
        distance, layer = 0, self._not_reached_before(topics, 0)
        while layer and not any(map(self._takes, layer)):
            distance += 1
            layer = self._not_reached_before(chain.from_iterable(map(self._following, layer)), distance)
        self._steps.update((node, []) for node in layer)
        return bool(layer)

    def find(self, topics: Iterable[int]) -> Path:
        """A path that is still open from one of these measured topics; empty if there is none."""
        for topic in topics:
            if nodes := self._nodes_from(topic):
                return [(topic, ~cohort) for topic, cohort in zip(nodes[::2], nodes[1::2], strict=True)]
        return []

    def _not_reached_before(self, nodes: Iterable[Node], distance: int) -> list[Node]:
        new = [node for node in dict.fromkeys(nodes) if node not in self._distances]
        self._distances.update(dict.fromkeys(new, distance))
        return new

    def _following(self, node: Node) -> Sequence[Node]:
        if node < 0:
            return self._owners.topics(~node)
        return [~cohort for cohort in self._cohorts_of[node] if cohort not in self._settled]

    def _takes(self, node: Node) -> bool:
        return node < 0 and self._loads.least((~node,)) <= self._most

    def _nodes_from(self, topic: Node) -> list[Node]:
        nodes = [topic]
        while nodes and not self._takes(nodes[-1]):
            if steps := self._steps_from(nodes[-1]):
                nodes.append(steps[-1])
                continue
            nodes.pop()
            if nodes:
                self._steps[nodes[-1]].pop()
        return nodes

    def _steps_from(self, node: Node) -> list[Node]:
        """The steps that lead further and are not known dead ends; the last one is tried next."""
        if node not in self._steps:
            further = self._distances[node] + 1
            self._steps[node] = [each for each in self._following(node) if self._distances.get(each) == further][::-1]
        steps = self._steps[node]
        while node < 0 and steps and self._owners.owner(~node, steps[-1]) is None:
            steps.pop()
        return steps


def balance_along_paths(cohorts_of: Sequence[Sequence[int]], loads: LeastLoaded, builder: AssignmentBuilder) -> None:
    """Move partitions until no path helps; ``cohorts_of`` are the cohorts that subscribe to each topic."""
    most, least = max(loads.loads), min(loads.loads)
    if most - least <= 1:  # the usual case; return early because OwnersByCohort reads all shares
        return
    balancer = _PathBalancer(cohorts_of, loads, builder)
    for load in range(most, least + 1, -1):
        balancer.lower(load)


class _PathBalancer:
    """Members by their current or earlier loads, and the settled cohorts."""

    def __init__(self, cohorts_of: Sequence[Sequence[int]], loads: LeastLoaded, builder: AssignmentBuilder) -> None:
        self._cohorts_of, self._loads = cohorts_of, loads
        self._owners = OwnersByCohort(builder, loads.cohort_of)
        self._settled: set[int] = set()
        self._levels: dict[int, list[int]] = {}
        for member, load in enumerate(loads.loads):
            self._levels.setdefault(load, []).append(member)

    def lower(self, load: int) -> None:
        """Let all members with this load give, until no path helps."""
        paths = AugmentingPaths(self._cohorts_of, self._owners, self._loads, self._settled, load - 2)
        waiting = sorted(set(self._levels.pop(load, ())))
        while givers := [member for member in waiting if self._may_give(member, load)]:
            cohorts = dict.fromkeys(map(self._loads.cohort_of.__getitem__, givers))
            if not paths.measure(chain.from_iterable(map(self._owners.topics, cohorts))):
                self._settled.update(paths.cohorts)
                return
            self._give(paths, givers)

    def _give(self, paths: AugmentingPaths, givers: Sequence[int]) -> None:
        topics_of = {giver: self._owners.topics_of(giver) for giver in givers}
        paths.measure(chain.from_iterable(topics_of.values()))
        for giver, topics in topics_of.items():
            if path := paths.find(topics):
                self._move_along(path, giver)

    def _may_give(self, member: int, load: int) -> bool:
        return self._loads.loads[member] == load and self._loads.cohort_of[member] not in self._settled

    def _move_along(self, path: Path, giver: int) -> None:
        at = giver
        for (topic, cohort), (passed_on, _) in pairwise(path):
            between = self._owners.owner(cohort, passed_on)
            assert between is not None, "paths are open"
            self._owners.move(topic, at, between)
            at = between
        topic, cohort = path[-1]
        taker = self._loads.first(cohort)
        self._owners.move(topic, at, taker)
        for member, by in ((giver, -1), (taker, +1)):
            self._loads.change(member, by)
            self._levels.setdefault(self._loads.loads[member], []).append(member)

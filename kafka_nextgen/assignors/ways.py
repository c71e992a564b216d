"""Ways along which chains of moves can go: from a topic to a kind that subscribes to it, on to a topic that this kind
can pass on, and so forth, to a kind in which somebody takes.

How far everything is from the topics that may be given is measured once, as far as the nearest who takes. Then each
giver looks for a way on which every step leads further, and what leads nowhere is not tried by the next. When all have
looked, the ways that are left are longer, so it need not be measured often (Dinic's algorithm, as in ``flow``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import chain

from kafka_nextgen.assignors.least_loaded import LeastLoaded
from kafka_nextgen.assignors.passing import Passing

__all__ = ["Way", "Ways"]

#: Topics, each with the kind that takes one of its partitions.
Way = list[tuple[int, int]]

#: The index of a topic, or the complement of that of a kind, which tells the two apart.
Node = int


class Ways:
    """Ways to somebody with no more than ``most``, around the kinds that are ``settled``."""

    def __init__(
        self, kinds_of: Sequence[Sequence[int]], passing: Passing, loads: LeastLoaded, settled: Set[int], most: int
    ) -> None:
        self._kinds_of, self._passing, self._loads = kinds_of, passing, loads
        self._settled, self._most = settled, most
        self._distances: dict[Node, int] = {}
        self._steps: dict[Node, list[Node]] = {}

    @property
    def kinds(self) -> list[int]:
        """The kinds that were reached; all that can be, if there is no way."""
        return [~node for node in self._distances if node < 0]

    def measure(self, topics: Iterable[int]) -> bool:
        """Measure from these topics; whether there is a way, as far as is known of who has what."""
        self._distances, self._steps = {}, {}
        distance, layer = 0, self._not_reached_before(topics, 0)
        while layer and not any(map(self._takes, layer)):
            distance += 1
            layer = self._not_reached_before(chain.from_iterable(map(self._following, layer)), distance)
        self._steps.update((node, []) for node in layer)
        return bool(layer)

    def find(self, topics: Iterable[int]) -> Way:
        """A way from any of these topics, which were measured from, that is open still; empty if there is none."""
        for topic in topics:
            if nodes := self._nodes_from(topic):
                return [(topic, ~kind) for topic, kind in zip(nodes[::2], nodes[1::2], strict=True)]
        return []

    def _not_reached_before(self, nodes: Iterable[Node], distance: int) -> list[Node]:
        new = [node for node in dict.fromkeys(nodes) if node not in self._distances]
        self._distances.update(dict.fromkeys(new, distance))
        return new

    def _following(self, node: Node) -> Sequence[Node]:
        if node < 0:
            return self._passing.topics(~node)
        return [~kind for kind in self._kinds_of[node] if kind not in self._settled]

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
        """The steps that lead further and are not known to lead nowhere; the last is the next to try."""
        if node not in self._steps:
            further = self._distances[node] + 1
            self._steps[node] = [each for each in self._following(node) if self._distances.get(each) == further][::-1]
        steps = self._steps[node]
        while node < 0 and steps and self._passing.who(~node, steps[-1]) is None:
            steps.pop()
        return steps

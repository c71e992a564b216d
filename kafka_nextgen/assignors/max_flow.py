"""Maximum flow through a network, starting from any flow (Dinic's algorithm).

Every edge has *room*, its residual capacity. The flow along an edge is room on its reverse edge, so that it can be
rerouted. A phase measures the distance of every node from the source, then sends flow along shortest paths until there
are none. The next shortest paths are longer, so there are few phases.
"""

from __future__ import annotations

from collections import deque

__all__ = ["FlowNetwork"]


class FlowNetwork:
    """Nodes are numbers below ``size``; edges are numbers, and ``edge ^ 1`` is the reverse of ``edge``."""

    def __init__(self, size: int) -> None:
        self._edges_of: list[list[int]] = [[] for _ in range(size)]
        self._ends: list[int] = []
        self._room: list[int] = []

    def connect(self, tail: int, head: int, room: int) -> int:
        """Add an edge; return its number."""
        edge = len(self._ends)
        self._ends += (head, tail)
        self._room += (room, 0)
        self._edges_of[tail].append(edge)
        self._edges_of[head].append(edge + 1)
        return edge

    def flow(self, edge: int) -> int:
        """How much flows along an edge."""
        return self._room[edge ^ 1]

    def send(self, path: list[int], most: int) -> int:
        """Send up to ``most`` along these edges; return the amount sent."""
        amount = min(most, *(self._room[edge] for edge in path))
        for edge in path:
            self._room[edge] -= amount
            self._room[edge ^ 1] += amount
        return amount

    def maximise(self, source: int, sink: int) -> None:
        """Maximise the flow from source to sink."""
        while (distances := self._distances(source))[sink] is not None:
            self._send_nearest(source, sink, distances)

    def _distances(self, source: int) -> list[int | None]:
        """The distance of each node in edges with room; None if it is unreachable."""
        distances: list[int | None] = [None] * len(self._edges_of)
        distances[source] = 0
        waiting = deque([(source, 0)])
        while waiting:
            node, distance = waiting.popleft()
            for edge in self._edges_of[node]:
                end = self._ends[edge]
                if self._room[edge] and distances[end] is None:
                    distances[end] = distance + 1
                    waiting.append((end, distance + 1))
        return distances

    def _send_nearest(self, source: int, sink: int, distances: list[int | None]) -> None:
        """Send along paths on which every step leads away from the source, until there is none."""
        untried = [iter(edges) for edges in self._edges_of]
        current: list[int | None] = [next(edges, None) for edges in untried]
        path: list[int] = []
        node = source
        while True:
            if node == sink:
                self.send(path, self._room[path[0]])
                node, path = source, []
            edge = current[node]
            if edge is None:
                if not path:
                    return
                node = self._ends[path.pop() ^ 1]
                current[node] = next(untried[node], None)
            elif self._room[edge] and distances[self._ends[edge]] == len(path) + 1:
                path.append(edge)
                node = self._ends[edge]
            else:
                current[node] = next(untried[node], None)

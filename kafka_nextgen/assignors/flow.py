"""The most that can flow through a network, from what flows already (Dinic's algorithm).

Every edge has *room*: how much more may flow along it. What flows along an edge is room on its reverse, so that it can
be sent another way later. A phase measures how far every node is from the source, then sends along shortest ways until
there are none; the next shortest are longer, so there are few phases.
"""

from __future__ import annotations

from collections import deque

__all__ = ["Network"]


class Network:
    """Nodes are numbers below ``size``; an edge is a number, and its reverse the other of the pair (``edge ^ 1``)."""

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

    def send(self, way: list[int], most: int) -> int:
        """Send as much as there is room for along these edges, ``most`` at most; return how much that was."""
        amount = min(most, *(self._room[edge] for edge in way))
        for edge in way:
            self._room[edge] -= amount
            self._room[edge ^ 1] += amount
        return amount

    def maximise(self, source: int, sink: int) -> None:
        """Send all that can be sent from one node to another."""
        while (distances := self._distances(source))[sink] is not None:
            self._send_nearest(source, sink, distances)

    def _distances(self, source: int) -> list[int | None]:
        """How many edges with room each node is away; None for those that can't be reached."""
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
        """Send along ways on which every step leads away from the source, until there is none."""
        untried = [iter(edges) for edges in self._edges_of]
        current: list[int | None] = [next(edges, None) for edges in untried]
        way: list[int] = []
        node = source
        while True:
            if node == sink:
                self.send(way, self._room[way[0]])
                node, way = source, []
            edge = current[node]
            if edge is None:
                if not way:
                    return
                node = self._ends[way.pop() ^ 1]
                current[node] = next(untried[node], None)
            elif self._room[edge] and distances[self._ends[edge]] == len(way) + 1:
                way.append(edge)
                node = self._ends[edge]
            else:
                current[node] = next(untried[node], None)

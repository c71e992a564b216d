"""How many partitions can be read where they are, and how many of each sort go to which rack for it.

A partition is *local* to members in the racks of its replicas, which may read there (KIP-392). Partitions with the same
racks are of one *sort*, and members of one rack are as good as each other. So there are but a few sorts and racks, and
the most that can be local is the most that can flow through a small network:

    source -> a sort, as many as there are of it -> a rack it is local in -> sink, as many as are due to members there

Where some members get one more than is due to them, each rack has a second way to the sink: one for each of its
members, and all racks together as many as there are *extras*.

What members have already flows from the beginning. The rest is sent by the shortest ways first, so that little of it
has to make room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from attrs import frozen

from kafka_nextgen.assignors.flow import Network

__all__ = ["Plan", "Seat", "Sorts", "plan_local_reads"]

#: How many partitions of a sort go to a rack where they are local.
Plan = Counter[tuple[int, str]]


@frozen
class Sorts:
    """The sort of each partition, and the racks of each sort."""

    of: Sequence[int]
    racks: Sequence[Set[str]]


@frozen
class Seat:
    """A member: its rack, the partitions it has, and how many are due to it."""

    rack: str | None
    has: Sequence[int]
    due: int


def plan_local_reads(sorts: Sorts, seats: Sequence[Seat], extras: int) -> Plan:
    """As many as can be local, if ``extras`` of the seats may get one more than is due to them."""
    network = _Network(sorts, seats, extras)
    network.begin_with(_local_already(sorts, seats, 1 if extras else 0))
    return network.most()


def _local_already(sorts: Sorts, seats: Sequence[Seat], extra: int) -> Plan:
    found: Plan = Counter()
    for seat in seats:
        found.update(list(_local_to(sorts, seat))[: seat.due + extra])
    return found


def _local_to(sorts: Sorts, seat: Seat) -> Iterator[tuple[int, str]]:
    for partition in seat.has:
        sort = sorts.of[partition]
        if seat.rack is not None and seat.rack in sorts.racks[sort]:
            yield sort, seat.rack


class _Network:
    """Nodes are the sorts, the racks, and three more."""

    def __init__(self, sorts: Sorts, seats: Sequence[Seat], extras: int) -> None:
        racks = sorted({seat.rack for seat in seats if seat.rack is not None})
        nodes = {rack: len(sorts.racks) + index for index, rack in enumerate(racks)}
        self._source, extra, self._sink = range(len(sorts.racks) + len(racks), len(sorts.racks) + len(racks) + 3)
        self._network = connect = Network(self._sink + 1)
        sizes = Counter(sorts.of)
        self._into = [connect.connect(self._source, sort, sizes[sort]) for sort in range(len(sorts.racks))]
        self._across = {
            (sort, rack): connect.connect(sort, nodes[rack], sizes[sort])
            for sort, local in enumerate(sorts.racks)
            for rack in sorted(local & nodes.keys())
        }
        dues, members = Counter[str](), Counter[str]()
        for seat in seats:
            if seat.rack is not None:
                dues[seat.rack] += seat.due
                members[seat.rack] += 1
        above = connect.connect(extra, self._sink, extras)
        self._ends = {
            rack: (
                [connect.connect(node, self._sink, dues[rack])],
                [connect.connect(node, extra, members[rack]), above],
            )
            for rack, node in nodes.items()
        }

    def begin_with(self, plan: Plan) -> None:
        """Let this flow, as far as there is room for it."""
        for (sort, rack), count in plan.items():
            for end in self._ends[rack]:
                count -= self._network.send([self._into[sort], self._across[sort, rack], *end], count)

    def most(self) -> Plan:
        """Let as much flow as can, and tell what goes from the sorts to the racks."""
        self._network.maximise(self._source, self._sink)
        return Counter({key: flow for key, edge in self._across.items() if (flow := self._network.flow(edge))})

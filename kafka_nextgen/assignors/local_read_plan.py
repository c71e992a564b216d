"""Plan local reads: how many partitions of each rack set go to members of each rack.

A partition is *local* to members in the racks of its replicas, which may read from there (KIP-392). The racks of a
partition's replicas are its *rack set*. Members in the same rack are interchangeable, so the most local reads are the
maximum flow through a small network:

    source -> rack set (its number of partitions) -> each of its racks -> sink (the sum of the quotas of its members)

If some members get one partition beyond their quota, each rack has a second edge towards the sink, with its number of
members as capacity; all these edges together carry at most ``extras``.

The flow starts with the partitions that members already have. The rest is sent along the shortest paths first, so that
few partitions move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from kafka_nextgen.assignors.max_flow import FlowNetwork
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["MemberQuota", "Plan", "RackSets", "plan_local_reads"]

#: How many partitions of a rack set go to a rack where they are local.
Plan = Counter[tuple[int, str]]


@frozen
class RackSets:
    """The index of each partition's rack set, and the racks of each rack set."""

    of_partition: Sequence[int]
    racks: Sequence[Set[str]]


@frozen
class MemberQuota:
    """A member: its rack, the partitions it has, and how many it should get."""

    rack: str | None
    has: Sequence[int]
    quota: int


def plan_local_reads(rack_sets: RackSets, members: Sequence[MemberQuota], extras: int) -> Plan:
    """Maximise local reads when ``extras`` of the members get one partition beyond their quota."""
    network = _LocalReadNetwork(rack_sets, members, extras)
    network.start_with(_local_already(rack_sets, members, 1 if extras else 0))
    return network.most()


def _local_already(rack_sets: RackSets, members: Sequence[MemberQuota], extra: int) -> Plan:
    found: Plan = Counter()
    for member in members:
        found.update(list(_local_to(rack_sets, member))[: member.quota + extra])
    return found


def _local_to(rack_sets: RackSets, member: MemberQuota) -> Iterator[tuple[int, str]]:
    for partition in member.has:
        rack_set = rack_sets.of_partition[partition]
        if member.rack is not None and member.rack in rack_sets.racks[rack_set]:
            yield rack_set, member.rack


class _LocalReadNetwork:
    """Nodes are the rack sets, the racks, the source, one for the extras, and the sink."""

    def __init__(self, rack_sets: RackSets, members: Sequence[MemberQuota], extras: int) -> None:
        racks = sorted({member.rack for member in members if member.rack is not None})
        nodes = {rack: len(rack_sets.racks) + index for index, rack in enumerate(racks)}
        num_nodes = len(rack_sets.racks) + len(racks)
        self._source, extra, self._sink = range(num_nodes, num_nodes + 3)
        self._network = network = FlowNetwork(self._sink + 1)
        sizes = Counter(rack_sets.of_partition)
        self._into = [
            network.connect(self._source, rack_set, sizes[rack_set]) for rack_set in range(len(rack_sets.racks))
        ]
        self._across = {
            (rack_set, rack): network.connect(rack_set, nodes[rack], sizes[rack_set])
            for rack_set, local in enumerate(rack_sets.racks)
            for rack in sorted(local & nodes.keys())
        }
        quotas, counts = Counter[str](), Counter[str]()
        for member in members:
            if member.rack is not None:
                quotas[member.rack] += member.quota
                counts[member.rack] += 1
        above = network.connect(extra, self._sink, extras)
        self._ends = {
            rack: (
                [network.connect(node, self._sink, quotas[rack])],
                [network.connect(node, extra, counts[rack]), above],
            )
            for rack, node in nodes.items()
        }

    def start_with(self, plan: Plan) -> None:
        """Send as much of this flow as there is room for."""
        for (rack_set, rack), count in plan.items():
            for end in self._ends[rack]:
                count -= self._network.send([self._into[rack_set], self._across[rack_set, rack], *end], count)

    def most(self) -> Plan:
        """Maximise the flow; return the flow from rack sets to racks."""
        self._network.maximise(self._source, self._sink)
        return Counter({key: flow for key, edge in self._across.items() if (flow := self._network.flow(edge))})

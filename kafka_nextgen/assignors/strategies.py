"""The assignors of the classic protocol, which the group's leader runs: ``partition.assignment.strategy``.

A group rebalances cooperatively (KIP-429) only if all assignors of its members do. An eager assignor would give a
partition to its new owner before the previous one has revoked it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafka_nextgen.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka_nextgen.assignors.range import RangeAssignor
from kafka_nextgen.assignors.roundrobin import RoundRobinAssignor
from kafka_nextgen.assignors.spec import PartitionAssignor

__all__ = ["DEFAULT_STRATEGIES", "STRATEGIES", "are_cooperative"]

#: Keyed by the name that members use to vote for the assignor.
STRATEGIES: Mapping[str, PartitionAssignor] = {
    assignor.name: assignor for assignor in (RangeAssignor(), RoundRobinAssignor(), CooperativeStickyAssignor())
}

#: Kafka's default: eager until a rolling restart has removed range from all members.
DEFAULT_STRATEGIES = (RangeAssignor.name, CooperativeStickyAssignor.name)


def are_cooperative(names: Iterable[str]) -> bool:
    """Whether a member that offers these assignors rebalances cooperatively."""
    return all(name == CooperativeStickyAssignor.name for name in names)

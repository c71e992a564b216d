"""Built-in assignors of the KIP-848 protocol, by name, for coordinators and members."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.assignors.rack_aware import RackAwareAssignor
from kafka_nextgen.assignors.range import RangeAssignor
from kafka_nextgen.assignors.spec import PartitionAssignor
from kafka_nextgen.assignors.uniform import UniformAssignor
from kafka_nextgen.assignors.weighted import WeightedAssignor

__all__ = ["BUILT_IN"]

#: Keyed by the name that members use to vote for the assignor.
BUILT_IN: Mapping[str, PartitionAssignor] = {
    assignor.name: assignor
    for assignor in (UniformAssignor(), RangeAssignor(), RackAwareAssignor(), WeightedAssignor())
}

"""The assignors there are, by name: those a broker may be told to use, and those that tools run on paper."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.assignors.explaining.settled import SettledCooperativeStickyAssignor
from kafka_nextgen.assignors.rack_aware import RackAwareAssignor
from kafka_nextgen.assignors.range import RangeAssignor
from kafka_nextgen.assignors.roundrobin import RoundRobinAssignor
from kafka_nextgen.assignors.spec import PartitionAssignor
from kafka_nextgen.assignors.uniform import UniformAssignor
from kafka_nextgen.assignors.weighted import WeightedAssignor

__all__ = ["BUILT_IN", "ON_PAPER"]


def _by_name(*assignors: PartitionAssignor) -> Mapping[str, PartitionAssignor]:
    return {assignor.name: assignor for assignor in assignors}


#: For coordinators and for members alike.
BUILT_IN = _by_name(UniformAssignor(), RangeAssignor(), RackAwareAssignor(), WeightedAssignor())

#: These, and those of the classic protocol.
ON_PAPER = {**BUILT_IN, **_by_name(RoundRobinAssignor(), SettledCooperativeStickyAssignor())}

"""Assignors: assign the partitions of a group's topics to its members.

An assignor is a pure function from ``AssignmentSpec`` to ``GroupAssignment``. The coordinator runs ``uniform``,
``range`` (KIP-848, "Server Side Mode") and, if configured, ``rack-aware``. Members can run these, ``weighted``, and the
application's own assignors ("Client Side Mode"). All are ``PartitionAssignor``s. ``explain`` shows what one would do to
a group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    AssignorMetadata,
    ClientAssignor,
    GroupAssignment,
    MemberAssignment,
    MemberSpec,
    Metadata,
    PartitionAssignor,
    PartitionAssignorError,
    TopicMetadata,
)
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.lazy_imports import lazy_dir, lazy_getattr

if TYPE_CHECKING:
    from kafka_nextgen.assignors.explaining import (
        Balance,
        DescribedGroup,
        DescribedMember,
        Explanation,
        Loads,
        MemberChange,
        Move,
        explain,
        spec_of,
    )
    from kafka_nextgen.assignors.hot_standby import HotStandby
    from kafka_nextgen.assignors.rack_aware import RackAwareAssignor
    from kafka_nextgen.assignors.range import RangeAssignor
    from kafka_nextgen.assignors.uniform import UniformAssignor
    from kafka_nextgen.assignors.weighted import WeightedAssignor

__all__ = [
    "AssignmentSpec",
    "AssignorMetadata",
    "Balance",
    "ClientAssignor",
    "ConsumerGroupMetadata",
    "DescribedGroup",
    "DescribedMember",
    "Explanation",
    "GroupAssignment",
    "HotStandby",
    "Loads",
    "MemberAssignment",
    "MemberChange",
    "MemberSpec",
    "Metadata",
    "Move",
    "PartitionAssignor",
    "PartitionAssignorError",
    "RackAwareAssignor",
    "RangeAssignor",
    "TopicMetadata",
    "UniformAssignor",
    "WeightedAssignor",
    "explain",
    "spec_of",
]

#: Not needed where the coordinator assigns, so imported on first use.
_LATER = {
    "Balance": "kafka_nextgen.assignors.explaining",
    "DescribedGroup": "kafka_nextgen.assignors.explaining",
    "DescribedMember": "kafka_nextgen.assignors.explaining",
    "Explanation": "kafka_nextgen.assignors.explaining",
    "HotStandby": "kafka_nextgen.assignors.hot_standby",
    "Loads": "kafka_nextgen.assignors.explaining",
    "MemberChange": "kafka_nextgen.assignors.explaining",
    "Move": "kafka_nextgen.assignors.explaining",
    "RackAwareAssignor": "kafka_nextgen.assignors.rack_aware",
    "RangeAssignor": "kafka_nextgen.assignors.range",
    "UniformAssignor": "kafka_nextgen.assignors.uniform",
    "WeightedAssignor": "kafka_nextgen.assignors.weighted",
    "explain": "kafka_nextgen.assignors.explaining",
    "spec_of": "kafka_nextgen.assignors.explaining",
}

__getattr__ = lazy_getattr(__name__, _LATER)
__dir__ = lazy_dir(__name__)

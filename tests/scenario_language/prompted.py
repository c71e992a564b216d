"""An assignor that a scenario can put words into the mouth of."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.assignors import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignor,
    UniformAssignor,
)
from kafka_nextgen.types import TopicId, TopicIdPartition

__all__ = ["PromptedAssignor"]


class PromptedAssignor(PartitionAssignor):
    """The uniform assignor, unless it was told what to say next."""

    name = "uniform"

    def __init__(self) -> None:
        self.told: dict[str, frozenset[TopicIdPartition]] = {}

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Say what was told, once, or think."""
        if not self.told:
            return UniformAssignor().assign(group)
        told, self.told = self.told, {}
        return GroupAssignment({member_id: _assignment(told, member_id) for member_id in group.members})


def _assignment(told: Mapping[str, frozenset[TopicIdPartition]], member_id: str) -> MemberAssignment:
    share: dict[TopicId, set[int]] = {}
    for partition in told.get(member_id, ()):
        share.setdefault(partition.topic_id, set()).add(partition.partition)
    return MemberAssignment(share)

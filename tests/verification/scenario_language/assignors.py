"""Assignors that a scenario can put words into the mouth of."""

from __future__ import annotations

from attrs import define

from kafka_nextgen.assignors import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignor,
    UniformAssignor,
)
from kafka_nextgen.groups.topic_partitions import to_topic_partitions
from kafka_nextgen.types import TopicIdPartition


class PromptedAssignor(PartitionAssignor):
    """The uniform assignor, unless it was told what to say next."""

    name = "uniform"

    def __init__(self) -> None:
        self.told: dict[str, frozenset[TopicIdPartition]] = {}

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        if not self.told:
            return UniformAssignor().assign(group)
        told, self.told = self.told, {}
        shares = {member_id: to_topic_partitions(told.get(member_id, ())) for member_id in group.members}
        return GroupAssignment({member_id: MemberAssignment(share) for member_id, share in shares.items()})


@define
class Made(PartitionAssignor):
    """It makes this of any group."""

    assignment: GroupAssignment
    name = "mine"

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        return self.assignment


@define
class Raised(PartitionAssignor):
    """It can't assign any group."""

    error: str
    name = "mine"

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        raise ValueError(self.error)

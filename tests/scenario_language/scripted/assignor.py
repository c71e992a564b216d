"""The application's own assignor, as far as a scenario has it do anything."""

from __future__ import annotations

from attrs import define

from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, PartitionAssignor

__all__ = ["Made", "Raised"]


@define
class Made(PartitionAssignor):
    """It makes this of any group."""

    assignment: GroupAssignment
    name = "mine"

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Make it."""
        return self.assignment


@define
class Raised(PartitionAssignor):
    """It can't assign any group."""

    error: str
    name = "mine"

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Raise."""
        raise ValueError(self.error)

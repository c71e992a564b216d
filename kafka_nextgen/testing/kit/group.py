"""The state of a group at one moment, for tests."""

from __future__ import annotations

from kafka_nextgen.admin.values import GroupDescription, GroupState, GroupType, MemberDescription
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["Group"]


@frozen
class Group:
    """A group of any type. One that does not exist has the state DEAD and no members, so a test can wait for it.

    ``epoch`` is the group epoch, None for a classic group and one that does not exist. ``assignor`` is the current
    assignor, empty before the first assignment.
    """

    group_id: str
    state: GroupState = GroupState.DEAD
    type: GroupType = GroupType.UNKNOWN
    epoch: int | None = None
    assignor: str = ""
    members: tuple[MemberDescription, ...] = ()

    @classmethod
    def described(cls, group: GroupDescription) -> Group:
        """Return the group of this description."""
        return cls(group.group_id, group.state, group.type, group.group_epoch, group.assignor, group.members)

    @property
    def is_stable(self) -> bool:
        """Whether the group has members, and each has reached the group's epoch and owns its target assignment."""
        return (
            self.state is GroupState.STABLE
            and bool(self.members)
            and all(member.is_at_target for member in self.members)
        )

    @property
    def assignment(self) -> dict[str, frozenset[TopicPartition]]:
        """The partitions that each member owns, by member id."""
        return {member.member_id: member.assignment or frozenset() for member in self.members}

    @property
    def owners(self) -> dict[TopicPartition, str]:
        """The id of the member that owns each partition; partitions without an owner are left out."""
        return {tp: member_id for member_id, owned in self.assignment.items() for tp in sorted(owned)}

    def __str__(self) -> str:
        """The state, then a line for each member."""
        if self.state is GroupState.DEAD:
            return f"group {self.group_id} does not exist"
        epoch = "" if self.epoch is None else f", epoch {self.epoch}"
        members = "1 member" if len(self.members) == 1 else f"{len(self.members)} members"
        first = f"{self.type.value} group {self.group_id}: {self.state.value}{epoch}, {members}"
        return "\n".join([first, *map(_line, self.members)])


def _line(member: MemberDescription) -> str:
    name = member.instance_id or member.client_id
    epoch = "" if member.member_epoch is None else f" at epoch {member.member_epoch}"
    pending = "" if member.is_at_target else f", should own {format_partitions(member.target or ())}"
    return f"  {name}/{member.member_id}{epoch} owns {format_partitions(member.assignment or ())}{pending}"

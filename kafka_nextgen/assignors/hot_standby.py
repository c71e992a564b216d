"""Hot standby in groups whose members compute the assignment: some are active, the others stand by (KIP-345, "Future
Works").

This is for the classic protocol on any cluster, where the group's leader assigns; with the extensions of this project's
coordinator, ``group.target.size`` does the same in the consumer protocol, and uses the order in which members joined.

* The active members are those that already have partitions. Others follow in the order of instance ids, then of member
  ids, until there are ``target_size`` active members.
* ``among`` assigns the partitions to them. A sticky assignor, such as the default, gives a member that takes over
  exactly the partitions of its predecessor, and moves no others.
* If no active member subscribes to a topic, its first subscriber in the same order is active, too. Then each partition
  has a reader, although the group exceeds its target size.
"""

from __future__ import annotations

from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, PartitionAssignor
from kafka_nextgen.assignors.subscriptions import static_members_first
from kafka_nextgen.assignors.uniform import UniformAssignor
from kafka_nextgen.errors import MisuseError

__all__ = ["HotStandby"]


class HotStandby(PartitionAssignor):
    """Keeps at most ``target_size`` members active, and has ``among`` assign the partitions to them.

    Raises:
        MisuseError: ``target_size`` is below 1.
    """

    name = "hot-standby"

    def __init__(self, target_size: int, among: PartitionAssignor | None = None) -> None:
        if isinstance(target_size, bool) or not isinstance(target_size, int) or target_size < 1:
            raise MisuseError(f"target_size must be at least 1, not {target_size!r}")
        self.target_size = target_size
        self.among = UniformAssignor() if among is None else among

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Assign the partitions to the active members; the others get none."""
        active = {member_id: group.members[member_id] for member_id in self._active(group)}
        return self.among.assign(AssignmentSpec(active, group.topics))

    def _active(self, group: AssignmentSpec) -> list[str]:
        in_order = static_members_first(group.members)
        in_order.sort(key=lambda member_id: not any(group.members[member_id].target.values()))
        active, covered = in_order[: self.target_size], set[str]()
        for member_id in active:
            covered |= group.members[member_id].subscribed_topics
        for member_id in in_order[self.target_size :]:
            if not group.members[member_id].subscribed_topics <= covered:
                active.append(member_id)
                covered |= group.members[member_id].subscribed_topics
        return active

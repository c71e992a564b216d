"""Hot standby in groups whose members compute the assignment: some are active, the others stand by (KIP-345, "Future
Works").

This is for the classic protocol on any cluster, where the group's leader assigns; with the extensions of this project's
coordinator, ``group.target.size`` does the same in the consumer protocol, and uses the order in which members joined.

* The active members are those that already have partitions. Others follow in the order of instance ids, then of member
  ids, until there are ``target_size`` active members.
* ``among`` assigns the partitions to them. A sticky assignor, such as the default, gives a member that takes over
  exactly the partitions of its predecessor, and moves no others.
* The others get metadata: their place among the standbys, and the partitions of the active members, which they may get
  (``standby_metadata``).
* If no active member subscribes to a topic, its first subscriber in the same order is active, too. Then each partition
  has a reader, although the group exceeds its target size.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, MemberAssignment, PartitionAssignor
from kafka_nextgen.assignors.standby_metadata import HOT_STANDBY, StandbyWord, write_standby_word
from kafka_nextgen.assignors.subscriptions import static_members_first
from kafka_nextgen.assignors.uniform import UniformAssignor
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.types import TopicPartition

__all__ = ["HotStandby"]


class HotStandby(PartitionAssignor):
    """Keeps at most ``target_size`` members active, and has ``among`` assign the partitions to them.

    Raises:
        MisuseError: ``target_size`` is below 1.
    """

    name = HOT_STANDBY

    def __init__(self, target_size: int, among: PartitionAssignor | None = None) -> None:
        if isinstance(target_size, bool) or not isinstance(target_size, int) or target_size < 1:
            raise MisuseError(f"target_size must be at least 1, not {target_size!r}")
        self.target_size = target_size
        self.among = UniformAssignor() if among is None else among

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Assign the partitions to the active members; the others get none, but their places as standbys."""
        in_order = static_members_first(group.members)
        in_order.sort(key=lambda member_id: not any(group.members[member_id].target.values()))
        chosen = self._active(group, in_order)
        active = {member_id: group.members[member_id] for member_id in chosen}
        shared = self.among.assign(AssignmentSpec(active, group.topics))
        standbys = [member_id for member_id in in_order if member_id not in active]
        words = {
            member_id: StandbyWord(place, _may_get(group, shared, member_id))
            for place, member_id in enumerate(standbys, start=1)
        }
        told = {member_id: MemberAssignment(metadata=write_standby_word(word)) for member_id, word in words.items()}
        return evolve(shared, members={**shared.members, **told})

    def _active(self, group: AssignmentSpec, in_order: Sequence[str]) -> list[str]:
        active, covered = list(in_order[: self.target_size]), set[str]()
        for member_id in active:
            covered |= group.members[member_id].subscribed_topics
        for member_id in in_order[self.target_size :]:
            if not group.members[member_id].subscribed_topics <= covered:
                active.append(member_id)
                covered |= group.members[member_id].subscribed_topics
        return active


def _may_get(group: AssignmentSpec, shared: GroupAssignment, member_id: str) -> frozenset[TopicPartition]:
    """The partitions of the active members, of topics that the standby subscribes to."""
    subscribed = group.members[member_id].subscribed_topics
    return frozenset(
        TopicPartition(group.topics[topic_id].name, partition)
        for share in shared.members.values()
        for topic_id, partitions in share.partitions.items()
        if group.topics[topic_id].name in subscribed
        for partition in partitions
    )

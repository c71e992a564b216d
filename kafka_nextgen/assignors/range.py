"""The range assignor: every topic is cut into contiguous ranges, one per member subscribed to it.

Members stand in line, static ones first by instance id, then the others by member id; that line, not the previous
assignment, decides who gets what. So partition 7 of ``orders`` and partition 7 of ``payments`` meet at the same
member as long as both topics have as many partitions and the same subscribers: the topics are co-partitioned
(KIP-848, "Server Side Mode"). With p partitions and m subscribers everybody gets p // m, the first p % m one more.
"""

from __future__ import annotations

from itertools import pairwise

from kafka_nextgen.assignors.line import place_in_line
from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignor,
)
from kafka_nextgen.types import TopicId

__all__ = ["RangeAssignor"]


class RangeAssignor(PartitionAssignor):
    """Contiguous ranges per topic; keeps topics co-partitioned, does not mind moving partitions."""

    name = "range"

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Cut each topic into ranges, in the line of its subscribers."""
        shares: dict[str, dict[TopicId, range]] = {member_id: {} for member_id in group.members}
        subscribers = _subscribers(group)
        for topic_id, topic in group.topics.items():
            in_line = subscribers.get(topic.name, [])
            for member_id, share in zip(in_line, _ranges(topic.num_partitions, len(in_line)), strict=True):
                if share:
                    shares[member_id][topic_id] = share
        return GroupAssignment(
            {
                member_id: MemberAssignment({topic_id: frozenset(share) for topic_id, share in topics.items()})
                for member_id, topics in shares.items()
            }
        )


def _subscribers(group: AssignmentSpec) -> dict[str, list[str]]:
    """The line of members in front of each topic, by the topic's name."""
    subscribers: dict[str, list[str]] = {}
    for member_id, member in sorted(group.members.items(), key=place_in_line):
        for name in member.subscribed_topics:
            subscribers.setdefault(name, []).append(member_id)
    return subscribers


def _ranges(num_partitions: int, num_members: int) -> list[range]:
    if num_members == 0:
        return []
    share, extra = divmod(num_partitions, num_members)
    firsts = [place * share + min(place, extra) for place in range(num_members + 1)]
    return [range(first, after) for first, after in pairwise(firsts)]

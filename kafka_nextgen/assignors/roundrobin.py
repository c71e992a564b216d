"""The round robin assignor of the classic protocol: all partitions are dealt to all members, one by one.

Partitions are dealt in the order of topic names and numbers. Members take turns: static ones first, by instance id, so
that a restart changes nothing (KIP-345), then dynamic ones by member id. A member that is not subscribed to the topic
loses its turn.
"""

from __future__ import annotations

from itertools import cycle

from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, MemberAssignment, PartitionAssignor
from kafka_nextgen.assignors.subscriptions import static_members_first
from kafka_nextgen.types import TopicId

__all__ = ["RoundRobinAssignor"]


class RoundRobinAssignor(PartitionAssignor):
    """Balanced over all topics together. Not sticky."""

    name = "roundrobin"

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Deal the partitions of all subscribed topics."""
        shares: dict[str, dict[TopicId, set[int]]] = {member_id: {} for member_id in group.members}
        subscribed = {name for member in group.members.values() for name in member.subscribed_topics}
        ring = cycle(static_members_first(group.members))
        for topic_id, topic in sorted(group.topics.items(), key=lambda item: (item[1].name, item[0])):
            if topic.name not in subscribed:
                continue
            for partition in range(topic.num_partitions):
                taker = next(
                    member_id for member_id in ring if topic.name in group.members[member_id].subscribed_topics
                )
                shares[taker].setdefault(topic_id, set()).add(partition)
        return GroupAssignment({member_id: MemberAssignment(share) for member_id, share in shares.items()})

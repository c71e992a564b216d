"""An assignor as an application would bring one: partitions by the weights that the members state."""

from __future__ import annotations

from attrs import define, field

from kafka_nextgen.assignors import (
    AssignmentSpec,
    AssignorMetadata,
    ConsumerGroupMetadata,
    GroupAssignment,
    MemberAssignment,
    Metadata,
    PartitionAssignor,
)
from kafka_nextgen.types import TopicId


@define
class Weighing(PartitionAssignor):
    """Each partition goes to who then has the least for its weight. ``heard`` is what ``on_assignment`` is told."""

    weight: int = 1
    error: Exception | None = None  # raised instead of assigning
    asked: int = 0
    topic_ids: set[TopicId] = field(factory=set)  # of what it was shown, or told
    heard: list[tuple[ConsumerGroupMetadata, int, str]] = field(factory=list)
    name = "weighing"

    def metadata(self) -> AssignorMetadata:
        return AssignorMetadata(metadata=Metadata(payload=str(self.weight).encode()))

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        self.asked += 1
        self.topic_ids |= group.topics.keys()
        if self.error is not None:
            raise self.error
        weights = {member_id: int(member.metadata.payload) for member_id, member in group.members.items()}
        shares: dict[str, dict[TopicId, set[int]]] = {member_id: {} for member_id in weights}
        counts = dict.fromkeys(sorted(weights), 0)
        for topic_id, topic in sorted(group.topics.items()):
            for number in range(topic.num_partitions):
                member_id = min(counts, key=lambda each: ((counts[each] + 1) / weights[each], each))
                counts[member_id] += 1
                shares[member_id].setdefault(topic_id, set()).add(number)
        told = {
            member_id: Metadata(payload=f"{counts[member_id]} of {sum(counts.values())}".encode())
            for member_id in shares
        }
        return GroupAssignment(
            {member_id: MemberAssignment(shares[member_id], told[member_id]) for member_id in shares}
        )

    def on_assignment(self, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata) -> None:
        self.topic_ids |= assignment.partitions.keys()
        count = sum(map(len, assignment.partitions.values()))
        told = assignment.metadata.payload.decode() if assignment.metadata is not None else ""
        self.heard.append((group, count, told))

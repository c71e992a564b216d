"""What a target assignment has to be before it counts: no partition with two owners because an assignor says so.

An assignor may be anybody's code. Whatever it made of a group, each partition of each subscribed topic has to be with
exactly one member, one that is in the group and subscribes to the topic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set

from kafka_nextgen.assignors import AssignmentSpec, GroupAssignment, PartitionAssignorError, TopicMetadata
from kafka_nextgen.types import TopicId, TopicPartition, format_partitions

__all__ = ["check_assignment"]


def check_assignment(spec: AssignmentSpec, assignment: GroupAssignment) -> None:
    """Raise ``PartitionAssignorError`` if this is not an assignment of the group."""
    given: dict[TopicId, tuple[str, list[Set[int]]]] = {
        topic_id: (topic.name, []) for topic_id, topic in spec.topics.items()
    }
    for member_id, share in assignment.members.items():
        member = spec.members.get(member_id)
        if member is None:
            raise PartitionAssignorError(f"it assigns to {member_id!r}, who is no member")
        for topic_id, numbers in share.partitions.items():
            if topic_id not in given:
                raise PartitionAssignorError(f"it assigns topic {topic_id}, which nobody subscribes to")
            name, shares = given[topic_id]
            if name not in member.subscribed_topics:
                raise PartitionAssignorError(f"it assigns {name!r} to {member_id!r}, who does not subscribe to it")
            shares.append(numbers)
    for topic_id, (_, shares) in given.items():
        _check_topic(spec.topics[topic_id], shares)


def _check_topic(topic: TopicMetadata, shares: Sequence[Set[int]]) -> None:
    """Taking every share away from all there is leaves nothing, and takes as many as there are."""
    every = set(range(topic.num_partitions))
    left = every.difference(*shares)
    if not left and sum(map(len, shares)) == len(every):
        return
    counts = Counter(number for numbers in shares for number in numbers)
    if unknown := counts.keys() - every:
        raise PartitionAssignorError(f"it assigns {_named(topic, unknown)}, which there is not")
    if twice := [number for number, count in counts.items() if count > 1]:
        raise PartitionAssignorError(f"it assigns {_named(topic, twice)} more than once")
    raise PartitionAssignorError(f"it does not assign {_named(topic, left)}")


def _named(topic: TopicMetadata, numbers: Iterable[int]) -> str:
    return format_partitions(TopicPartition(topic.name, number) for number in numbers)

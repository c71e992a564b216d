"""Validate an assignment against the group that was passed to the assignor.

KIP-848, "ConsumerGroupInstallAssignment": every partition of a subscribed topic is assigned to exactly one member, and
the assignment contains only members and partitions of the given group. Members without partitions may be left out. If
the assignor returns an error, partitions may stay unassigned. The only metadata version that a member is certain to
read is the version that it wrote itself, so its metadata has to be in that version ("Assignor Behavior").

Assignments are nearly always valid, so topics are checked as sets first: subtracting all shares of a topic from its
partitions must remove exactly as many partitions as the shares contain. If it does not, partitions are checked one by
one to describe the flaw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignorError,
    TopicMetadata,
)
from kafka_nextgen.types import TopicId, TopicPartition, format_partitions

__all__ = ["check_assignment", "flaw_of", "flaws_in"]

#: The number of partitions named in an error.
_NAMED = 10

#: The shares of a topic, by member id.
Shares = list[tuple[str, Set[int]]]
Given = dict[TopicId, Shares]


def check_assignment(group: AssignmentSpec, assignment: GroupAssignment) -> None:
    """Raise ``PartitionAssignorError`` with the first flaw, whether or not the assignor returns an error."""
    for flaw in flaws_in(GroupAssignment(assignment.members), group):
        raise PartitionAssignorError(f"it {flaw}")


def flaw_of(assignment: GroupAssignment, group: AssignmentSpec) -> str | None:
    """The first flaw, worded to follow "the assignor"; None if the assignment is valid."""
    return next(flaws_in(assignment, group), None)


def flaws_in(assignment: GroupAssignment, group: AssignmentSpec) -> Iterator[str]:
    """All flaws, each worded to follow "the assignor"."""
    given: Given = {topic_id: [] for topic_id in group.topics}
    non_members = sorted(assignment.members.keys() - group.members.keys())
    if non_members:
        names = ", ".join(non_members)
        yield f"gave partitions to {names}, which the group whose assignment was requested does not contain"
    for member_id, share in assignment.members.items():
        if member_id in group.members:
            yield from _take(member_id, share, group, given)
    left = {}
    for topic_id, shares in given.items():
        topic = group.topics[topic_id]
        left[topic_id] = set(range(topic.num_partitions)).difference(*(numbers for _, numbers in shares))
        if topic.num_partitions - len(left[topic_id]) != sum(len(numbers) for _, numbers in shares):
            yield from _flaws_in_topic(topic, shares)
    if not assignment.error:
        yield from _left_out(group, {topic_id: numbers for topic_id, numbers in left.items() if numbers})
    yield from _wrong_metadata_versions(assignment, group)


def _take(member_id: str, share: MemberAssignment, group: AssignmentSpec, given: Given) -> Iterator[str]:
    subscribed = group.members[member_id].subscribed_topics
    for topic_id, numbers in share.partitions.items():
        if topic_id not in given:
            yield f"gave {member_id} partitions of topic id {topic_id}, which is not one of the topics to assign"
            continue
        if numbers and (name := group.topics[topic_id].name) not in subscribed:
            yield f"gave {member_id} partitions of {name}, which it does not subscribe to"
        given[topic_id].append((member_id, numbers))


def _flaws_in_topic(topic: TopicMetadata, shares: Shares) -> Iterator[str]:
    owners: dict[int, str] = {}
    for member_id, numbers in shares:
        for number in sorted(numbers):
            if not 0 <= number < topic.num_partitions:
                yield f"gave {member_id} {topic.name}[{number}], but the topic has {topic.num_partitions} partitions"
            elif (owner := owners.setdefault(number, member_id)) != member_id:
                yield f"gave {topic.name}[{number}] to both {owner} and {member_id}"


def _left_out(group: AssignmentSpec, left: Mapping[TopicId, Set[int]]) -> Iterator[str]:
    wanted = {name for member in group.members.values() for name in member.subscribed_topics} if left else set()
    missing = sorted(
        TopicPartition(group.topics[topic_id].name, number)
        for topic_id, numbers in left.items()
        if group.topics[topic_id].name in wanted
        for number in numbers
    )
    if missing:
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        yield f"left {format_partitions(missing[:_NAMED])}{more} unassigned"


def _wrong_metadata_versions(assignment: GroupAssignment, group: AssignmentSpec) -> Iterator[str]:
    for member_id, share in sorted(assignment.members.items()):
        if share.metadata is not None and member_id in group.members:
            version, wrote = share.metadata.version, group.members[member_id].metadata.version
            if version != wrote:
                yield f"wrote metadata for {member_id} in version {version}, but {member_id} wrote version {wrote}"

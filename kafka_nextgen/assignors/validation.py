"""Whether what an assignor made of a group may be put in force, judged by the very group it was asked about.

KIP-848, "ConsumerGroupInstallAssignment": every partition of a topic that somebody subscribes to is given to one
member, and to no other; there are no members and no partitions but those the assignor was shown. A member that gets
nothing may be left out. What an assignor that states an error leaves out stays nobody's. A member reads for certain
only the version of metadata that it wrote itself, so what it is told has to be in that ("Assignor Behavior").

An assignment is nearly always right, and then it is found to be so without a look at each partition: taking all shares
of a topic away from what there is leaves nothing, and takes as many as there are. Where that does not come out even,
partitions are gone through one by one, to say what is wrong.
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

#: An error has room for so many partitions.
_NAMED = 10

#: Who was given what of a topic.
Shares = list[tuple[str, Set[int]]]
Given = dict[TopicId, Shares]


def check_assignment(group: AssignmentSpec, assignment: GroupAssignment) -> None:
    """Raise ``PartitionAssignorError`` with the first flaw, whether or not the assignor states an error."""
    for flaw in flaws_in(GroupAssignment(assignment.members), group):
        raise PartitionAssignorError(f"it {flaw}")


def flaw_of(assignment: GroupAssignment, group: AssignmentSpec) -> str | None:
    """What is wrong with it, to be read after "the assignor"; None if it may be put in force."""
    return next(flaws_in(assignment, group), None)


def flaws_in(assignment: GroupAssignment, group: AssignmentSpec) -> Iterator[str]:
    """Everything that is wrong with it, each to be read after "the assignor"."""
    given: Given = {topic_id: [] for topic_id in group.topics}
    strangers = sorted(assignment.members.keys() - group.members.keys())
    if strangers:
        yield f"gave partitions to {', '.join(strangers)}, who is no member of the group it was asked about"
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
    yield from _foreign_words(assignment, group)


def _take(member_id: str, share: MemberAssignment, group: AssignmentSpec, given: Given) -> Iterator[str]:
    subscribed = group.members[member_id].subscribed_topics
    for topic_id, numbers in share.partitions.items():
        if topic_id not in given:
            yield f"gave {member_id} partitions of topic id {topic_id}, which it was not shown"
            continue
        if numbers and (name := group.topics[topic_id].name) not in subscribed:
            yield f"gave {member_id} partitions of {name}, which it does not subscribe to"
        given[topic_id].append((member_id, numbers))


def _flaws_in_topic(topic: TopicMetadata, shares: Shares) -> Iterator[str]:
    owners: dict[int, str] = {}
    for member_id, numbers in shares:
        for number in sorted(numbers):
            if not 0 <= number < topic.num_partitions:
                yield f"gave {member_id} {topic.name}[{number}], of {topic.num_partitions} partitions"
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
        yield f"gave {format_partitions(missing[:_NAMED])}{more} to nobody"


def _foreign_words(assignment: GroupAssignment, group: AssignmentSpec) -> Iterator[str]:
    for member_id, share in sorted(assignment.members.items()):
        if share.metadata is not None and member_id in group.members:
            version, wrote = share.metadata.version, group.members[member_id].metadata.version
            if version != wrote:
                yield f"wrote metadata for {member_id} in version {version}, and {member_id} wrote {wrote}"

"""Whether what an assignor made of a group may be put in force, judged by the very group it was asked about.

KIP-848, "ConsumerGroupInstallAssignment": every partition of a topic that somebody subscribes to is given to one
member, and to no other; there are no members and no partitions but those the assignor was shown. A member that gets
nothing may be left out. What an assignor that states an error leaves out stays nobody's.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, MemberAssignment
from kafka_nextgen.types import TopicId, TopicPartition, format_partitions

__all__ = ["flaw_of"]

#: An error has room for so many partitions.
_NAMED = 10


def flaw_of(assignment: GroupAssignment, group: AssignmentSpec) -> str | None:
    """What is wrong with it, to be read after "the assignor"; None if it may be put in force."""
    strangers = sorted(assignment.members.keys() - group.members.keys())
    if strangers:
        return f"gave partitions to {', '.join(strangers)}, who is no member of the group it was asked about"
    owners: dict[tuple[TopicId, int], str] = {}
    for member_id, share in assignment.members.items():
        for flaw in _flaws_of_share(member_id, share, group, owners):
            return flaw
    return None if assignment.error else _left_out(group, owners)


def _flaws_of_share(
    member_id: str, share: MemberAssignment, group: AssignmentSpec, owners: dict[tuple[TopicId, int], str]
) -> Iterator[str]:
    for topic_id, numbers in share.partitions.items():
        topic = group.topics.get(topic_id)
        if topic is None:
            yield f"gave {member_id} partitions of topic id {topic_id}, which it was not shown"
            return
        if numbers and topic.name not in group.members[member_id].subscribed_topics:
            yield f"gave {member_id} partitions of {topic.name}, which it does not subscribe to"
        for number in numbers:
            if not 0 <= number < topic.num_partitions:
                yield f"gave {member_id} {topic.name}[{number}], of {topic.num_partitions} partitions"
            owner = owners.setdefault((topic_id, number), member_id)
            if owner != member_id:
                yield f"gave {topic.name}[{number}] to both {owner} and {member_id}"


def _left_out(group: AssignmentSpec, owners: dict[tuple[TopicId, int], str]) -> str | None:
    wanted = {name for member in group.members.values() for name in member.subscribed_topics}
    missing = [
        TopicPartition(topic.name, number)
        for topic_id, topic in group.topics.items()
        if topic.name in wanted
        for number in range(topic.num_partitions)
        if (topic_id, number) not in owners
    ]
    if not missing:
        return None
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    return f"gave {format_partitions(missing[:_NAMED])}{more} to nobody"

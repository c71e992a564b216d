"""The target assignment: when a new one is made, by which assignor, and which records store it.

The first heartbeat that finds the assignment epoch behind the group epoch makes it (KIP-848, "Assignment Epoch -
Compute the group assignment"). Since Kafka 4.3 each target is kept for a minimum interval, so that a hundred members
joining within a second cause two assignments instead of a hundred (KIP-1263); a group's first is made immediately.

The assignor with the most votes is used; on a tie, or without votes, the assignor configured first. It sees the
previous *target*, not the members' current assignments, and leaves out members that wait for expected instances. If it
fails, the heartbeat is refused without effect.

With extensions a member may make the target instead; it takes effect when that member installs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from types import MappingProxyType

from kafka_nextgen.assignors import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    MemberSpec,
    PartitionAssignor,
    TopicMetadata,
)
from kafka_nextgen.assignors.validation import check_assignment
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.records import TargetAssignmentMember, TargetAssignmentMetadata
from kafka_nextgen.groups.topic_partitions import NOTHING, TopicPartitions
from kafka_nextgen.testing.coordinator.draft import Draft, Refusal
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.types import TopicId

__all__ = ["chosen_assignor", "group_spec", "retarget", "write_shares"]

_EMPTY = MemberAssignment()


def retarget(draft: Draft) -> Refusal | None:
    """Make a new target assignment if one is due; return the refusal if the assignor fails."""
    if not _is_due(draft) or draft.hooks.retarget(draft):
        return None
    group, assignor = draft.group, chosen_assignor(draft.group, draft.settings)
    spec = group_spec(draft)
    try:
        assignment = assignor.assign(spec)
        check_assignment(spec, assignment)
    except Exception as error:  # an assignor may be third-party code; its bugs must not break the coordinator
        return Refusal(
            ErrorCode.UNKNOWN_SERVER_ERROR,
            f"assignor {assignor.name!r} can't assign group {group.group_id!r} at epoch {group.epoch}: {error}",
        )
    write_shares(draft, _touched(draft, spec, assignment), assignment.members)
    draft.write(TargetAssignmentMetadata(group.group_id, group.epoch, draft.now_ms))
    draft.hooks.assignment_made(draft)
    return None


def chosen_assignor(group: Group, settings: CoordinatorSettings) -> PartitionAssignor:
    """The assignor of the group's next target assignment."""
    return max(settings.group_consumer_assignors, key=lambda assignor: group.votes.get(assignor.name, 0))


def _is_due(draft: Draft) -> bool:
    group, interval_ms = draft.group, draft.settings.assignment_interval_ms
    if group.assignment_epoch >= group.epoch:
        return False
    if group.assignment_timestamp_ms == 0 or interval_ms == 0 or draft.hooks.is_urgent(group):
        return True
    return draft.now_ms >= group.assignment_timestamp_ms + interval_ms


def group_spec(draft: Draft) -> AssignmentSpec:
    """The group as assignors see it, read-only."""
    group = draft.group
    subscribed, targets = group.counted_topics(), dict(group.targets.items())
    subscriptions: dict[tuple[object, ...], frozenset[str]] = {}
    members: dict[str, MemberSpec] = {}
    for member in group.counted():
        key = (member.subscribed_topics, member.subscribed_pattern)
        names = subscriptions.get(key)
        if names is None:  # members with equal subscriptions share one set, so they are quick to compare
            names = subscriptions[key] = group.topics_of(member)
        target = MappingProxyType(targets.get(member.member_id, NOTHING))
        members[member.member_id] = MemberSpec(names, target, member.instance_id, member.rack_id)
    topics = (topic for name, topic in draft.topics.by_name.items() if name in subscribed)
    return AssignmentSpec(
        members,
        {topic.topic_id: TopicMetadata(topic.name, topic.num_partitions, topic.partition_racks) for topic in topics},
    )


def _touched(draft: Draft, spec: AssignmentSpec, assignment: GroupAssignment) -> list[str]:
    """The members whose target is not the identical object; the others did not change."""
    targets, metadata = dict(draft.group.targets.items()), dict(draft.group.target_metadata.items())
    return [
        member_id
        for member_id, member in spec.members.items()
        if assignment.members.get(member_id, _EMPTY).partitions is not member.target
        or member_id not in targets
        or member_id in metadata
    ]


def write_shares(draft: Draft, member_ids: Iterable[str], given: Mapping[str, MemberAssignment]) -> None:
    """Write the changed targets of these members. The caller writes the epoch next, so it is never ahead of them."""
    group = draft.group
    for member_id in sorted(member_ids):
        share = given.get(member_id, _EMPTY)
        new = _own(share.partitions)
        if new != group.targets.get(member_id) or share.metadata != group.target_metadata.get(member_id):
            draft.write(TargetAssignmentMember(group.group_id, member_id, new, share.metadata))


def _own(partitions: Mapping[TopicId, Set[int]]) -> TopicPartitions:
    """An immutable copy, which no assignor can change afterwards."""
    return {topic_id: frozenset(numbers) for topic_id, numbers in partitions.items() if numbers}

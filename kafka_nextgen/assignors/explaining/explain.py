"""Run an assignor on a group and compare its assignment with the current target.

If the assignor raises or returns an invalid assignment, the explanation says so, and ``explain`` does not raise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from kafka_nextgen.assignors.explaining.described_group import DescribedGroup, spec_of
from kafka_nextgen.assignors.explaining.explanation import Explanation, MemberChange, Move
from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, MemberSpec, PartitionAssignor, TopicMetadata
from kafka_nextgen.assignors.subscriptions import static_members_first
from kafka_nextgen.assignors.validation import flaws_in
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["explain"]

Partitions = frozenset[TopicPartition]

#: Loads by member id, before and after; unknown ones are left out.
Loads = tuple[Mapping[str, float], Mapping[str, float]]
_UNMEASURED: Loads = ({}, {})


def explain(
    assignor: PartitionAssignor,
    group: AssignmentSpec | DescribedGroup,
    topics: Mapping[TopicId, TopicMetadata] | None = None,
) -> Explanation:
    """What the assignor would do to a group: balance, moves, stickiness, and what each member gains and loses.

    Args:
        assignor: any assignor, built in or the application's. Its errors are in the explanation.
        group: the group as assignors see it, as ``GroupAdmin.assignment_spec`` reads it from a cluster, or a
            description of it by ``GroupAdmin.describe``.
        topics: the topics of a described group; without them, partition counts are derived from the members, and racks
            are unknown.

    Raises:
        ConfigError: a subscription pattern in a description can't be matched here.
    """
    spec = group if isinstance(group, AssignmentSpec) else spec_of(group, topics, assignor.name)
    try:
        assignment = assignor.assign(spec)
        if not isinstance(assignment, GroupAssignment):
            raise TypeError(f"it returned {type(assignment).__name__} instead of a GroupAssignment")
        flaws = tuple(flaws_in(assignment, spec))
        after = {name: _named(share.partitions, spec) for name, share in assignment.members.items()}
        loads = _loads(assignor, spec, assignment)
    except Exception as error:  # the application's assignors may raise or return anything
        failure = f"{type(error).__name__}: {error}"
        return Explanation(assignor.name, tuple(_changes(spec, None, _UNMEASURED)), (), failure=failure)
    changes = tuple(_changes(spec, after, loads))
    return Explanation(assignor.name, changes, tuple(_moves(changes)), flaws, error=assignment.error)


def _named(share: Mapping[TopicId, Set[int]], spec: AssignmentSpec) -> Partitions:
    names = {topic_id: spec.topics[topic_id].name if topic_id in spec.topics else str(topic_id) for topic_id in share}
    return frozenset(TopicPartition(names[topic_id], int(n)) for topic_id, numbers in share.items() for n in numbers)


def _loads(assignor: PartitionAssignor, spec: AssignmentSpec, assignment: GroupAssignment) -> Loads:
    had = assignor.loads(spec, {member_id: member.target for member_id, member in spec.members.items()})
    gets = assignor.loads(spec, {member_id: share.partitions for member_id, share in assignment.members.items()})
    return had or {}, gets or {}


def _changes(spec: AssignmentSpec, after: Mapping[str, Partitions] | None, loads: Loads) -> Iterator[MemberChange]:
    """The change of each member; without an assignment nothing changes."""
    topics = {topic.name: topic for topic in spec.topics.values()}
    for member_id in static_members_first(spec.members):
        member = spec.members[member_id]
        has = _named(member.target, spec)
        gets = has if after is None else after.get(member_id, frozenset())
        yield MemberChange(
            member_id=member_id,
            instance_id=member.instance_id,
            rack_id=member.rack_id,
            before=has,
            after=gets,
            could_stay=frozenset(tp for tp in has if _could_stay(tp, member, topics)),
            across_before=frozenset(tp for tp in has if _is_across(tp, member, topics)),
            across_after=frozenset(tp for tp in gets if _is_across(tp, member, topics)),
            load_before=loads[0].get(member_id),
            load_after=loads[1].get(member_id),
        )


def _could_stay(partition: TopicPartition, member: MemberSpec, topics: Mapping[str, TopicMetadata]) -> bool:
    topic = topics.get(partition.topic)
    return (
        topic is not None and partition.partition < topic.num_partitions and partition.topic in member.subscribed_topics
    )


def _is_across(partition: TopicPartition, member: MemberSpec, topics: Mapping[str, TopicMetadata]) -> bool:
    topic = topics.get(partition.topic)
    if topic is None or member.rack_id is None or not 0 <= partition.partition < len(topic.partition_racks):
        return False
    racks = topic.partition_racks[partition.partition]
    return bool(racks) and member.rack_id not in racks


def _moves(changes: tuple[MemberChange, ...]) -> Iterator[Move]:
    """The partitions that move to another member, or to none."""
    givers = {partition: change.member_id for change in changes for partition in change.loses}
    taken = [(partition, change.member_id) for change in changes for partition in change.gains]
    for partition, taker in sorted(taken):
        yield Move(partition, givers.get(partition), taker)
    for partition in sorted(givers.keys() - {partition for partition, _ in taken}):
        yield Move(partition, givers[partition], None)

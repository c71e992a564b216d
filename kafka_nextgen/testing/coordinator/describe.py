"""Describe, list and delete groups: ConsumerGroupDescribe, DescribeGroups, and ListGroups and DeleteGroups for both
group types.

A group is *Empty* without members, *Assigning* while its target assignment is behind its epoch, *Reconciling*
until every member is stable at the target's epoch, then *Stable* (KIP-848, "Consumer Group States"). A group id
that has only offsets is an empty classic group without a type, as in Kafka.

In a classic group, members' metadata and assignments belong to a generation, so they are shown only while the group is
stable.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.described import (
    DescribedClassicGroup,
    DescribedClassicMember,
    DescribedGroup,
    DescribedMember,
)
from kafka_nextgen.groups.listed import GroupsListed, ListedGroup
from kafka_nextgen.groups.topic_partitions import flatten
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicStatus
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.removal import write_group_removal
from kafka_nextgen.testing.coordinator.requests import ListGroups
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.testing.coordinator.target import chosen_assignor

__all__ = ["delete_group", "describe_classic_group", "describe_group", "list_groups", "state_of"]


def state_of(group: Group) -> str:
    """The group's state, by Kafka's name."""
    if not group.members:
        return "Empty"
    if group.epoch > group.assignment_epoch:
        return "Assigning"
    settled = all(
        current.status is r.MemberStatus.STABLE and current.member_epoch == group.assignment_epoch
        for current in map(group.current, group.members)
    )
    return "Stable" if settled else "Reconciling"


def describe_group(group: Group, settings: CoordinatorSettings) -> DescribedGroup:
    """The group and its members, by member id."""
    if not group.group_id:
        return DescribedGroup("", error=ErrorCode.INVALID_GROUP_ID)
    if not group.is_consumer_group:
        why = "is not a consumer group." if group.exists else "not found."
        message = f"Group {group.group_id} {why}"
        return DescribedGroup(group.group_id, error=ErrorCode.GROUP_ID_NOT_FOUND, message=message)
    return DescribedGroup(
        group_id=group.group_id,
        state=state_of(group),
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor=group.hooks.common_assignor(group, settings) or chosen_assignor(group, settings).name,
        members=tuple(_describe_member(group, member_id, settings) for member_id in sorted(group.members)),
        expected=group.hooks.expected(group),
        leaving=group.hooks.leaving(group),
    )


def _describe_member(group: Group, member_id: str, settings: CoordinatorSettings) -> DescribedMember:
    member, current = group.members[member_id], group.current(member_id)
    shown = current.assigned
    if settings.behaviour.shows_pending_revocation:
        shown += current.pending_revocation
    return DescribedMember(
        member_id=member_id,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        member_epoch=current.member_epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topics=member.subscribed_topics,
        subscribed_pattern=member.subscribed_pattern,
        assignment=frozenset(partition for partition, _ in shown),
        target=frozenset(flatten(group.target(member_id))),
        is_classic=member.classic is not None,
        client_assignors=member.client_assignors,
        assignment_error=group.assignment_error,
        assignment_metadata=group.target_metadata.get(member_id),
        standby_place=group.hooks.standby_place(group, member_id),
        standby_state=group.hooks.standby_state(group, member_id),
    )


def describe_classic_group(group: Group) -> DescribedClassicGroup:
    """The group and its members, in the order they joined."""
    if group.is_consumer_group or not group.exists:
        why = "is not a classic group." if group.exists else "not found."
        message = f"Group {group.group_id} {why}"
        return DescribedClassicGroup(group.group_id, ErrorCode.GROUP_ID_NOT_FOUND, message)
    classic = group.classic or ClassicGroup(group.group_id)
    is_stable = classic.is_in(ClassicStatus.STABLE)
    shown = classic.protocol if is_stable else None
    return DescribedClassicGroup(
        group.group_id,
        state=classic.status.value,
        protocol_type=classic.protocol_type or "",
        protocol_name=shown or "",
        members=tuple(
            DescribedClassicMember(
                member_id=member.member_id,
                instance_id=member.instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                metadata=member.metadata(shown),
                assignment=member.assignment,
            )
            for member in classic.in_order()
        ),
        expected=group.hooks.expected(group),
        leaving=group.hooks.leaving(group),
    )


def list_groups(groups: Iterable[Group], request: ListGroups) -> GroupsListed:
    """The groups that pass the request's filters (case-insensitive), sorted by group id."""
    states = {state.lower() for state in request.states}
    types = {kind.lower() for kind in request.types}
    listed = [_list_group(group) for group in sorted(groups, key=lambda group: group.group_id) if group.exists]
    return GroupsListed(
        tuple(
            group
            for group in listed
            if (not states or group.state.lower() in states) and (not types or group.group_type in types)
        )
    )


def _list_group(group: Group) -> ListedGroup:
    if group.is_consumer_group:
        return ListedGroup(group.group_id, "consumer", state_of(group), "consumer")
    classic = group.classic or ClassicGroup(group.group_id)
    return ListedGroup(group.group_id, classic.protocol_type or "", classic.status.value, "classic")


def delete_group(draft: Draft) -> ErrorCode:
    """Remove all records of the group, which must be empty."""
    group = draft.group
    if not group.exists:
        return ErrorCode.GROUP_ID_NOT_FOUND
    classic = group.classic
    if group.members or (classic is not None and (classic.held or not classic.is_in(ClassicStatus.EMPTY))):
        return ErrorCode.NON_EMPTY_GROUP
    for partition in group.partitions_with_offsets():
        draft.write(r.OffsetRemoved(group.group_id, partition))
    write_group_removal(draft)
    draft.hooks.group_deleted(draft)
    return ErrorCode.NONE

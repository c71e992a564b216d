"""Describe share groups (KIP-932) and streams groups (KIP-1071), each by the API of its type.

A coordinator that lists such a group without having its API, as Kafka 4.0 does with its preview of share groups,
reports only its type and state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from kafka_nextgen.admin.acl_operations import operations_of
from kafka_nextgen.admin.values import (
    GroupCoordinator,
    GroupDescription,
    GroupState,
    GroupType,
    MemberDescription,
    StreamsTasks,
    parse_enum,
)
from kafka_nextgen.errors import BrokerError, DecodeError, GroupNotFoundError, UnsupportedProtocolError
from kafka_nextgen.requests import list_groups
from kafka_nextgen.transport.cluster import Coordinator
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.apis import LIST_GROUPS, SHARE_GROUP_DESCRIBE, STREAMS_GROUP_DESCRIBE, Api

if TYPE_CHECKING:
    from kafka_nextgen.admin.requests import AdminCall
    from kafka_nextgen.wire import messages as m

__all__ = ["describe_other_group", "listed_group"]

_WITH_TYPES = 5
_TYPES = {SHARE_GROUP_DESCRIBE: GroupType.SHARE, STREAMS_GROUP_DESCRIBE: GroupType.STREAMS}


async def describe_other_group(call: AdminCall, group_id: str, with_operations: bool) -> GroupDescription | None:
    """Return the share or streams group; None if there is none. Raises the errors of ``AdminCall.send``."""
    is_known_to_all = True
    for api, kind in _TYPES.items():
        try:
            group = await _describe(call, group_id, api, with_operations)
        except GroupNotFoundError:
            continue
        except UnsupportedProtocolError:
            is_known_to_all = False
            continue
        return _description(group, kind, await call.coordinator_of(group_id))
    return None if is_known_to_all else await listed_group(call, group_id, _TYPES.values())


async def _describe(call: AdminCall, group_id: str, api: Api, with_operations: bool) -> Any:
    return await call.send(
        f"group {group_id}: describing it",
        Coordinator(group_id),
        api,
        build=lambda version: api.request(group_ids=[group_id], include_authorized_operations=with_operations),
        read=lambda response: _group_in(response.groups, group_id, api),
        error_in=lambda group: (group.error_code, group.error_message),
    )


def _group_in(groups: Iterable[Any], group_id: str, api: Api) -> Any:
    for group in groups:
        if group.group_id == group_id:
            return group
    raise DecodeError(f"the response to {api.name} lacks {group_id}")


def _description(group: Any, kind: GroupType, coordinator: GroupCoordinator) -> GroupDescription:
    is_share = kind is GroupType.SHARE
    return GroupDescription(
        group_id=group.group_id,
        type=kind,
        state=parse_enum(GroupState, group.group_state),
        protocol_type=kind.value,
        assignor=group.assignor_name if is_share else "",
        group_epoch=group.group_epoch,
        assignment_epoch=group.assignment_epoch,
        coordinator=coordinator,
        members=tuple(map(_share_member, group.members)) if is_share else _streams_members(group),
        authorized_operations=operations_of(group.authorized_operations),
    )


def _share_member(member: m.ShareGroupDescribeResponse.DescribedGroup.Member) -> MemberDescription:
    """Convert a member of a share group. Several members may have the same partition."""
    return MemberDescription(
        member_id=member.member_id,
        type=GroupType.SHARE,
        instance_id=None,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        member_epoch=member.member_epoch,
        subscribed_topics=tuple(sorted(member.subscribed_topic_names)),
        subscribed_pattern=None,
        assignment=frozenset(
            TopicPartition(topic.topic_name, number)
            for topic in member.assignment.topic_partitions
            for number in topic.partitions
        ),
        target=None,
    )


def _streams_members(group: m.StreamsGroupDescribeResponse.DescribedGroup) -> tuple[MemberDescription, ...]:
    subtopologies = (group.topology.subtopologies if group.topology else None) or ()
    topics = {topic for each in subtopologies for topic in each.source_topics}
    repartitioned = {topic.name for each in subtopologies for topic in each.repartition_source_topics}
    return tuple(_streams_member(member, tuple(sorted(topics | repartitioned))) for member in group.members)


def _streams_member(
    member: m.StreamsGroupDescribeResponse.DescribedGroup.Member, topics: tuple[str, ...]
) -> MemberDescription:
    """Convert a member of a streams group. It has tasks; the topology determines which partitions these read."""
    return MemberDescription(
        member_id=member.member_id,
        type=GroupType.CLASSIC if member.is_classic else GroupType.STREAMS,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        member_epoch=member.member_epoch,
        subscribed_topics=topics,
        subscribed_pattern=None,
        assignment=None,
        target=None,
        tasks=_tasks(member.assignment),
        target_tasks=_tasks(member.target_assignment),
    )


def _tasks(assignment: m.StreamsGroupDescribeResponse.DescribedGroup.Member.Assignment) -> StreamsTasks:
    parts = (assignment.active_tasks, assignment.standby_tasks, assignment.warmup_tasks)
    return StreamsTasks(*(_task_names(part) for part in parts))


def _task_names(
    tasks: Iterable[m.StreamsGroupDescribeResponse.DescribedGroup.Member.Assignment.TaskIds],
) -> tuple[str, ...]:
    numbered = sorted((each.subtopology_id, number) for each in tasks for number in each.partitions)
    return tuple(f"{subtopology}_{number}" for subtopology, number in numbered)


async def listed_group(call: AdminCall, group_id: str, types: Collection[GroupType]) -> GroupDescription | None:
    """Return the coordinator's list entry for the group; None if it has none of these types, or lists no types."""
    names = [kind.value for kind in types]
    try:
        _, listed = await call.send(
            f"group {group_id}: looking for its type",
            Coordinator(group_id),
            LIST_GROUPS.at_least(_WITH_TYPES),
            build=lambda version: list_groups.to_request((), names),
            read=list_groups.from_response,
            error_in=lambda result: (result[0], None),
        )
    except BrokerError:
        return None
    for group in listed.groups:
        if group.group_id == group_id and group.group_type.lower() in names:
            return GroupDescription(
                group_id=group_id,
                type=parse_enum(GroupType, group.group_type),
                state=parse_enum(GroupState, group.state),
                protocol_type=group.protocol_type,
                assignor="",
                group_epoch=None,
                assignment_epoch=None,
                coordinator=await call.coordinator_of(group_id),
                members=(),
            )
    return None

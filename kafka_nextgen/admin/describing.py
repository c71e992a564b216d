"""Describe groups of all types.

The type of a group is unknown beforehand, so ConsumerGroupDescribe is tried first, then DescribeGroups if it is not a
consumer group or the cluster lacks the API, then the APIs of share and streams groups.

While ``group.version`` is 0, coordinators keep consumer groups and list them, but refuse to describe them: such a group
is not missing, so the refusal is raised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.admin.acl_operations import operations_of
from kafka_nextgen.admin.describing_others import describe_other_group, listed_group
from kafka_nextgen.admin.values import (
    ExpectedMember,
    GroupCoordinator,
    GroupDescription,
    GroupState,
    GroupType,
    LeavingMember,
    MemberDescription,
    parse_enum,
)
from kafka_nextgen.assignors import ClientAssignor
from kafka_nextgen.assignors.standby_metadata import HOT_STANDBY, read_standby_word
from kafka_nextgen.assignors.user_data import read_assignor_word, read_member_word
from kafka_nextgen.errors import DecodeError, GroupNotFoundError, UnsupportedProtocolError
from kafka_nextgen.groups.consumer_protocol import (
    PROTOCOL_TYPE,
    MemberSubscription,
    decode_assignment,
    decode_subscription,
    user_data_of,
)
from kafka_nextgen.requests import consumer_group_describe, describe_groups
from kafka_nextgen.requests.extensions import consumer_group_describe as extended_describe
from kafka_nextgen.requests.extensions import describe_groups as extended_describe_groups
from kafka_nextgen.transport.cluster import Coordinator
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition
from kafka_nextgen.wire.apis import CONSUMER_GROUP_DESCRIBE, DESCRIBE_GROUPS

if TYPE_CHECKING:
    from kafka_nextgen.admin.requests import AdminCall, ErrorInResponse
    from kafka_nextgen.groups.described import (
        DescribedClassicGroup,
        DescribedClassicMember,
        DescribedGroup,
        DescribedMember,
    )

__all__ = ["classic_group", "consumer_group", "describe_group", "describe_owners"]


async def describe_group(call: AdminCall, group_id: str, *, with_operations: bool = False) -> GroupDescription:
    """Describe a group of any type, on request with the operations that the client may perform on it.

    Raises GroupNotFoundError, UnsupportedProtocolError for a consumer group while ``group.version`` is 0, and the
    errors of ``AdminCall.send``.
    """
    refusal = None
    try:
        return await _describe_consumer_group(call, group_id, with_operations)
    except GroupNotFoundError:
        pass
    except UnsupportedProtocolError as error:
        refusal = error
    try:
        return await _describe_classic_group(call, group_id, with_operations)
    except GroupNotFoundError:
        group = await describe_other_group(call, group_id, with_operations)
        if group is not None:
            return group
        if refusal is not None and await listed_group(call, group_id, [GroupType.CONSUMER]):
            raise _without_protocol(group_id, refusal) from None
        raise


async def describe_owners(call: AdminCall, group_id: str) -> GroupDescription:
    """Describe a group to see which member owns which partition. A group that is only listed has no members here.

    Raises GroupNotFoundError, and the errors of ``AdminCall.send``.
    """
    try:
        return await describe_group(call, group_id)
    except UnsupportedProtocolError:
        group = await listed_group(call, group_id, [GroupType.CONSUMER])
        if group is None:
            raise
        return group


def _without_protocol(group_id: str, refusal: UnsupportedProtocolError) -> UnsupportedProtocolError:
    return UnsupportedProtocolError(
        f"group {group_id}: its coordinator lists it as a consumer group, but does not describe it, because this "
        "cluster's group.version is 0; its offsets can be listed, and it can be described again once group.version "
        "is 1",
        code=refusal.code,
        group=group_id,
    )


async def _describe_consumer_group(call: AdminCall, group_id: str, with_operations: bool) -> GroupDescription:
    described = await call.send(
        f"group {group_id}: describing it",
        Coordinator(group_id),
        CONSUMER_GROUP_DESCRIBE,
        build=lambda version: consumer_group_describe.to_request([group_id], with_operations=with_operations),
        read=lambda response: extended_describe.from_response(response, [group_id]),
        error_in=lambda described: _error_of(*described.groups),
    )
    (group,) = described.groups
    return consumer_group(group, dict(described.topic_names), await call.coordinator_of(group_id))


async def _describe_classic_group(call: AdminCall, group_id: str, with_operations: bool) -> GroupDescription:
    described = await call.send(
        f"group {group_id}: describing it",
        Coordinator(group_id),
        DESCRIBE_GROUPS,
        build=lambda version: describe_groups.to_request([group_id], with_operations=with_operations),
        read=lambda response: extended_describe_groups.from_response(response, [group_id]),
        error_in=lambda described: _error_of(*described.groups),
    )
    (group,) = described.groups
    return classic_group(group, await call.coordinator_of(group_id))


def _error_of(group: DescribedGroup | DescribedClassicGroup) -> ErrorInResponse:
    return group.error, group.message


def consumer_group(group: DescribedGroup, names: dict[TopicId, str], coordinator: GroupCoordinator) -> GroupDescription:
    """Return the description of a consumer group; ``names`` maps topic ids to names."""
    return GroupDescription(
        group_id=group.group_id,
        type=GroupType.CONSUMER,
        state=parse_enum(GroupState, group.state),
        protocol_type=PROTOCOL_TYPE,
        assignor=group.assignor,
        group_epoch=group.group_epoch,
        assignment_epoch=group.assignment_epoch,
        coordinator=coordinator,
        members=tuple(_consumer_member(member, names) for member in group.members),
        expected=_expected_members(group),
        leaving=_leaving_members(group),
        authorized_operations=operations_of(group.authorized_operations),
    )


def _consumer_member(member: DescribedMember, names: dict[TopicId, str]) -> MemberDescription:
    return MemberDescription(
        member_id=member.member_id,
        type=GroupType.CLASSIC if member.is_classic else GroupType.CONSUMER,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        member_epoch=member.member_epoch,
        subscribed_topics=tuple(sorted(member.subscribed_topics)),
        subscribed_pattern=member.subscribed_pattern or None,
        assignment=_named_partitions(member.assignment, names),
        target=_named_partitions(member.target, names),
        client_assignors=member.client_assignors,
        assignment_error=member.assignment_error,
        assignment_metadata=member.assignment_metadata,
        standby_place=member.standby_place,
        standby_state=member.standby_state,
    )


def _named_partitions(partitions: frozenset[TopicIdPartition], names: dict[TopicId, str]) -> frozenset[TopicPartition]:
    return frozenset(TopicPartition(names[tip.topic_id], tip.partition) for tip in partitions)


def classic_group(group: DescribedClassicGroup, coordinator: GroupCoordinator) -> GroupDescription:
    """Return the description of a classic group."""
    is_consumers = group.protocol_type == PROTOCOL_TYPE
    return GroupDescription(
        group_id=group.group_id,
        type=GroupType.CLASSIC,
        state=parse_enum(GroupState, group.state),
        protocol_type=group.protocol_type,
        assignor=group.protocol_name,
        group_epoch=None,
        assignment_epoch=None,
        coordinator=coordinator,
        members=tuple(_classic_member(member, is_consumers, group.protocol_name) for member in group.members),
        expected=_expected_members(group),
        leaving=_leaving_members(group),
        authorized_operations=operations_of(group.authorized_operations),
    )


def _expected_members(group: DescribedGroup | DescribedClassicGroup) -> tuple[ExpectedMember, ...]:
    return tuple(ExpectedMember(each.instance_id, each.until_ms, each.has_joined) for each in group.expected)


def _leaving_members(group: DescribedGroup | DescribedClassicGroup) -> tuple[LeavingMember, ...]:
    return tuple(
        LeavingMember(each.instance_id, each.member_id, each.until_ms, each.has_left) for each in group.leaving
    )


def _classic_member(member: DescribedClassicMember, is_consumer: bool, assignor: str) -> MemberDescription:
    subscription = _subscription_in(member) if is_consumer else MemberSubscription()
    return MemberDescription(
        member_id=member.member_id,
        type=GroupType.CLASSIC,
        instance_id=member.instance_id,
        rack_id=subscription.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        member_epoch=None,
        subscribed_topics=tuple(sorted(subscription.topics)),
        subscribed_pattern=None,
        assignment=_assignment_in(member) if is_consumer else None,
        target=None,
        client_assignors=_client_assignors_in(subscription, assignor),
        standby_place=_standby_place_in(member) if is_consumer and assignor == HOT_STANDBY else 0,
    )


def _client_assignors_in(subscription: MemberSubscription, assignor: str) -> tuple[ClientAssignor, ...]:
    """Return the member's metadata for the assignor in use; a classic group's description has no other metadata."""
    if not subscription.user_data:
        return ()
    word = read_member_word(subscription.user_data)
    return (ClientAssignor(assignor, word.minimum_version, word.maximum_version, word.said.reason, word.said.metadata),)


def _subscription_in(member: DescribedClassicMember) -> MemberSubscription:
    """Decode the subscription; it is empty while the group rebalances, or if it can't be decoded."""
    try:
        return decode_subscription(member.metadata) if member.metadata else MemberSubscription()
    except DecodeError:
        return MemberSubscription()


def _standby_place_in(member: DescribedClassicMember) -> int:
    """Return the place that ``HotStandby`` gave to the member; 0 for an active one, and while the group rebalances."""
    try:
        word = read_standby_word(read_assignor_word(user_data_of(member.assignment)).metadata)
    except DecodeError:
        return 0
    return 0 if word is None else word.place


def _assignment_in(member: DescribedClassicMember) -> frozenset[TopicPartition] | None:
    try:
        return decode_assignment(member.assignment)
    except DecodeError:
        return None

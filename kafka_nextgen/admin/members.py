"""Announce members before they join or leave, remove members, and delete groups.

Announced members let a group rebalance once for all of them (KIP-345, "Future Works"). No release of Apache Kafka can
do this, so the request goes only to coordinators with extensions. If its response is lost, it is sent again: announcing
a member twice is not an error.

Members are removed by instance id, by member id, or by both (KIP-345, "Admin API"; by member id since the KIP-848
coordinator). With both, the coordinator removes the instance only while it has this member id. The response to its next
heartbeat reports the removal, and a running consumer then joins again. To keep a consumer out of the group, stop it
first. Removals, deletions and cancelled announcements are not repeated if the response is lost.
"""

from __future__ import annotations

from collections.abc import Collection
from math import ceil

from kafka_nextgen.admin.requests import AdminCall, broker_error
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.groups.extensions import leaving
from kafka_nextgen.groups.extensions.adding import AddMembers, ExpectedMember
from kafka_nextgen.groups.leaving import REMOVED_BY_ADMIN, LeaveGroup, LeavingMember, LeftMember
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.requests import delete_groups, leave_group
from kafka_nextgen.requests.extensions import consumer_group_add_members, consumer_group_announce_leaving
from kafka_nextgen.transport.cluster import Coordinator
from kafka_nextgen.wire.apis import (
    CONSUMER_GROUP_ADD_MEMBERS,
    CONSUMER_GROUP_ANNOUNCE_LEAVING,
    DELETE_GROUPS,
    LEAVE_GROUP,
)

__all__ = [
    "AddedMember",
    "AnnouncedMember",
    "NewMember",
    "RemovedMember",
    "add_members",
    "announce_leaving",
    "delete_group",
    "remove_members",
]

_NOT_STATED = -1
_FIRST_BATCHED_VERSION = 3


@frozen
class NewMember:
    """A static member that is about to join, for ``add_members``. Times are in seconds; None: the member decides.

    Its slot is kept for ``session_timeout`` if that is shorter than ``within``. ``rebalance_timeout`` is the minimum
    time it gets to revoke partitions. ``assignor`` is the server-side assignor it votes for unless it names one itself.
    """

    instance_id: str
    session_timeout: float | None = None
    rebalance_timeout: float | None = None
    assignor: str | None = None


@frozen
class AddedMember:
    """The result for an announced member; ``error`` is None if it is expected now."""

    instance_id: str
    error: KafkaNextgenError | None = None


@frozen
class AnnouncedMember:
    """The result for a member that was announced to leave; ``error`` is None if the group waits for it now."""

    instance_id: str | None
    member_id: str | None
    error: KafkaNextgenError | None = None


@frozen
class RemovedMember:
    """The result for a member to remove; ``error`` is None if it was removed."""

    instance_id: str | None
    member_id: str | None
    error: KafkaNextgenError | None = None


async def add_members(
    call: AdminCall, group_id: str, members: Collection[NewMember], within_s: float
) -> tuple[AddedMember, ...]:
    """Return the result for each instance."""
    expected = tuple(_expected_member(member) for member in members)
    request = AddMembers(group_id, expected, _milliseconds(within_s))
    added = await call.send(
        f"group {group_id}: adding members",
        Coordinator(group_id),
        CONSUMER_GROUP_ADD_MEMBERS,
        build=lambda version: consumer_group_add_members.to_request(request),
        read=consumer_group_add_members.from_response,
        error_in=lambda added: (added.error, added.message),
        is_repeatable=within_s > 0,
    )
    return tuple(
        _added_member(group_id, instance_id, *result, cancels=not within_s)
        for instance_id, result in added.results.items()
    )


def _expected_member(member: NewMember) -> ExpectedMember:
    return ExpectedMember(
        member.instance_id,
        _milliseconds(member.session_timeout),
        _milliseconds(member.rebalance_timeout),
        member.assignor,
    )


def _milliseconds(seconds: float | None) -> int:
    return _NOT_STATED if seconds is None else ceil(1000 * seconds)


def _added_member(
    group_id: str, instance_id: str, code: ErrorCode, message: str | None, *, cancels: bool
) -> AddedMember:
    about = f"group {group_id}: instance {instance_id}"
    error = broker_error(about, code, message, group_id, _advice(code, cancels)) if code else None
    return AddedMember(instance_id, error)


def _advice(code: ErrorCode, cancels: bool) -> str | None:
    """What to do about an error; None for the usual advice. An unknown member may be in the group, but unannounced."""
    return "describe the group to see its members" if cancels and code is ErrorCode.UNKNOWN_MEMBER_ID else None


async def announce_leaving(
    call: AdminCall, group_id: str, instance_ids: Collection[str], member_ids: Collection[str], within_s: float
) -> tuple[AnnouncedMember, ...]:
    """Return the result for each member; if none is named, for each whose announcement was cancelled."""
    by_instance = [leaving.NamedMember("", instance_id) for instance_id in instance_ids]
    by_member = [leaving.NamedMember(member_id) for member_id in member_ids]
    request = leaving.AnnounceLeaving(group_id, (*by_instance, *by_member), _milliseconds(within_s))
    announced = await call.send(
        f"group {group_id}: announcing that members leave",
        Coordinator(group_id),
        CONSUMER_GROUP_ANNOUNCE_LEAVING,
        build=lambda version: consumer_group_announce_leaving.to_request(request),
        read=consumer_group_announce_leaving.from_response,
        error_in=lambda announced: (announced.error, announced.message),
        is_repeatable=within_s > 0,
    )
    return tuple(_announced_member(group_id, member, cancels=not within_s) for member in announced.members)


def _announced_member(group_id: str, member: leaving.AnnouncedMember, *, cancels: bool) -> AnnouncedMember:
    about = f"group {group_id}: {_who(member.instance_id, member.member_id)}"
    advice = _advice(member.error, cancels)
    error = broker_error(about, member.error, member.message, group_id, advice) if member.error else None
    return AnnouncedMember(member.instance_id, member.member_id or None, error)


def _who(instance_id: str | None, member_id: str) -> str:
    return f"instance {instance_id}" if instance_id else f"member {member_id}"


async def remove_members(
    call: AdminCall,
    group_id: str,
    instance_ids: Collection[str],
    member_ids: Collection[tuple[str, str | None]],
    reason: str,
) -> tuple[RemovedMember, ...]:
    """Return the result for each member: first those given by instance id, then the others, without duplicates.

    ``member_ids`` has a member id with the instance id that the member must have, or None.
    """
    full_reason = f"{REMOVED_BY_ADMIN}: {reason}" if reason else REMOVED_BY_ADMIN
    by_instance = [LeavingMember("", instance_id, full_reason) for instance_id in dict.fromkeys(instance_ids)]
    by_member = [LeavingMember(*identity, full_reason) for identity in dict.fromkeys(member_ids)]
    request = LeaveGroup(group_id, (*by_instance, *by_member))
    left = await call.send(
        f"group {group_id}: removing members",
        Coordinator(group_id),
        LEAVE_GROUP.at_least(_FIRST_BATCHED_VERSION),
        build=lambda version: leave_group.removal(request),
        read=lambda response: leave_group.from_response(response, request),
        error_in=lambda left: (left.error, None),
        is_repeatable=False,
    )
    return tuple(_removed_member(member, group_id) for member in left.members)


def _removed_member(member: LeftMember, group_id: str) -> RemovedMember:
    about = f"group {group_id}: {_who(member.instance_id, member.member_id)}"
    error = broker_error(about, member.error, None, group_id) if member.error else None
    if error is not None:
        error.member = member.member_id or None
    return RemovedMember(member.instance_id, member.member_id or None, error)


async def delete_group(call: AdminCall, group_id: str) -> None:
    """Delete the group and its offsets. Raises GroupNotEmptyError or GroupNotFoundError."""
    await call.send(
        f"group {group_id}: deleting it",
        Coordinator(group_id),
        DELETE_GROUPS,
        build=lambda version: delete_groups.to_request([group_id]),
        read=lambda response: delete_groups.from_response(response, [group_id]),
        error_in=lambda deleted: (deleted.results[group_id], deleted.messages.get(group_id)),
        is_repeatable=False,
    )

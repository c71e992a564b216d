"""Convert a classic group with members to a consumer group (KIP-848, "Upgrade to the consumer protocol").

This happens when the first member joins with the consumer protocol. Read from the top:

| what must hold | else |
|---|---|
| the policy allows it | GROUP_ID_NOT_FOUND |
| it is a group of consumers | GROUP_ID_NOT_FOUND |
| the number of members is within a consumer group's limit | GROUP_ID_NOT_FOUND |
| the member's client-side assignors are compatible (an extension) | UNSUPPORTED_ASSIGNOR, INVALID_REQUEST |
| *members with a parked JoinGroup or SyncGroup are told to join again* | |
| its members' subscriptions and assignments can be decoded | GROUP_ID_NOT_FOUND |
| no assignment has user data, which would be lost, unless an extension carries it over | GROUP_ID_NOT_FOUND |
| there is a generation, and all members offer its protocol | UNKNOWN_SERVER_ERROR |
| no partition was given to two members | UNKNOWN_SERVER_ERROR |

The members are then in the consumer group, stable with their last assignment, and both epochs are the generation.
Members with parked requests join again, because the joining member is about to raise the epoch. As in Kafka, they are
told to do so even if a later check fails. From now on each of them reconciles separately (``joining``,
``classic_members``).
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from kafka_nextgen.assignors.spec import Metadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE, decode_assignment, decode_subscription, user_data_of
from kafka_nextgen.groups.topic_partitions import to_topic_partitions
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.admission import JOIN
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember
from kafka_nextgen.testing.coordinator.classic.rebalance import release_parked
from kafka_nextgen.testing.coordinator.draft import Draft, Refusal
from kafka_nextgen.testing.coordinator.migration.classic_members import keep_session
from kafka_nextgen.testing.coordinator.removal import write_group_removal
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.testing.coordinator.timers import TimerKind
from kafka_nextgen.types import TopicIdPartition

__all__ = ["make_consumer_group"]


@frozen
class _Member:
    """A classic member, converted for the consumer group."""

    metadata: r.MemberMetadata
    partitions: frozenset[TopicIdPartition]
    told: Metadata | None = None  # from its group's assignor


def make_consumer_group(draft: Draft, request: ConsumerGroupHeartbeat) -> Refusal | None:
    """Convert a classic group if a member joins with the consumer protocol; return the refusal, or None."""
    if draft.group.classic is None or request.member_epoch != JOIN:
        return None
    if not draft.group.is_classic_with_members:
        draft.hooks.send_back_held(draft)
        write_group_removal(draft)
        return None
    return _upgrade(draft, request)


def _upgrade(draft: Draft, request: ConsumerGroupHeartbeat) -> Refusal | None:
    group = draft.classic
    reason = _objection(group, draft.settings)
    if reason is not None:
        return _refusal(group, reason)
    if refusal := draft.hooks.refuse_entry(request, draft.group, draft.settings):
        return refusal
    assignor = draft.hooks.carried_assignor(group, request, draft.settings)
    _send_back_to_join(draft)
    if unready := _unready(group):
        return unready
    if assignor is None and any(_has_user_data(member.assignment) for member in group.in_order()):
        reason = "its assignor sends members user data, which the upgrade would lose: switch to another assignor first"
        return _refusal(group, reason)
    try:
        members = [_read(group, member, draft) for member in group.in_order()]
    except DecodeError as error:
        return _refusal(group, f"{error}; its members have to leave first")
    if _has_two_owners(members):
        return _failure(group, "a partition was given to two members; make the group rebalance first")
    _write(draft, group, members, assignor)
    draft.note(f"group {group.group_id} becomes a consumer group, at epoch {group.generation}")
    return None


def _objection(group: ClassicGroup, settings: CoordinatorSettings) -> str | None:
    if not settings.group_consumer_migration_policy.upgrades:
        policy = settings.group_consumer_migration_policy.value
        return f"group.consumer.migration.policy={policy} does not allow it: join with group.protocol=classic"
    if group.protocol_type != PROTOCOL_TYPE:
        return f"its members use the protocol type {group.protocol_type!r} and are not consumers: use another group id"
    if len(group.members) > settings.group_consumer_max_size:
        return f"it has more members than group.consumer.max.size={settings.group_consumer_max_size}"
    return None


def _refusal(group: ClassicGroup, reason: str) -> Refusal:
    message = f"classic group {group.group_id!r} has members and can't become a consumer group: {reason}"
    return Refusal(ErrorCode.GROUP_ID_NOT_FOUND, message)


def _failure(group: ClassicGroup, reason: str) -> Refusal:
    """Kafka's coordinator fails unexpectedly here, so the error code is UNKNOWN_SERVER_ERROR."""
    message = f"classic group {group.group_id!r} can't become a consumer group at this moment: {reason}"
    return Refusal(ErrorCode.UNKNOWN_SERVER_ERROR, message)


def _unready(group: ClassicGroup) -> Refusal | None:
    if group.protocol is None:
        return _failure(group, "its first generation is about to begin; try again")
    if any(group.protocol not in member.names for member in group.in_order()):
        return _failure(group, f"it is about to change from protocol {group.protocol}; try again")
    return None


def _has_user_data(assignment: bytes) -> bool:
    try:
        return bool(user_data_of(assignment))
    except DecodeError:
        return False  # refused for a different reason


def _read(group: ClassicGroup, member: ClassicMember, draft: Draft) -> _Member:
    """Decode the member's subscription and assignment. Raises ``DecodeError``."""
    said = decode_subscription(member.metadata(group.protocol))
    metadata = r.MemberMetadata(
        group_id=group.group_id,
        member_id=member.member_id,
        instance_id=member.instance_id,
        rack_id=said.rack_id or None,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topics=tuple(sorted(said.topics)),
        subscribed_pattern=None,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        server_assignor=None,
        classic=r.ClassicProtocols(member.session_timeout_ms, member.protocols),
    )
    partitions = draft.topics.with_ids(decode_assignment(member.assignment))
    return _Member(metadata, partitions, draft.hooks.carried_metadata(member.assignment))


def _has_two_owners(members: Iterable[_Member]) -> bool:
    claims = [partition for member in members for partition in member.partitions]
    return len(claims) != len(set(claims))


def _send_back_to_join(draft: Draft) -> None:
    """Answer all parked requests, even if the upgrade fails later. A member that does not rejoin times out."""
    draft.hooks.send_back_held(draft)
    for member in draft.classic.in_order():
        release_parked(draft, member, ErrorCode.REBALANCE_IN_PROGRESS, member.member_id)
        if member.is_parked:
            draft.arm(TimerKind.SESSION, member.member_id, member.session_timeout_ms / 1000)
    free = [evolve(member, is_new=False, join=None, sync=None) for member in draft.classic.in_order()]
    draft.group.classic = draft.classic.with_member(*free)
    draft.lasting = draft.outcome(None)


def _write(draft: Draft, group: ClassicGroup, members: Iterable[_Member], assignor: str | None) -> None:
    """Each kind of record for all members, in the order in which a join writes them."""
    draft.cancel(TimerKind.SYNC)
    write_group_removal(draft)
    group_id, epoch = group.group_id, group.generation
    for member in members:
        draft.write(member.metadata)
        keep_session(draft, member.metadata.member_id)
    knows_topics = draft.settings.behaviour.upgrade_knows_topics
    metadata_hash = draft.topics.metadata_hash(draft.group.subscribed_topics()) if knows_topics else 0
    draft.write(r.GroupMetadata(group_id, epoch, metadata_hash))
    for member in members:
        told = None if assignor is None else member.told
        draft.write(
            r.TargetAssignmentMember(group_id, member.metadata.member_id, to_topic_partitions(member.partitions), told)
        )
    draft.write(r.TargetAssignmentMetadata(group_id, epoch, assignor=assignor))
    for member in members:
        draft.write(_current(member, epoch))


def _current(member: _Member, epoch: int) -> r.CurrentMemberAssignment:
    granted = tuple((partition, epoch) for partition in sorted(member.partitions))
    metadata = member.metadata
    return r.CurrentMemberAssignment(
        metadata.group_id, metadata.member_id, epoch, epoch, r.MemberStatus.STABLE, granted, ()
    )

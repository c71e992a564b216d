"""Derives events from a classic group's record: a generation with its members and their assignments.

Nothing is recorded between two generations, so a member that left is reported with the next generation.
"""

from __future__ import annotations

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE, decode_assignment, decode_subscription
from kafka_nextgen.history.events import BEGINS_IN_THE_MIDDLE, EventKind
from kafka_nextgen.offsets_topic.story_state import (
    Departure,
    GroupState,
    Held,
    MemberState,
    Telling,
    words_of,
)
from kafka_nextgen.types import RebalanceReason

__all__ = ["RESTARTED", "departure_by", "tell_generation"]

_KINDS = {
    RebalanceReason.MEMBER_LEFT: EventKind.LEFT,
    RebalanceReason.MEMBER_EXPIRED: EventKind.FENCED,
    RebalanceReason.MEMBER_FENCED: EventKind.FENCED,
    RebalanceReason.ADMIN: EventKind.FENCED,
}

#: Another member took over the instance id, which fences this one.
RESTARTED = Departure(EventKind.FENCED, words_of(RebalanceReason.MEMBER_RESTARTED))


def departure_by(cause: Cause | None) -> Departure | None:
    """How a member left or was removed according to a recorded cause; None if members do not leave for this cause."""
    kind = None if cause is None else _KINDS.get(cause.reason)
    return None if cause is None or kind is None else Departure(kind, words_of(cause.reason), cause.text or None)


def tell_generation(telling: Telling, group: GroupState, record: r.ClassicGroupMetadata) -> None:
    """Report the changes from the group's last record to this one."""
    begins_in_the_middle = group.epoch is None and record.generation > 1
    group.protocol = "classic"
    is_new = record.generation != group.epoch and record.generation > 0
    _tell_gone(telling, group, record)
    new = [each for each in record.members if not group.member(each.member_id).is_joined]
    changed = [each for each in record.members if _is_changed(group.members[each.member_id], each)]
    if is_new:
        _note_members(telling.at, group, RebalanceReason.MEMBER_JOINED, new)
        _note_members(telling.at, group, RebalanceReason.SUBSCRIPTION_CHANGED, changed)
        telling.tell_epoch(group, record.generation, group.take_recorded(True, record.generation))
    for each in record.members:
        _take_in(group.members[each.member_id], each)
    for each in new:
        cause = BEGINS_IN_THE_MIDDLE if begins_in_the_middle else None
        telling.tell_joined(group, group.members[each.member_id], record.generation, cause)
    group.epoch = record.generation
    for each in record.members:
        member = group.members[each.member_id]
        held = _held(record.protocol_type, each.assignment)
        telling.tell_moved(group, member, held, record.generation, is_done=True)


def _tell_gone(telling: Telling, group: GroupState, record: r.ClassicGroupMetadata) -> None:
    present = {each.member_id for each in record.members}
    instances = {each.instance_id for each in record.members} - {None}
    for member_id in [each for each in group.members if each not in present]:
        member = group.members.pop(member_id)
        how = RESTARTED if member.instance_id in instances else _departure(group, member_id)
        if how is not RESTARTED:
            group.note_gone(telling.at, how, member_id)
        if not member.is_away:
            telling.tell_gone(group, member, how)
    group.gone.clear()


def _departure(group: GroupState, member_id: str) -> Departure:
    causes = (departure_by(each) for each in group.recorded.values() if each.member_id == member_id)
    recorded = next((each for each in causes if each is not None), None)
    return recorded or group.gone.get(member_id) or Departure()


def _note_members(at: int, group: GroupState, reason: RebalanceReason, members: list[r.ClassicMemberMetadata]) -> None:
    for member in members:
        group.note(at, reason, member.member_id)


def _is_changed(member: MemberState, each: r.ClassicMemberMetadata) -> bool:
    return (
        member.is_joined
        and isinstance(member.subscription, bytes)
        and _topics(member.subscription) != _topics(each.subscription)
    )


def _topics(subscription: bytes) -> object:
    """The topics of a subscription. Its owned partitions are left out, because a change of these is not a new
    subscription."""
    try:
        return decode_subscription(subscription).topics
    except DecodeError:
        return subscription


def _take_in(member: MemberState, each: r.ClassicMemberMetadata) -> None:
    member.instance_id, member.client_id, member.host = each.instance_id, each.client_id, each.client_host
    member.subscription, member.is_joined, member.is_away = each.subscription, True, False


def _held(protocol_type: str, assignment: bytes) -> Held:
    """The partitions that the leader assigned; none if the members are not consumers."""
    if protocol_type != PROTOCOL_TYPE:
        return frozenset()
    try:
        return frozenset((each.topic, each.partition) for each in decode_assignment(assignment))
    except DecodeError:
        return frozenset()

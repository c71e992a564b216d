"""What of a classic group is recorded, and what a record makes of it.

A record is written when the leader's assignment has come, when a static member is replaced in a stable group, and when
nobody is left; a group that was just made has an empty one. What a record says is in force by taking it in and in no
other way, at work as after a fail-over. A member that is there already keeps what the record does not tell: all the
protocols it offers, and its parked requests.

So after a fail-over the group is as it was when last recorded: Stable, or Empty if it had no members. Its members offer
one protocol, so that one that offers more when it joins again counts as changed.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus
from kafka_nextgen.coordinator.classic.requests import OfferedProtocol
from kafka_nextgen.coordinator.classic.subscribed import with_topics

__all__ = ["empty_record", "record_of", "taken_in"]


def record_of(group: ClassicGroup, now_ms: int) -> r.ClassicGroupMetadata:
    """The group as it is to be recorded."""
    return r.ClassicGroupMetadata(
        group_id=group.group_id,
        protocol_type=group.protocol_type or "",
        generation=group.generation,
        protocol=group.protocol,
        leader_id=group.leader_id,
        timestamp_ms=now_ms,
        members=tuple(_record_of_member(member, group.protocol) for member in group.in_order()),
    )


def empty_record(group_id: str, now_ms: int) -> r.ClassicGroupMetadata:
    """A group that was just made."""
    return record_of(ClassicGroup(group_id), now_ms)


def _record_of_member(member: ClassicMember, protocol: str | None) -> r.ClassicMemberMetadata:
    return r.ClassicMemberMetadata(
        member_id=member.member_id,
        instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        session_timeout_ms=member.session_timeout_ms,
        subscription=member.metadata(protocol),
        assignment=member.assignment,
    )


def taken_in(record: r.ClassicGroupMetadata, before: ClassicGroup | None) -> ClassicGroup:
    """The group as the record makes it."""
    group = before or ClassicGroup(record.group_id)
    members = [_member(each, group.members.get(each.member_id), record.protocol) for each in record.members]
    nobody = evolve(group, members={}, instances={}, support={})
    after = evolve(
        nobody.with_member(*members),
        status=ClassicStatus.STABLE if members else ClassicStatus.EMPTY,
        generation=record.generation,
        protocol_type=record.protocol_type or None,
        protocol=record.protocol,
        leader_id=record.leader_id,
    )
    return after if before and before.generation == record.generation else with_topics(after)


def _member(recorded: r.ClassicMemberMetadata, known: ClassicMember | None, protocol: str | None) -> ClassicMember:
    member = ClassicMember(
        member_id=recorded.member_id,
        instance_id=recorded.instance_id,
        client_id=recorded.client_id,
        client_host=recorded.client_host,
        rebalance_timeout_ms=recorded.rebalance_timeout_ms,
        session_timeout_ms=recorded.session_timeout_ms,
        protocols=(OfferedProtocol(protocol or "", recorded.subscription),),
        assignment=recorded.assignment,
    )
    if known is None or known.metadata(protocol) != recorded.subscription:  # what is known is of an older record
        return member
    return evolve(member, protocols=known.protocols, owes_sync=known.owes_sync, join=known.join, sync=known.sync)

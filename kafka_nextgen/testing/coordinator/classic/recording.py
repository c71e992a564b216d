"""Convert a classic group to its record, and back.

A record is written when the leader's assignment arrives, when a static member is replaced in a stable group, and when
the last member is removed; a new group has an empty one. Recorded state changes only by applying a record, both for
live requests and after a fail-over. A known member keeps what the record does not contain: all the protocols it offers,
and its parked requests.

After a fail-over the group is as last recorded: Stable, or Empty if it had no members. Its members offer only the
recorded protocol, so a member that offers more when it joins again counts as changed.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus

__all__ = ["record_of", "taken_in"]


def record_of(group: ClassicGroup, now_ms: int) -> r.ClassicGroupMetadata:
    """The record of the group."""
    return r.ClassicGroupMetadata(
        group_id=group.group_id,
        protocol_type=group.protocol_type or "",
        generation=group.generation,
        protocol=group.protocol,
        leader_id=group.leader_id,
        timestamp_ms=now_ms,
        members=tuple(_record_of_member(member, group.protocol) for member in group.in_order()),
    )


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
    """The group after the record is applied."""
    group = before or ClassicGroup(record.group_id)
    members = [_member(each, group.members.get(each.member_id), record.protocol) for each in record.members]
    empty = evolve(group, members={}, instances={}, support={})
    after = evolve(
        empty.with_member(*members),
        status=ClassicStatus.STABLE if members else ClassicStatus.EMPTY,
        generation=record.generation,
        protocol_type=record.protocol_type or None,
        protocol=record.protocol,
        leader_id=record.leader_id,
    )
    return after if before and before.generation == record.generation else after.with_topics()


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
    if known is None or known.metadata(protocol) != recorded.subscription:  # the known state is older than the record
        return member
    return evolve(member, protocols=known.protocols, owes_sync=known.owes_sync, join=known.join, sync=known.sync)

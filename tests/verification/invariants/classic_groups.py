"""What must hold of every classic group at every moment, in plain words and code.

Each rule yields a sentence for each way it is broken; silence is good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set

from attrs import evolve

from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.recording import record_of
from kafka_nextgen.testing.coordinator.timers import TimerKey, TimerKind


def classic_violations(
    group: ClassicGroup, record: r.ClassicGroupMetadata | None, timers: Set[TimerKey]
) -> Iterator[str]:
    """Every rule that ``group`` breaks; ``record`` is its latest, ``timers`` are those that run."""
    yield from _recorded_when_settled(group, record)
    yield from _led_by_a_member(group)
    yield from _one_protocol_for_all(group)
    yield from _parked_for_a_reason(group)
    yield from _indexes_in_step(group)
    yield from _timers_as_needed(group, timers)


def _recorded_when_settled(group: ClassicGroup, record: r.ClassicGroupMetadata | None) -> Iterator[str]:
    """A settled group is what its record says; in between the record is of the generation before, or this one. A group
    that began with offsets alone has no record before its first generation is settled.
    """
    if record is None:
        if group.generation > 0 and group.is_in(ClassicStatus.STABLE, ClassicStatus.EMPTY):
            yield "nothing is recorded of the group"
        return
    if record.generation > group.generation:
        yield f"generation {record.generation} is recorded, beyond {group.generation}"
    if group.is_in(ClassicStatus.STABLE, ClassicStatus.EMPTY):
        settled = evolve(record_of(group, record.timestamp_ms), protocol_type=record.protocol_type)
        if settled != record:
            yield "the group is settled, and otherwise than recorded"


def _led_by_a_member(group: ClassicGroup) -> Iterator[str]:
    """A group with members has one that leads; nobody is in an empty one."""
    if group.members and group.leader_id not in group.members:
        yield f"{group.leader_id} leads, and is no member"
    if group.is_in(ClassicStatus.EMPTY) and (group.members or group.leader_id or group.protocol):
        yield "the group is empty, and has members, a leader or a protocol"
    if group.is_in(ClassicStatus.COMPLETING_REBALANCE, ClassicStatus.STABLE) and not group.members:
        yield f"the group is {group.status.value}, and has no members"


def _one_protocol_for_all(group: ClassicGroup) -> Iterator[str]:
    """There is a protocol that all members offer; once chosen it is one of those."""
    common = [name for name, count in group.support.items() if count == len(group.members)]
    if group.members and not common:
        yield "the members have no protocol in common"
    if group.is_in(ClassicStatus.COMPLETING_REBALANCE, ClassicStatus.STABLE) and group.protocol not in common:
        yield f"the group does {group.protocol}, which not all members offer"


def _parked_for_a_reason(group: ClassicGroup) -> Iterator[str]:
    """Joins are parked while members join, syncs while the leader assigns; nobody is both a member and pending."""
    for member in group.in_order():
        if member.join is not None and not group.is_in(ClassicStatus.PREPARING_REBALANCE):
            yield f"the join of {member.member_id} is parked, and the group is {group.status.value}"
        if member.sync is not None and not group.is_in(ClassicStatus.COMPLETING_REBALANCE):
            yield f"the sync of {member.member_id} is parked, and the group is {group.status.value}"
        if member.is_new and member.join is None:
            yield f"{member.member_id} is new, and has not joined"
    if both := group.pending & group.members.keys():
        yield f"{sorted(both)} are members, and pending"


def _indexes_in_step(group: ClassicGroup) -> Iterator[str]:
    """One member per instance id; support is what counting gives."""
    if Counter(name for member in group.in_order() for name in set(member.names)) != group.support:
        yield "the count of who offers what is out of step"
    statics = {member.instance_id: member.member_id for member in group.in_order() if member.instance_id is not None}
    if statics != dict(group.instances) or len(statics) != sum(m.instance_id is not None for m in group.in_order()):
        yield "an instance id has more than one member, or the index of instances is out of step"


def _timers_as_needed(group: ClassicGroup, timers: Set[TimerKey]) -> Iterator[str]:
    """Whoever is not told to wait has a session, and so have new and pending ones; each phase has its timer."""
    due = {_session(group, member.member_id) for member in group.in_order() if not member.is_parked or member.is_new}
    due |= {_session(group, member_id) for member_id in group.pending}
    if group.is_in(ClassicStatus.PREPARING_REBALANCE):
        due.add(TimerKey(group.group_id, TimerKind.JOIN))
    if any(member.owes_sync for member in group.in_order()):
        due.add(TimerKey(group.group_id, TimerKind.SYNC))
    # The session of one that is told to wait runs on, and if it ends nothing follows.
    may_run = {_session(group, member.member_id) for member in group.in_order() if member.is_parked}
    running = {key for key in timers if key.group_id == group.group_id}
    yield from (f"{key} does not run" for key in sorted(due - running))
    yield from (f"{key} runs for nothing" for key in sorted(running - due - may_run))


def _session(group: ClassicGroup, member_id: str) -> TimerKey:
    return TimerKey(group.group_id, TimerKind.SESSION, member_id)

"""The join phase: from the reason for a rebalance to the next generation (KIP-62; KIP-134 for its beginning).

1. *Prepare.* Parked SyncGroups are answered with REBALANCE_IN_PROGRESS, and all members have to join again. If the
   leader has not assigned in this generation, the previous assignment is void.
2. *Wait.* A group that was empty waits for the initial delay. If a member joins during it, the group waits again, up to
   its rebalance timeout in total. Any other group waits until all members have joined and none is pending, or until its
   rebalance timeout ends.
3. *Complete.* Dynamic members that have not joined are removed; static ones stay until their session ends (KIP-345).
   The leader keeps its role if it has joined, otherwise the first member that has joined leads; if none has, the group
   waits again in the same generation. Each member votes for the protocol it prefers among those that all offer. Then
   all members are answered, and the leader gets the list of members.

The members then have another rebalance timeout to send SyncGroup (``generation``).
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus, InitialWait
from kafka_nextgen.testing.coordinator.classic.recording import record_of
from kafka_nextgen.testing.coordinator.classic.responses import JoinedMember, JoinGroupAnswer, SyncGroupAnswer
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.timers import TimerKind

__all__ = [
    "complete_join",
    "complete_join_if_all_joined",
    "extend_initial_wait",
    "joined",
    "prepare_rebalance",
    "rebalance_or_complete_join",
    "release_parked",
]


def rebalance_or_complete_join(draft: Draft, cause: Cause) -> None:
    """Begin a rebalance; if one is in preparation, complete its join phase once no member is missing."""
    if draft.classic.is_in(ClassicStatus.PREPARING_REBALANCE):
        complete_join_if_all_joined(draft)
    else:
        prepare_rebalance(draft, cause)


def prepare_rebalance(draft: Draft, cause: Cause) -> None:
    """Make all members join again."""
    group = draft.classic
    _send_back_to_join(draft)
    draft.cancel(TimerKind.SYNC)
    draft.note(f"group {group.group_id} is rebalancing from generation {group.generation}: {cause}")
    draft.hooks.rebalance_began(draft, cause, None)
    was_empty = group.is_in(ClassicStatus.EMPTY)
    draft.group.classic = evolve(draft.classic, status=ClassicStatus.PREPARING_REBALANCE)
    if was_empty:
        _begin_initial_wait(draft)
    elif draft.classic.all_have_joined:
        complete_join(draft)
    else:
        draft.arm(TimerKind.JOIN, "", draft.classic.rebalance_timeout_s)


def _send_back_to_join(draft: Draft) -> None:
    """Answer parked SyncGroups with REBALANCE_IN_PROGRESS, and stop waiting for others."""
    for member in draft.classic.in_order():
        if member.sync is not None:
            draft.release(member.sync, SyncGroupAnswer(ErrorCode.REBALANCE_IN_PROGRESS))
            draft.arm(TimerKind.SESSION, member.member_id, member.session_timeout_ms / 1000)
    free = [evolve(member, sync=None, owes_sync=False) for member in draft.classic.in_order()]
    if draft.classic.is_in(ClassicStatus.COMPLETING_REBALANCE):
        free = [evolve(member, assignment=b"") for member in free]
    draft.group.classic = draft.classic.with_member(*free)


def release_parked(draft: Draft, member: ClassicMember, error: ErrorCode, member_id: str) -> None:
    """Answer the member's parked requests with an error; a JoinGroup names ``member_id``."""
    if member.join is not None:
        draft.release(member.join, JoinGroupAnswer(error, member_id))
    if member.sync is not None:
        draft.release(member.sync, SyncGroupAnswer(error))


def _begin_initial_wait(draft: Draft) -> None:
    delay_ms = draft.settings.group_initial_rebalance_delay_ms
    timeout_ms = round(1000 * draft.classic.rebalance_timeout_s)
    draft.group.classic = evolve(draft.classic, initial_wait=InitialWait(max(timeout_ms - delay_ms, 0)))
    draft.arm(TimerKind.JOIN, "", delay_ms / 1000)


def extend_initial_wait(draft: Draft, wait: InitialWait) -> None:
    """The initial delay has ended: extend it if a member joined in the meantime, otherwise end the join phase."""
    delay_ms = min(draft.settings.group_initial_rebalance_delay_ms, wait.left_ms)
    if not wait.has_new_member or delay_ms == 0:
        complete_join(draft)
        return
    draft.group.classic = evolve(draft.classic, initial_wait=InitialWait(wait.left_ms - delay_ms))
    draft.arm(TimerKind.JOIN, "", delay_ms / 1000)


def complete_join_if_all_joined(draft: Draft) -> None:
    """End the join phase if no member is missing. An initial wait ends only when its timer expires."""
    group = draft.classic
    preparing = group.is_in(ClassicStatus.PREPARING_REBALANCE)
    if preparing and group.initial_wait is None and group.all_have_joined:
        complete_join(draft)


def complete_join(draft: Draft) -> None:
    """End the join phase with the members that have joined."""
    draft.cancel(TimerKind.JOIN)
    _remove_absent(draft)
    group = draft.classic
    here = [member.member_id for member in group.in_order() if member.join is not None]
    if group.members and not here:
        draft.arm(TimerKind.JOIN, "", group.rebalance_timeout_s)
        return
    leader_id = group.leader_id if group.leader_id in here else next(iter(here), None)
    protocol = group.chosen_protocol() if here else None
    generation = group.generation + 1
    begun = evolve(group, leader_id=leader_id, protocol=protocol, generation=generation, initial_wait=None)
    draft.group.classic = begun.with_topics()
    if here:
        _answer_all(draft)
    else:
        draft.note(f"group {group.group_id} is empty, at generation {generation}")
        draft.write(record_of(draft.classic, draft.now_ms))
        draft.hooks.assignment_made(draft)


def _remove_absent(draft: Draft) -> None:
    for member in draft.classic.in_order():
        if member.join is None and member.instance_id is None:
            text = f"group {draft.classic.group_id} continues without {member.member_id}, which did not join in time"
            draft.note(text)
            draft.cancel(TimerKind.SESSION, member.member_id)
            draft.group.classic = draft.classic.without(member.member_id)


def _answer_all(draft: Draft) -> None:
    group = draft.classic
    for member in group.in_order():
        if member.join is not None:
            draft.release(member.join, joined(group, member, tells_members=member.member_id == group.leader_id))
        draft.arm(TimerKind.SESSION, member.member_id, member.session_timeout_ms / 1000)
    answered = [evolve(member, join=None, is_new=False, owes_sync=True) for member in group.in_order()]
    draft.group.classic = evolve(group.with_member(*answered), status=ClassicStatus.COMPLETING_REBALANCE)
    draft.arm(TimerKind.SYNC, "", group.rebalance_timeout_s)


def joined(group: ClassicGroup, member: ClassicMember, *, tells_members: bool) -> JoinGroupAnswer:
    """The answer to a member of the group's generation."""
    told = group.in_order() if tells_members else ()
    return JoinGroupAnswer(
        member_id=member.member_id,
        generation=group.generation,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol,
        leader_id=group.leader_id or "",
        members=tuple(JoinedMember(each.member_id, each.instance_id, each.metadata(group.protocol)) for each in told),
    )

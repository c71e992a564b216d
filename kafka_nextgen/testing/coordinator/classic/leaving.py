"""LeaveGroup: members leave, or an administrator removes them (KIP-345, KIP-800).

Each entry is checked separately: a member id must be known, and match the instance id if there is one; an instance id
alone means its current holder. Then the group rebalances once if any member was removed. A removed member's parked
request is answered with UNKNOWN_MEMBER_ID.

Members of a consumer group, of either protocol, leave or can be removed the same way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.leaving import LeaveGroup, LeaveGroupAnswer, LeavingMember, LeftMember
from kafka_nextgen.testing.coordinator.classic.admission import identity_error
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.rebalance import (
    complete_join_if_all_joined,
    prepare_rebalance,
    release_parked,
)
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.reasons import cause_of_leaving
from kafka_nextgen.testing.coordinator.removal import remove_members
from kafka_nextgen.testing.coordinator.timers import TimerKind

__all__ = ["continue_without", "leave_group", "remove_member"]


def leave_group(draft: Draft, request: LeaveGroup) -> Outcome:
    """Handle a LeaveGroup."""
    if not request.group_id:
        return Outcome(LeaveGroupAnswer(error=ErrorCode.INVALID_GROUP_ID))
    leave = _leave_consumer_group if draft.group.classic is None else _leave_classic_group
    left = draft.hooks.leave_results(draft, leave(draft, request.members))
    return draft.outcome(LeaveGroupAnswer(tuple(left)))


def _leave_classic_group(draft: Draft, leaving: Iterable[LeavingMember]) -> list[LeftMember]:
    results: list[LeftMember] = []
    left: list[tuple[str, LeavingMember]] = []
    before = draft.classic.members
    for who in leaving:
        member_id, error = _found(draft.classic, who)
        results.append(LeftMember(who.member_id, who.instance_id, error))
        if error is ErrorCode.NONE:
            remove_member(draft, member_id)
            left.append((member_id, who))
    if left:
        continue_without(draft, [before.get(member_id) for member_id, _ in left], cause_of_leaving(left))
    return results


def _found(group: ClassicGroup, who: LeavingMember) -> tuple[str, ErrorCode]:
    if who.member_id in group.pending:
        return who.member_id, ErrorCode.NONE
    if not who.member_id:
        holder = group.holder_of(who.instance_id)
        return ("", ErrorCode.UNKNOWN_MEMBER_ID) if holder is None else (holder, ErrorCode.NONE)
    return who.member_id, identity_error(group, who.member_id, who.instance_id)


def _leave_consumer_group(draft: Draft, leaving: Iterable[LeavingMember]) -> list[LeftMember]:
    results: list[LeftMember] = []
    left: dict[str, LeavingMember] = {}  # a member named twice is removed once
    for who in leaving:
        member_id = who.member_id or draft.group.instances.get(who.instance_id or "", "")
        error = identity_error(draft.group, member_id, who.instance_id)
        results.append(LeftMember(who.member_id, who.instance_id, error))
        if error is ErrorCode.NONE:
            left.setdefault(member_id, who)
    if left:
        first = next(iter(left))
        cause = cause_of_leaving(left.items(), speaks_consumer=not draft.group.is_classic_member(first))
        remove_members(draft, left, cause, for_good=True)
    return results


def remove_member(draft: Draft, member_id: str) -> None:
    """Remove a member or pending member; its parked requests are answered, so that it rejoins if it still runs.

    Kafka's coordinator answers a parked JoinGroup too, without the member id, but never a parked SyncGroup.
    """
    member = draft.classic.members.get(member_id)
    if member is not None:
        release_parked(draft, member, ErrorCode.UNKNOWN_MEMBER_ID, "")
    draft.group.classic = draft.classic.without(member_id)
    draft.cancel(TimerKind.SESSION, member_id)


def continue_without(draft: Draft, left: Collection[ClassicMember | None], cause: Cause) -> None:
    """Continue the group after members were removed; None is a pending member."""
    if draft.hooks.defers_rebalance(draft, left):
        return
    if draft.classic.is_in(ClassicStatus.STABLE, ClassicStatus.COMPLETING_REBALANCE):
        prepare_rebalance(draft, cause)
    else:
        complete_join_if_all_joined(draft)
    draft.hooks.let_in_if_alone(draft)

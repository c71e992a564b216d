"""Pre-registration: what happens while a group waits for instances that it reserves slots for.

| event | effect |
|---|---|
| an expected instance joins | it waits; the group epoch does not change, and no member rebalances |
| the last missing instance joins | all waiting members are admitted, which bumps the group epoch once |
| a slot's time ends before its instance joins | the slot is removed; if its instance was the last one missing, all \
waiting members count from now on, which raises the epoch once |
| a waiting member's session ends | its instance is missing again; the epoch does not change |
| a waiting member leaves permanently, or is removed | its slot is removed; the epoch does not change |
| another member joins or leaves, or topics change | the epoch rises as always; waiting members still wait |
| the last counted member leaves | waiting members count from now on, so that its partitions get an owner |
| no member was counted before, as in a new group | all members wait, and no partition is assigned |
| the group converts to the other protocol, or the coordinator fails over | the slots and their times are kept |

The matches of subscribed patterns must be known too, because they would raise the epoch a second time.

After each of these events, ``settle`` updates the slots, their timer and the counted members.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.leaving import LeftMember
from kafka_nextgen.groups.records import MemberMetadata
from kafka_nextgen.testing.coordinator.admission import JOIN
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions.registration.classic import (
    count_members_in,
    hold,
    join_together,
    send_back,
    take_up,
)
from kafka_nextgen.testing.coordinator.extensions.registration.slots import (
    begin_epochs,
    give_up_slots,
    keep_slots,
    knows_its_topics,
    missing,
    waiting,
    waits,
)
from kafka_nextgen.testing.coordinator.extensions.state import SLOTS
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.subscriptions import advance_epoch
from kafka_nextgen.testing.coordinator.timers import TimerKind, is_overdue
from kafka_nextgen.types import RebalanceReason

__all__ = [
    "hold_join",
    "let_in",
    "let_in_if_alone",
    "remove_expected",
    "sets_aside",
    "settle",
    "with_defaults_of_slot",
]


def with_defaults_of_slot(draft: Draft, request: ConsumerGroupHeartbeat) -> ConsumerGroupHeartbeat:
    """The request of a member that joins in a kept slot, with the slot's defaults for unset fields."""
    slot = SLOTS.of(draft.group).get(request.instance_id or "") if request.member_epoch == JOIN else None
    if slot is None:
        return request
    return evolve(
        request,
        server_assignor=request.server_assignor or slot.assignor,
        rebalance_timeout_ms=max(request.rebalance_timeout_ms, slot.rebalance_timeout_ms),
    )


def sets_aside(draft: Draft, member: MemberMetadata) -> bool:
    """Whether the member waits. Its request then raises the group epoch only if it was the last missing one."""
    if not waits(draft.group, member):
        return False
    begin_epochs(draft)
    advance_epoch(draft)
    settle(draft)
    return True


def settle(draft: Draft) -> None:
    """Remove expired slots, and count all members if no instance is missing."""
    group = draft.group
    if group.classic is not None:
        count_members_in(draft)
    if not SLOTS.of(group):
        return
    keeps_slots = draft.settings.extensions  # otherwise an earlier coordinator may have left slots
    overdue = {each.instance_id for each in missing(group) if is_overdue(each.until_ms, draft.now) or not keeps_slots}
    absent = [slot for slot in missing(group) if slot.instance_id not in overdue]
    if overdue:
        draft.note(f"group {group.group_id} continues without {', '.join(sorted(overdue))}, which did not join in time")
    if not absent and all(knows_its_topics(group, member_id) for member_id in waiting(group)):
        let_in(draft, SLOTS.of(group).keys())
        return
    give_up_slots(draft, overdue)
    draft.cancel(TimerKind.EXPECTED)
    if absent:
        first_s = min(slot.until_ms for slot in absent) / 1000
        draft.arm(TimerKind.EXPECTED, "", max(first_s - draft.now, 0.0))


def let_in(draft: Draft, instance_ids: Collection[str]) -> None:
    """Remove these slots. The members that wait there count from now on, all in one step."""
    came = [draft.group.instances[each] for each in instance_ids if each in draft.group.instances]
    held = take_up(draft, instance_ids)
    give_up_slots(draft, instance_ids)
    join_together(draft, held)
    if came:
        instance_id = draft.group.members[came[0]].instance_id
        text = ", ".join(["as announced", *(f"{member_id} joined" for member_id in came[1:])])
        advance_epoch(draft, Cause(RebalanceReason.MEMBER_JOINED, came[0], instance_id, text=text))


def hold_join(draft: Draft, request: JoinGroup) -> bool:
    """Hold the JoinGroup of an expected instance of a classic group; return whether it was held."""
    is_held = hold(draft, request)
    if is_held:
        settle(draft)
    return is_held


def remove_expected(draft: Draft, left: Sequence[LeftMember]) -> Sequence[LeftMember]:
    """The results of a removal, which may also name missing instances: their slots are removed."""
    results = tuple(
        evolve(each, error=ErrorCode.NONE) if each.error and _is_expected(draft, each) else each for each in left
    )
    gone = {each.instance_id for each in results if each.instance_id and not each.error}
    send_back(draft, gone, ErrorCode.UNKNOWN_MEMBER_ID)
    give_up_slots(draft, gone)
    settle(draft)
    return results


def _is_expected(draft: Draft, who: LeftMember) -> bool:
    return not who.member_id and who.instance_id in SLOTS.of(draft.group)


def let_in_if_alone(draft: Draft) -> None:
    """If no counted member is left, count the waiting ones, so that the partitions get owners.

    In a consumer group the caller raises the epoch.
    """
    group = draft.group
    if not SLOTS.of(group):
        return
    if group.classic is None and not any(True for _ in group.counted()):
        keep_slots(draft, missing(group))
    elif group.classic is not None and not group.classic.members:
        let_in(draft, group.classic.held.keys())

"""Announced leaving: when the remaining members take over from those that have left (the draft of batched joins, "the
same with scale down").

| event | effect |
|---|---|
| an announced member leaves, is removed, or its session ends | no member takes over: the epoch does not change, and \
its partitions have no owner |
| it leaves temporarily | the same; it keeps its place, and its instance may come back |
| the last announced member that is present leaves | the others take over from all that have left, in one rebalance; \
those that left temporarily are removed |
| the time of one that has left ends | the same |
| the time of one that is present ends | it is no longer announced, and stays a member |
| its instance returns | it is announced as before |
| another member joins or leaves, or topics change | the group rebalances as always, and the new assignment covers \
those that have left permanently |
| a standby takes over from it (``standbys``) | the group rebalances immediately |
| no other counted member would be left | the same: an emptied group waits for no member |
| the group converts to the other protocol, or the coordinator fails over | what is announced is kept |

A classic group defers a rebalance only while it is stable. Otherwise it is rebalancing already.

After each of these events, ``settle`` updates what is announced and its timer.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.extensions.records import Leaver
from kafka_nextgen.groups.records import MemberMetadata
from kafka_nextgen.testing.coordinator.classic.group import ClassicMember, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.rebalance import prepare_rebalance
from kafka_nextgen.testing.coordinator.classic.recording import record_of
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions.leaving.leavers import (
    forget,
    is_counted,
    is_present,
    keep_leavers,
    member_of,
)
from kafka_nextgen.testing.coordinator.extensions.state import LEAVERS
from kafka_nextgen.testing.coordinator.removal import remove_members
from kafka_nextgen.testing.coordinator.subscriptions import advance_epoch
from kafka_nextgen.testing.coordinator.timers import TimerKind, is_overdue
from kafka_nextgen.types import RebalanceReason

__all__ = ["defer", "defers_rebalance", "forget_gone", "settle", "take_over"]


def defer(draft: Draft, members: Sequence[MemberMetadata], cause: Cause | None) -> Cause | None:
    """None if the epoch does not change yet for these members of a consumer group, which are about to be removed."""
    if cause is not None and _is_announced(draft, members):
        leaving = {member.member_id for member in members}
        if any(member.member_id not in leaving for member in draft.group.counted()):
            return None
    forget(draft, _keys(members))
    return cause


def defers_rebalance(draft: Draft, left: Collection[ClassicMember | None]) -> bool:
    """Whether a classic group continues without these members, which have left, in its generation."""
    members = [member for member in left if member is not None]
    is_stable = draft.classic.is_in(ClassicStatus.STABLE) and bool(draft.classic.members)
    if is_stable and len(members) == len(left) and _is_announced(draft, members):
        draft.write(record_of(draft.classic, draft.now_ms))
        if not any(member.owes_sync for member in draft.classic.in_order()):
            draft.cancel(TimerKind.SYNC)
        settle(draft)
        return True
    forget(draft, _keys(members))
    return False


def _is_announced(draft: Draft, members: Collection[MemberMetadata | ClassicMember]) -> bool:
    return draft.settings.extensions and LEAVERS.of(draft.group).keys() >= _keys(members)


def _keys(members: Collection[MemberMetadata | ClassicMember]) -> set[tuple[str, str | None]]:
    return {Leaver(member.member_id, member.instance_id, until_ms=0).key for member in members}


def forget_gone(draft: Draft) -> None:
    """A rebalance began, or a classic group was assigned: the others take over from members that are no longer in it.

    One that left temporarily is still assigned to.
    """
    leavers = LEAVERS.of(draft.group).values()
    if leavers:
        keep_leavers(draft, [leaver for leaver in leavers if member_of(draft.group, leaver) is not None])


def settle(draft: Draft) -> None:
    """Take over from members that have left if the group waits for no other, and drop those that stayed too long."""
    group, leavers = draft.group, LEAVERS.of(draft.group).values()
    if not leavers:
        return
    overdue = {each for each in leavers if is_overdue(each.until_ms, draft.now) or not draft.settings.extensions}
    present = {each for each in leavers if is_present(group, each)}
    staying = present & overdue
    left = [each for each in leavers if each not in present]
    if staying:
        names = _listed([each for each in leavers if each in staying])
        draft.note(f"group {group.group_id} keeps {names}, which did not leave in time")
    awaited = any(is_counted(group, each) for each in present - overdue)
    if left and (not awaited or any(each in overdue for each in left)):
        keep_leavers(draft, [each for each in leavers if each in present and each not in staying])
        take_over(draft, left, is_late=awaited or bool(staying))
    else:
        keep_leavers(draft, [each for each in leavers if each not in staying])


def take_over(draft: Draft, left: Sequence[Leaver], *, is_late: bool = False) -> None:
    """Rebalance once without these members; those that left temporarily are still in the group."""
    group, epoch = draft.group, draft.group.epoch
    text = f"as announced, {_listed(left)} left" + (", and the time for the others ended" if is_late else "")
    cause = Cause(RebalanceReason.MEMBER_LEFT, left[0].member_id, left[0].instance_id, text=text)
    if group.classic is not None:
        if draft.classic.is_in(ClassicStatus.STABLE):
            prepare_rebalance(draft, cause)
        return
    away = [member_id for each in left if (member_id := member_of(group, each)) is not None]
    if away:
        remove_members(draft, away, cause, for_good=True)
    if len(away) < len(left) and group.classic is None and group.epoch == epoch:
        advance_epoch(draft, cause)


def _listed(leavers: Sequence[Leaver]) -> str:
    return ", ".join(leaver.name for leaver in leavers)

"""Announced leaving: the members that are announced to leave (*leavers*), and the state derived from them.

A member is announced by its instance id, or by its member id if it has none. It is *present* until it leaves,
permanently or temporarily, is removed, or its session ends; then it *has left*. It is present again if its instance
returns.

All of this is derived from the announcement and the members, so nothing else has to be recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import evolve

from kafka_nextgen.groups.described import DescribedLeaver
from kafka_nextgen.groups.extensions.records import Leaver, LeavingMembers, LeavingMembersRemoved
from kafka_nextgen.testing.coordinator.admission import LEAVE_TEMPORARILY
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions.state import LEAVERS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.timers import TimerKind

__all__ = [
    "described",
    "forget",
    "gone",
    "instance_came_back",
    "is_counted",
    "is_present",
    "keep_leavers",
    "member_of",
]


def member_of(group: Group, leaver: Leaver) -> str | None:
    """The member of the group that was announced, by its current member id; None if it is not in the group."""
    members = group.members if group.classic is None else group.classic.members
    instances = group.instances if group.classic is None else group.classic.instances
    if leaver.instance_id is not None:
        return instances.get(leaver.instance_id)
    return leaver.member_id if leaver.member_id in members else None


def is_present(group: Group, leaver: Leaver) -> bool:
    """Whether the member has not left, not even temporarily."""
    member_id = member_of(group, leaver)
    return member_id is not None and group.current(member_id).member_epoch != LEAVE_TEMPORARILY


def is_counted(group: Group, leaver: Leaver) -> bool:
    """Whether assignments count the member, so that others have to take over from it."""
    return member_of(group, leaver) not in group.hooks.members_waiting(group)


def gone(group: Group) -> list[Leaver]:
    """The announced members that are no longer in the group, and from which no other has taken over yet."""
    return [leaver for leaver in LEAVERS.of(group).values() if member_of(group, leaver) is None]


def described(group: Group) -> tuple[DescribedLeaver, ...]:
    """The announced members, as descriptions of the group show them."""
    return tuple(
        DescribedLeaver(
            member_of(group, leaver) or leaver.member_id,
            leaver.instance_id,
            leaver.until_ms,
            not is_present(group, leaver),
        )
        for leaver in LEAVERS.of(group).values()
    )


def keep_leavers(draft: Draft, leavers: Iterable[Leaver]) -> None:
    """Replace the group's announced members with these, and set the timer to the first that is overdue."""
    group, before = draft.group, tuple(LEAVERS.of(draft.group).values())
    kept = tuple(evolve(leaver, member_id=member_of(group, leaver) or leaver.member_id) for leaver in leavers)
    if kept != before:
        draft.write(LeavingMembers(group.group_id, kept) if kept else LeavingMembersRemoved(group.group_id))
    if kept:
        first_s = min(leaver.until_ms for leaver in kept) / 1000
        draft.arm(TimerKind.LEAVING, "", max(first_s - draft.now, 0.0))
    elif before:
        draft.cancel(TimerKind.LEAVING)


def instance_came_back(draft: Draft, former_id: str, member_id: str) -> None:
    """An announced static member has a new member id."""
    leavers = LEAVERS.of(draft.group).values()
    renamed = tuple(evolve(each, member_id=member_id) if each.member_id == former_id else each for each in leavers)
    if renamed != tuple(leavers):
        draft.write(LeavingMembers(draft.group.group_id, renamed))


def forget(draft: Draft, keys: Collection[tuple[str, str | None]]) -> None:
    """Remove the announcement of these members."""
    leavers, forgotten = LEAVERS.of(draft.group), set(keys)
    if leavers.keys() & forgotten:
        keep_leavers(draft, [leaver for key, leaver in leavers.items() if key not in forgotten])

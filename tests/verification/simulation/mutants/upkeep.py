"""Bugs in what a coordinator does beside heartbeats: timers, leaving, static members, patterns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator import (
    coordinator,
    expiry,
    regex,
    removal,
    static_members,
)
from kafka_nextgen.testing.coordinator.admission import JOIN, LEAVE_TEMPORARILY
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.removal import write_removal
from kafka_nextgen.testing.coordinator.timers import Arm, TimerKind
from tests.verification.simulation.mutants.planting import Garden, Plant, nothing


def _only_stops(draft: Draft, timer: Arm) -> None:
    draft.cancel(timer.key.kind, timer.key.member_id)


def _forgets_to_stop_timers(garden: Garden) -> None:
    def without_timers(draft: Draft, member_id: str) -> None:
        cancelled = len(draft.timers)
        write_removal(draft, member_id)
        del draft.timers[cancelled:]

    garden.set(removal, "write_removal", without_timers)


def _leaves_its_current_assignment(garden: Garden) -> None:
    def incomplete(draft: Draft, member_id: str) -> None:
        group_id = draft.group.group_id
        draft.write(r.TargetAssignmentMemberRemoved(group_id, member_id))
        draft.write(r.MemberMetadataRemoved(group_id, member_id))
        for kind in (TimerKind.SESSION, TimerKind.REBALANCE):
            draft.cancel(kind, member_id)

    garden.set(removal, "write_removal", incomplete)


def _keeps_pending_of_who_left(garden: Garden) -> None:
    def leave_temporarily(draft: Draft, member_id: str) -> None:
        current = draft.group.current(member_id)
        if current.member_epoch != LEAVE_TEMPORARILY:
            draft.write(evolve(current, member_epoch=LEAVE_TEMPORARILY, previous_member_epoch=current.member_epoch))
            draft.cancel(TimerKind.REBALANCE, member_id)

    garden.set(removal, "_leave_temporarily", leave_temporarily)


def _stops_the_session_of_who_left(garden: Garden) -> None:
    def instead(leave: Any, draft: Draft, member_id: str) -> None:
        leave(draft, member_id)
        draft.cancel(TimerKind.SESSION, member_id)

    garden.wrap(removal, "_leave_temporarily", instead)


def _gives_the_instancenothing(garden: Garden) -> None:
    def replace(draft: Draft, former_id: str, member_id: str) -> None:
        group = draft.group
        member, current = group.members[former_id], group.current(former_id)
        write_removal(draft, former_id)
        draft.write(evolve(member, member_id=member_id))
        draft.write(evolve(current, member_id=member_id, member_epoch=JOIN, previous_member_epoch=JOIN, assigned=()))

    garden.set(static_members, "replace_member", replace)


def _restarts_without(garden: Garden, kind: TimerKind) -> None:
    def instead(restart: Any, draft: Draft) -> None:
        restart(draft)
        draft.timers[:] = [each for each in draft.timers if each.key.kind is not kind]

    garden.wrap(coordinator, "restart", instead)


UPKEEP: Mapping[str, Plant] = {
    "expels-none": lambda garden: garden.put(expiry._RING, TimerKind.SESSION, _only_stops),
    "revokes-for-ever": lambda garden: garden.put(expiry._RING, TimerKind.REBALANCE, _only_stops),
    "removal-without-bump": lambda garden: garden.set(removal, "advance_epoch", nothing),
    "timers-of-the-gone": _forgets_to_stop_timers,
    "ownership-of-the-gone": _leaves_its_current_assignment,
    "static-leave-is-final": lambda garden: garden.set(removal, "LEAVE_TEMPORARILY", None),
    "static-leave-keeps-pending": _keeps_pending_of_who_left,
    "static-leave-for-ever": _stops_the_session_of_who_left,
    "static-return-empty": _gives_the_instancenothing,
    "static-return-twice": lambda garden: garden.set(
        static_members,
        "replace_member",
        lambda draft, former_id, member_id: draft.write(evolve(draft.group.members[former_id], member_id=member_id)),
    ),
    "pattern-once": lambda garden: garden.set(
        regex,
        "_has_reason",
        lambda draft: any(draft.group.patterns.get(each) is None for each in draft.group.pattern_subscribers),
    ),
    "pattern-without-bump": lambda garden: garden.set(regex, "advance_epoch", nothing),
    "pattern-waits-too-long": lambda garden: garden.set(regex, "MIN_MATCHING_INTERVAL_S", 1e6),
    "pattern-kept": lambda garden: garden.set(removal, "forget_pattern_if_unused", nothing),
}

RESTARTS: Mapping[str, Plant] = {
    "no-sessions-after-fail-over": lambda garden: _restarts_without(garden, TimerKind.SESSION),
    "no-revocations-after-fail-over": lambda garden: _restarts_without(garden, TimerKind.REBALANCE),
}

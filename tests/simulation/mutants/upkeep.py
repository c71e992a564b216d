"""Bugs in what a coordinator does beside heartbeats: timers, leaving, static members, patterns."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from kafka_nextgen.coordinator import (
    coordinator,
    expiry,
    regex,
    removal,
    restart,
    static_members,
)
from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.admission import JOIN, LEAVE_TEMPORARILY
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.removal import write_removal
from kafka_nextgen.coordinator.timers import Arm, TimerKind
from tests.simulation.mutants.planting import Garden, Mutant, Part

__all__ = ["UPKEEP"]


def _nothing(*args: Any, **more: Any) -> None:
    """Do nothing."""


def _only_stops(draft: Draft, timer: Arm) -> None:
    draft.cancel(timer.key.kind, timer.key.member_id)


def _expels_nobody(garden: Garden) -> None:
    garden.put(expiry._RING, TimerKind.SESSION, _only_stops)


def _waits_for_ever(garden: Garden) -> None:
    garden.put(expiry._RING, TimerKind.REBALANCE, _only_stops)


def _removes_without_a_bump(garden: Garden) -> None:
    garden.set(removal, "advance_epoch", _nothing)


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


def _removes_who_leaves_for_a_while(garden: Garden) -> None:
    garden.set(removal, "LEAVE_TEMPORARILY", None)


def _keeps_pending_of_who_left(garden: Garden) -> None:
    def leave_temporarily(draft: Draft, member_id: str) -> None:
        current = draft.group.current(member_id)
        if current.member_epoch != LEAVE_TEMPORARILY:
            draft.write(evolve(current, member_epoch=LEAVE_TEMPORARILY, previous_member_epoch=current.member_epoch))
            draft.cancel(TimerKind.REBALANCE, member_id)

    garden.set(removal, "_leave_temporarily", leave_temporarily)


def _stops_the_session_of_who_left(garden: Garden) -> None:
    def around(leave: Any) -> Any:
        def left(draft: Draft, member_id: str) -> None:
            leave(draft, member_id)
            draft.cancel(TimerKind.SESSION, member_id)

        return left

    garden.wrap(removal, "_leave_temporarily", around)


def _gives_the_instance_nothing(garden: Garden) -> None:
    def replace(draft: Draft, former_id: str, member_id: str) -> None:
        group = draft.group
        member, current = group.members[former_id], group.current(former_id)
        write_removal(draft, former_id)
        draft.write(evolve(member, member_id=member_id))
        draft.write(evolve(current, member_id=member_id, member_epoch=JOIN, previous_member_epoch=JOIN, assigned=()))

    garden.set(static_members, "replace_member", replace)


def _keeps_the_former_member(garden: Garden) -> None:
    def replace(draft: Draft, former_id: str, member_id: str) -> None:
        draft.write(evolve(draft.group.members[former_id], member_id=member_id))

    garden.set(static_members, "replace_member", replace)


def _matches_patterns_once(garden: Garden) -> None:
    def has_reason(draft: Draft) -> bool:
        return any(draft.group.patterns.get(pattern) is None for pattern in draft.group.pattern_subscribers)

    garden.set(regex, "_has_reason", has_reason)


def _matches_without_a_bump(garden: Garden) -> None:
    garden.set(regex, "advance_epoch", _nothing)


def _matches_in_vain(garden: Garden) -> None:
    garden.set(regex, "MIN_MATCHING_INTERVAL_S", 1e6)


def _keeps_patterns(garden: Garden) -> None:
    garden.set(removal, "forget_pattern_if_unused", _nothing)


def _restarts_no_sessions(garden: Garden) -> None:
    _restarts_without(garden, TimerKind.SESSION)


def _restarts_no_revocations(garden: Garden) -> None:
    _restarts_without(garden, TimerKind.REBALANCE)


def _restarts_without(garden: Garden, kind: TimerKind) -> None:
    def restarted(draft: Draft) -> None:
        restart.restart(draft)
        draft.timers[:] = [each for each in draft.timers if each.key.kind is not kind]

    garden.set(coordinator, "restart", restarted)


_C, _L = Part.COORDINATOR, Part.LOG

UPKEEP = (
    Mutant("expels-none", _C, "Removes no member whose session has expired.",
           "Partitions of a crashed consumer have no reader.", _expels_nobody),
    Mutant("revokes-for-ever", _C, "Removes no member that does not revoke in time.",
           "A callback that hangs blocks the group forever.", _waits_for_ever),
    Mutant("removal-without-bump", _C, "Removes members without a new group epoch.",
           "Their partitions have no reader until something else happens.", _removes_without_a_bump),
    Mutant("timers-of-the-gone", _C, "Keeps timers of removed members running.",
           "Timers pile up; a member that joins again may be expelled by an old one.", _forgets_to_stop_timers),
    Mutant("ownership-of-the-gone", _C, "Does not release the partitions of removed members.",
           "Their partitions are never free again.", _leaves_its_current_assignment),
    Mutant("static-leave-is-final", _C, "Treats a static member's temporary leave as final.",
           "Every restart in a rolling deployment rebalances the group twice.", _removes_who_leaves_for_a_while),
    Mutant("static-leave-keeps-pending",
           _C, "Keeps the partitions a static member had to revoke when it leaves temporarily.",
           "Those partitions have no reader until its session expires.", _keeps_pending_of_who_left),
    Mutant("static-leave-for-ever", _C, "Stops the session timer of a static member that leaves temporarily.",
           "Partitions of an instance that never returns have no reader.", _stops_the_session_of_who_left),
    Mutant("static-return-empty", _C, "Gives a returning instance none of its former partitions.",
           "Every restart of a static member moves partitions.", _gives_the_instance_nothing),
    Mutant("static-return-twice", _C, "Keeps the former member beside the one that replaces it.",
           "A former member holds partitions until its session expires.", _keeps_the_former_member),
    Mutant("pattern-once", _C, "Resolves a pattern only when it is new.",
           "Topics that are created later are never read.", _matches_patterns_once),
    Mutant("pattern-without-bump", _C, "Does not bump the group epoch when a pattern's matches change.",
           "Consumers with a pattern read nothing, or not the new topics.", _matches_without_a_bump),
    Mutant("pattern-waits-too-long", _C, "Resolves patterns again only after eleven days.",
           "Topics that are created later are never read.", _matches_in_vain),
    Mutant("pattern-kept", _C, "Keeps a pattern's matches after its last subscriber is gone.",
           "Records pile up in the log; a stale match may be used again.", _keeps_patterns),
    Mutant("no-sessions-after-fail-over", _L, "Starts no session timers when a coordinator starts.",
           "A consumer that crashes around a fail-over holds its partitions forever.", _restarts_no_sessions),
    Mutant("no-revocations-after-fail-over", _L, "Starts no rebalance timers when a coordinator starts.",
           "A consumer that hangs around a fail-over blocks the group forever.", _restarts_no_revocations),
)  # fmt: skip

"""Bugs in how a coordinator goes round with a classic group: joining, syncing, sessions, static members, its record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import evolve

from kafka_nextgen.bridge.extensions.offsets_topic import CODEC
from kafka_nextgen.bridge.offsets_topic.kinds import CLASSIC_GROUP
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator import coordinator, expiry, offsets, restart
from kafka_nextgen.coordinator.classic import (
    generation,
    joining,
    leaving,
    rebalance,
    static_members,
)
from kafka_nextgen.coordinator.classic.group import ClassicGroup, ClassicStatus
from kafka_nextgen.coordinator.classic.requests import Heartbeat
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.timers import TimerKind
from tests.simulation.mutants.planting import Garden, Mutant, Part

__all__ = ["CLASSIC_GROUPS"]


def _nothing(*args: Any, **more: Any) -> None:
    """Do nothing."""


def _does_nothing(owner: Any, name: str) -> Callable[[Garden], None]:
    return lambda garden: garden.set(owner, name, _nothing)


def _rings_in_vain(kind: TimerKind) -> Callable[[Garden], None]:
    return lambda garden: garden.put(expiry._RING_CLASSIC, kind, _nothing)


def _but_for(owner: Any, name: str, code: ErrorCode) -> Callable[[Garden], None]:
    """Refuse as before, but never with this code."""

    def around(refuse: Any) -> Any:
        def refused(*args: Any) -> ErrorCode:
            error: ErrorCode = refuse(*args)
            return ErrorCode.NONE if error is code else error

        return refused

    return lambda garden: garden.wrap(owner, name, around)


def _asks_for_no_instance(garden: Garden) -> None:
    for module in (joining, offsets, leaving):
        _but_for(module, "identity_error", ErrorCode.FENCED_INSTANCE_ID)(garden)
    _but_for(generation, "generation_error", ErrorCode.FENCED_INSTANCE_ID)(garden)


def _waits_for_nobody(garden: Garden) -> None:
    garden.set(ClassicGroup, "all_have_joined", property(lambda group: True))


def _keeps_its_generation(garden: Garden) -> None:
    def around(answer: Any) -> Any:
        def answered(draft: Draft) -> None:
            draft.group.classic = evolve(draft.classic, generation=max(1, draft.classic.generation - 1))
            answer(draft)

        return answered

    garden.wrap(rebalance, "_answer_all", around)


def _tells_no_rebalance(garden: Garden) -> None:
    def around(beat: Any) -> Any:
        def answered(draft: Draft, request: Any) -> Any:
            outcome = beat(draft, request)
            is_told = outcome.response.error is ErrorCode.REBALANCE_IN_PROGRESS
            return evolve(outcome, response=type(outcome.response)()) if is_told else outcome

        return answered

    garden.put(coordinator._ON_ONE_GROUP, Heartbeat, around(generation.session_heartbeat))


def _lets_parked_syncs_wait(garden: Garden) -> None:
    def send_back(draft: Draft) -> None:
        free = [evolve(member, sync=None, owes_sync=False) for member in draft.classic.in_order()]
        if draft.classic.is_in(ClassicStatus.COMPLETING_REBALANCE):
            free = [evolve(member, assignment=b"") for member in free]
        for member in draft.classic.in_order():
            if member.sync is not None:
                draft.arm(TimerKind.SESSION, member.member_id, member.session_timeout_ms / 1000)
        draft.group.classic = draft.classic.with_member(*free)

    garden.set(rebalance, "_send_back_to_join", send_back)


def _expels_those_that_wait(garden: Garden) -> None:
    def around(end: Any) -> Any:
        def ended(draft: Draft, member_id: str) -> None:
            member = draft.classic.members.get(member_id)
            if member is not None and member.is_parked:
                draft.group.classic = draft.classic.with_member(evolve(member, is_new=True))
            end(draft, member_id)

        return ended

    garden.put(expiry._RING_CLASSIC, TimerKind.SESSION, around(expiry._end_session))


def _goes_on_unchanged(garden: Garden) -> None:
    def around(go_on: Any) -> Any:
        return lambda draft, cause: None if draft.classic.is_in(ClassicStatus.STABLE) else go_on(draft, cause)

    for module in (leaving, expiry):
        garden.wrap(module, "continue_without", around)


def _takes_over_nothing(garden: Garden) -> None:
    garden.wrap(
        static_members,
        "_take_over",
        lambda take_over: lambda draft, request, former: take_over(draft, request, evolve(former, assignment=b"")),
    )


def _keeps_the_former(garden: Garden) -> None:
    def around(take_over: Any) -> Any:
        def taken(draft: Draft, request: Any, former: Any) -> Any:
            member = take_over(draft, request, former)
            draft.group.classic = draft.classic.with_member(evolve(former, instance_id=None, join=None, sync=None))
            draft.arm(TimerKind.SESSION, former.member_id, former.session_timeout_ms / 1000)
            return member

        return taken

    garden.wrap(static_members, "_take_over", around)


def _records_no_parts(garden: Garden) -> None:
    def around(record_of: Any) -> Any:
        def recorded(group: Any, now_ms: int) -> Any:
            record = record_of(group, now_ms)
            return evolve(record, members=tuple(evolve(each, assignment=b"") for each in record.members))

        return recorded

    garden.wrap(generation, "record_of", around)


def _assigns_to_those_that_wait(garden: Garden) -> None:
    """Who asks for its part when the others have theirs gets nothing."""

    def around(answer: Any) -> Any:
        def answered(group: Any, member: Any) -> Any:
            return answer(group, member if member.sync is not None else evolve(member, assignment=b""))

        return answered

    garden.wrap(generation, "_answer", around)


def _takes_the_first_protocol(garden: Garden) -> None:
    garden.set(ClassicGroup, "chosen_protocol", lambda group: next(iter(group.in_order())).names[0])


def _takes_any_offer_for_the_same(garden: Garden) -> None:
    def around(join: Any) -> Any:
        def joined(draft: Draft, request: Any) -> Any:
            member = draft.classic.members[request.member_id]
            is_stable = draft.classic.is_in(ClassicStatus.STABLE)
            return join(draft, evolve(request, protocols=member.protocols) if is_stable else request)

        return joined

    garden.wrap(joining, "_join_again", around)


def _keeps_pending_for_ever(garden: Garden) -> None:
    def around(end: Any) -> Any:
        def ended(draft: Draft, member_id: str) -> None:
            if member_id not in draft.classic.pending:
                end(draft, member_id)

        return ended

    garden.put(expiry._RING_CLASSIC, TimerKind.SESSION, around(expiry._end_session))


def _written_without(**fields: Any) -> Callable[[Garden], None]:
    """Write the record of a classic group, and those of its members, without some of their fields."""

    def without(part: Any) -> Any:
        return part.replaced(**{name: blank for name, blank in fields.items() if hasattr(part, name)})

    def to_value(record: Any) -> Any:
        value: Any = CLASSIC_GROUP.to_value(record)
        return without(value).replaced(members=[without(member) for member in value.members])

    def plant(garden: Garden) -> None:
        other = evolve(CLASSIC_GROUP, to_value=to_value)
        for table in (CODEC.by_number, CODEC.by_record):
            for key, value in list(table.items()):
                if value is CLASSIC_GROUP:
                    garden.put(table, key, other)

    return plant


_ = Part.CLASSIC_GROUP
_LOST, _GONE = ErrorCode.ILLEGAL_GENERATION, ErrorCode.UNKNOWN_MEMBER_ID

CLASSIC_GROUPS = (
    Mutant("join-phase-for-ever", _, "Waits forever for members to join.",
           "A consumer that hangs blocks the group forever.", _rings_in_vain(TimerKind.JOIN)),
    Mutant("join-phase-too-short", _, "Starts a generation without waiting for other members.",
           "Every rebalance expels all but one.", _waits_for_nobody),
    Mutant("absent-stay", _, "Keeps members that did not join in time.",
           "Partitions are assigned to former consumers.", _does_nothing(rebalance, "_remove_absent")),
    Mutant("generation-stays", _, "Starts each generation with the number of the previous one.",
           "Commits of a former owner set offsets back.", _keeps_its_generation),
    Mutant("rebalance-untold", _, "Answers heartbeats as usual while the group rebalances.",
           "Consumers are expelled in each rebalance.", _tells_no_rebalance),
    Mutant("syncs-left-waiting", _, "Leaves parked SyncGroups without an answer when the group rebalances.",
           "Two rebalances in a row stop consumers for a request timeout.", _lets_parked_syncs_wait),
    Mutant("sync-at-any-generation", _, "Answers a SyncGroup of an earlier generation.",
           "A late consumer gets an outdated assignment.", _but_for(generation, "_refusal", _LOST)),
    Mutant("heartbeat-at-any-generation", _, "Lets heartbeats of earlier generations prolong a session.",
           "A consumer that missed a rebalance reads on beside the next owner.",
           _but_for(generation, "generation_error", _LOST)),
    Mutant("commit-at-any-generation", _, "Accepts commits of earlier generations.",
           "A consumer that lost its partitions sets offsets back.",
           _but_for(offsets, "_refuse_classic_commit", _LOST)),
    Mutant("commit-of-any-member", _, "Accepts commits of unknown members.",
           "An expired consumer sets offsets back.", _but_for(offsets, "identity_error", _GONE)),
    Mutant("classic-expels-none", _, "Removes no member of a classic group whose session has expired.",
           "Partitions of a crashed consumer have no reader.", _rings_in_vain(TimerKind.SESSION)),
    Mutant("classic-expels-waiting", _, "Removes members whose JoinGroup or SyncGroup is parked.",
           "Consumers that wait for a slow one are expelled.", _expels_those_that_wait),
    Mutant("classic-pending-for-ever", _, "Waits forever for a new member id to be used.",
           "A consumer that dies while it joins slows down every rebalance.", _keeps_pending_for_ever),
    Mutant("classic-leave-without-rebalance", _, "Does not rebalance a group whose members leave or expire.",
           "Their partitions have no reader.", _goes_on_unchanged),
    Mutant("classic-instance-not-its-own", _, "Accepts any member id with a known instance id.",
           "Two processes with one instance id both go on.", _asks_for_no_instance),
    Mutant("classic-static-return-empty", _, "Gives a returning instance none of its former partitions.",
           "Partitions have no reader after a restart.", _takes_over_nothing),
    Mutant("classic-static-return-twice", _, "Keeps the former member beside the one that replaces it.",
           "Each restart of a static member rebalances the group.", _keeps_the_former),
    Mutant("classic-no-room-asked-for", _, "Admits more members than group.max.size.",
           "The limit does not protect the broker.", lambda garden: garden.set(joining, "has_room",
           lambda *args: True)),
    Mutant("classic-first-protocol", _, "Chooses the first member's protocol, which others may not support.",
           "Consumers fail for good.", _takes_the_first_protocol),
    Mutant("classic-offer-unseen", _, "Ignores the protocols with which a member of a stable group joins again.",
           "New subscriptions are never assigned.", _takes_any_offer_for_the_same),
    Mutant("classic-parts-not-recorded", _, "Does not store members' assignments.",
           "Consumers get nothing.", _records_no_parts),
    Mutant("classic-late-sync-empty", _, "Answers late SyncGroups with an empty assignment.",
           "Partitions have no reader although there are consumers.", _assigns_to_those_that_wait),
    Mutant("classic-no-sessions-after-fail-over", _, "Starts no session timers when a coordinator starts.",
           "A consumer that crashes around a fail-over holds its partitions forever.",
           _does_nothing(restart, "_restart_classic_sessions")),
    Mutant("classic-generation-not-written", _, "Writes no generation of a classic group.",
           "After a fail-over all members lose their partitions.", _written_without(generation=0)),
    Mutant("classic-instance-not-written", _, "Writes no instance ids of a classic group.",
           "After a fail-over static members are fenced or duplicated.", _written_without(group_instance_id=None)),
    Mutant("classic-parts-not-written", _, "Writes no assignments of a classic group.",
           "After a fail-over returning consumers get nothing.", _written_without(assignment=b"")),
    Mutant("classic-leader-not-written", _, "Writes no leader of a classic group.",
           "After a fail-over no member watches the topics.", _written_without(leader=None)),
    Mutant("classic-timeout-not-written", _, "Writes no session timeouts of a classic group.",
           "After a fail-over all members are expelled.", _written_without(session_timeout=0)),
)  # fmt: skip

"""Bugs in how a coordinator goes round with a classic group: joining, syncing, sessions, static members, its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.offsets_topic.kinds import CLASSIC_GROUP
from kafka_nextgen.testing.coordinator import coordinator, expiry, offsets, restart
from kafka_nextgen.testing.coordinator.classic import (
    generation,
    joining,
    leaving,
    rebalance,
    static_members,
)
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.requests import Heartbeat
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions.hooks import Extensions
from kafka_nextgen.testing.coordinator.timers import TimerKind
from tests.verification.simulation.mutants.planting import Garden, Plant, nothing


def _but_for(owner: Any, name: str, code: ErrorCode) -> Plant:
    """Refuse as before, but never with this code."""

    def instead(refuse: Any, *args: Any) -> ErrorCode:
        error: ErrorCode = refuse(*args)
        return ErrorCode.NONE if error is code else error

    return lambda garden: garden.wrap(owner, name, instead)


def _asks_for_no_instance(garden: Garden) -> None:
    for module in (joining, offsets, leaving):
        _but_for(module, "identity_error", ErrorCode.FENCED_INSTANCE_ID)(garden)
    _but_for(generation, "generation_error", ErrorCode.FENCED_INSTANCE_ID)(garden)


def _keeps_its_generation(garden: Garden) -> None:
    def instead(answer: Any, draft: Draft) -> None:
        draft.group.classic = evolve(draft.classic, generation=max(1, draft.classic.generation - 1))
        answer(draft)

    garden.wrap(rebalance, "_answer_all", instead)


def _tells_no_rebalance(garden: Garden) -> None:
    def instead(beat: Any, draft: Draft, request: Any) -> Any:
        outcome = beat(draft, request)
        is_told = outcome.response.error is ErrorCode.REBALANCE_IN_PROGRESS
        return evolve(outcome, response=type(outcome.response)()) if is_told else outcome

    garden.wrap_entry(coordinator._ON_ONE_GROUP, Heartbeat, instead)


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
    def instead(end: Any, draft: Draft, member_id: str) -> None:
        member = draft.classic.members.get(member_id)
        if member is not None and member.is_parked:
            draft.group.classic = draft.classic.with_member(evolve(member, is_new=True))
        end(draft, member_id)

    garden.wrap_entry(expiry._RING_CLASSIC, TimerKind.SESSION, instead)


def _goes_on_unchanged(garden: Garden) -> None:
    for module in (leaving, expiry):
        garden.wrap(
            module,
            "continue_without",
            lambda go_on, draft, left, cause: (
                None if draft.classic.is_in(ClassicStatus.STABLE) else go_on(draft, left, cause)
            ),
        )


def _keeps_the_former(garden: Garden) -> None:
    def instead(take_over: Any, draft: Draft, request: Any, former: Any) -> Any:
        member = take_over(draft, request, former)
        draft.group.classic = draft.classic.with_member(evolve(former, instance_id=None, join=None, sync=None))
        draft.arm(TimerKind.SESSION, former.member_id, former.session_timeout_ms / 1000)
        return member

    garden.wrap(static_members, "_take_over", instead)


def _records_no_parts(garden: Garden) -> None:
    def instead(record_of: Any, group: Any, now_ms: int) -> Any:
        record = record_of(group, now_ms)
        return evolve(record, members=tuple(evolve(each, assignment=b"") for each in record.members))

    garden.wrap(generation, "record_of", instead)


def _takes_any_offer_for_the_same(garden: Garden) -> None:
    def instead(join: Any, draft: Draft, request: Any) -> Any:
        member = draft.classic.members[request.member_id]
        is_stable = draft.classic.is_in(ClassicStatus.STABLE)
        return join(draft, evolve(request, protocols=member.protocols) if is_stable else request)

    garden.wrap(joining, "_join_again", instead)


def _written_without(**fields: Any) -> Plant:
    """Write the record of a classic group, and those of its members, without some of their fields."""

    def without(part: Any) -> Any:
        return part.replaced(**{name: blank for name, blank in fields.items() if hasattr(part, name)})

    def to_value(record: Any) -> Any:
        value: Any = CLASSIC_GROUP.to_value(record)
        return without(value).replaced(members=[without(member) for member in value.members])

    return lambda garden: garden.put_kind(CLASSIC_GROUP, to_value=to_value)


_LOST, _GONE = ErrorCode.ILLEGAL_GENERATION, ErrorCode.UNKNOWN_MEMBER_ID

CLASSIC_GROUPS: Mapping[str, Plant] = {
    "join-phase-for-ever": lambda garden: garden.put(expiry._RING_CLASSIC, TimerKind.JOIN, nothing),
    "join-phase-too-short": lambda garden: garden.set(ClassicGroup, "all_have_joined", property(lambda group: True)),
    "absent-stay": lambda garden: garden.set(rebalance, "_remove_absent", nothing),
    "generation-stays": _keeps_its_generation,
    "rebalance-untold": _tells_no_rebalance,
    "syncs-left-waiting": _lets_parked_syncs_wait,
    "sync-at-any-generation": _but_for(generation, "_refusal", _LOST),
    "heartbeat-at-any-generation": _but_for(generation, "generation_error", _LOST),
    "commit-at-any-generation": _but_for(offsets, "_refuse_classic_commit", _LOST),
    "commit-of-any-member": _but_for(offsets, "identity_error", _GONE),
    "classic-expels-none": lambda garden: garden.put(expiry._RING_CLASSIC, TimerKind.SESSION, nothing),
    "classic-expels-waiting": _expels_those_that_wait,
    "classic-pending-for-ever": lambda garden: garden.wrap_entry(
        expiry._RING_CLASSIC,
        TimerKind.SESSION,
        lambda end, draft, member_id: None if member_id in draft.classic.pending else end(draft, member_id),
    ),
    "classic-leave-without-rebalance": _goes_on_unchanged,
    "classic-instance-not-its-own": _asks_for_no_instance,
    "classic-static-return-empty": lambda garden: garden.wrap(
        static_members,
        "_take_over",
        lambda take_over, draft, request, former: take_over(draft, request, evolve(former, assignment=b"")),
    ),
    "classic-static-change-unseen": lambda garden: garden.set(
        Extensions, "minds_subscription", staticmethod(lambda stated: False)
    ),
    "classic-static-return-twice": _keeps_the_former,
    "classic-no-room-asked-for": lambda garden: garden.set(joining, "has_room", lambda *args: True),
    "classic-first-protocol": lambda garden: garden.set(
        ClassicGroup, "chosen_protocol", lambda group: next(iter(group.in_order())).names[0]
    ),
    "classic-offer-unseen": _takes_any_offer_for_the_same,
    "classic-parts-not-recorded": _records_no_parts,
    "classic-late-sync-empty": lambda garden: garden.wrap(
        generation,
        "_answer",
        lambda answer, group, member: answer(group, evolve(member, assignment=b"") if member.sync is None else member),
    ),
    "classic-no-sessions-after-fail-over": lambda garden: garden.set(restart, "_restart_classic_sessions", nothing),
    "classic-generation-not-written": _written_without(generation=0),
    "classic-instance-not-written": _written_without(group_instance_id=None),
    "classic-parts-not-written": _written_without(assignment=b""),
    "classic-leader-not-written": _written_without(leader=None),
    "classic-timeout-not-written": _written_without(session_timeout=0),
}

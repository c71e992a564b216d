"""Bugs in the member's machine of the classic protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic import (
    assigning,
    comparing,
    failures,
    heartbeats,
    joining,
    leaving,
    losing,
    member,
    rebalancing,
    requests,
    topics,
    transitions,
)
from kafka_nextgen.membership.classic.state import NOTHING
from kafka_nextgen.membership.effects import StopFetching
from kafka_nextgen.membership.error_actions import ErrorAction
from tests.verification.simulation.mutants.planting import Garden, Plant, stay

_TABLES: tuple[Any, ...] = (failures.JOIN_ACTIONS, failures.SYNC_ACTIONS, failures.HEARTBEAT_ACTIONS)


def _with_rule(garden: Garden, rule: Any, instead: Any) -> None:
    garden.put_rule(transitions.TABLE, rule, instead)


def _action(code: ErrorCode, action: ErrorAction, *tables: Any) -> Plant:
    def plant(garden: Garden) -> None:
        for table in tables or _TABLES:
            if code in table:
                garden.put(table, code, action)

    return plant


def _reports_nothing_owned(garden: Garden) -> None:
    def instead(send_join: Any, state: Any, at: Any) -> Any:
        after, effects = send_join(evolve(state, owned=NOTHING, held=NOTHING), at)
        return evolve(after, owned=state.owned, held=state.held), effects

    garden.wrap(requests, "send_join", instead)


def _flows_while_it_revokes(garden: Garden) -> None:
    def instead(begin: Any, state: Any, at: Any, *, polling: bool = False) -> Any:
        state, effects = begin(state, at, polling=polling)
        return state, tuple(each for each in effects if not isinstance(each, StopFetching))

    garden.wrap(rebalancing, "begin", instead)


def _beats_too_slowly(garden: Garden) -> None:
    def instead(function: Any, state: Any, at: Any) -> Any:
        settings = evolve(at.settings, heartbeat_interval_ms=60_000, session_timeout_ms=60_000)
        return function(state, evolve(at, settings=settings))

    for name in ("_session_from_now", "answered"):
        garden.wrap(heartbeats, name, instead)


def _looks_a_pattern_up_once(garden: Garden) -> None:
    def instead(send_join: Any, state: Any, at: Any) -> Any:
        after, effects = send_join(state, at)
        return evolve(after, matching=state.matching), effects

    garden.wrap(requests, "send_join", instead)


def _assigns_nothing_to_the_last(garden: Garden) -> None:
    def instead(assign: Any, strategy: Any, roster: Any, known: Any) -> Any:
        *parts, last = assign(strategy, roster, known)
        return (*parts, evolve(last, partitions=NOTHING)) if parts else (last,)

    garden.wrap(assigning, "assign", instead)


def _assigns_all_to_everybody(garden: Garden) -> None:
    def instead(assign: Any, strategy: Any, roster: Any, known: Any) -> Any:
        parts = assign(strategy, roster, known)
        everything = frozenset().union(*(part.partitions for part in parts))
        wanted = {each.member_id: each.subscription.topics for each in roster}
        return tuple(
            evolve(part, partitions=frozenset(tp for tp in everything if tp.topic in wanted[part.member_id]))
            for part in parts
        )

    garden.wrap(assigning, "assign", instead)


def _joins_before_it_was_heard(garden: Garden) -> None:
    def reset(state: Any, at: Any, *, forget_id: bool, reason: str) -> Any:
        state, effects = losing.abandon(state, forget_id=forget_id)
        return losing.rejoin(evolve(state, reason=reason, failures=state.failures + 1), at), effects

    garden.set(losing, "reset", reset)


def _remembers_its_assignment(garden: Garden) -> None:
    def instead(count_out: Any, state: Any, **more: Any) -> Any:
        after, effects = count_out(state, **more)
        return evolve(after, watched=state.watched, watched_in=state.watched_in), effects

    garden.wrap(losing, "count_out", instead)


def _waits_for_its_leave(garden: Garden) -> None:
    _with_rule(garden, leaving.leave_timed_out, stay)
    _with_rule(garden, leaving.left, stay)


CLASSIC_MEMBERS: Mapping[str, Plant] = {
    "classic-owns-nothing": _reports_nothing_owned,
    "classic-keeps-all-to-join": lambda garden: garden.wrap(
        rebalancing,
        "_to_give_up",
        lambda to_give_up, state, at: NOTHING if state.assigned is None else to_give_up(state, at),
    ),
    "classic-keeps-what-moves": lambda garden: garden.wrap(
        rebalancing,
        "_to_give_up",
        lambda to_give_up, state, at: to_give_up(state, at) if state.assigned is None else NOTHING,
    ),
    "classic-joins-once": lambda garden: garden.wrap(
        rebalancing, "_assign", lambda assign, state, assigned: assign(evolve(state, must_rejoin=False), assigned)
    ),
    "classic-flows-while-revoking": _flows_while_it_revokes,
    "classic-revokes-outside-poll": lambda garden: garden.wrap(
        rebalancing, "begin", lambda begin, state, at, polling=False: begin(state, at, polling=True)
    ),
    "classic-raised-is-assigned": lambda garden: _with_rule(
        garden,
        rebalancing.assign_finished,
        lambda state, event, at: rebalancing.assign_finished(state, evolve(event, error=None), at),
    ),
    "classic-late-answers-count": lambda garden: garden.set(member, "is_late", lambda state, event: False),
    "classic-two-in-flight": lambda garden: garden.wrap(
        heartbeats, "send_if_due", lambda send, state, at: send(evolve(state, in_flight=None), at)
    ),
    "classic-beats-too-slowly": _beats_too_slowly,
    "classic-silence-is-fine": lambda garden: garden.set(
        heartbeats, "look_elsewhere_if_silent", lambda state, at: (state, ())
    ),
    "classic-id-dropped": lambda garden: _with_rule(
        garden,
        failures.join_refused,
        lambda state, event, at: failures.join_refused(state, evolve(event, member_id=""), at),
    ),
    "classic-subscription-untold": lambda garden: _with_rule(
        garden,
        joining.change_subscription_of_member,
        lambda state, event, at: joining.change_subscription(state, event, at),
    ),
    "classic-pattern-once": _looks_a_pattern_up_once,
    "classic-topics-unwatched": lambda garden: garden.set(topics, "_watch_from_now", lambda state, at: state),
    "classic-return-uncompared": lambda garden: garden.set(
        comparing, "doubts", lambda state, assigned, *, is_cooperative: False
    ),
    "classic-return-trusted": _remembers_its_assignment,
    "classic-leader-forgets-one": _assigns_nothing_to_the_last,
    "classic-leader-assigns-twice": _assigns_all_to_everybody,
    "classic-commits-when-out": lambda garden: garden.wrap(
        losing, "count_out", lambda count_out, state, **more: (count_out(state, **more)[0], ())
    ),
    "classic-loses-silently": lambda garden: garden.wrap(
        losing, "abandon", lambda abandon, state, **more: abandon(evolve(state, held=NOTHING), **more)
    ),
    "classic-joins-unheard": _joins_before_it_was_heard,
    "classic-never-stale": lambda garden: _with_rule(garden, leaving.time_passed, stay),
    "classic-waits-for-last-callbacks": lambda garden: _with_rule(garden, leaving.expire_while_leaving, stay),
    "classic-leaves-silently": lambda garden: garden.set(leaving, "_sends_leave", lambda mode, settings: False),
    "classic-leaves-unrevoked": lambda garden: garden.set(
        leaving, "_revoke", lambda state, at: leaving._leave(state, at)
    ),
    "classic-leave-waited-for": _waits_for_its_leave,
    "classic-generation-kept": _action(ErrorCode.ILLEGAL_GENERATION, ErrorAction.RETRY),
    "classic-unknown-is-ignored": _action(ErrorCode.UNKNOWN_MEMBER_ID, ErrorAction.RETRY),
    "classic-keeps-a-dead-id": _action(ErrorCode.UNKNOWN_MEMBER_ID, ErrorAction.RESET_GENERATION),
    "classic-rebalance-unheard": _action(
        ErrorCode.REBALANCE_IN_PROGRESS, ErrorAction.RETRY, failures.HEARTBEAT_ACTIONS
    ),
    "classic-sync-refused-is-fatal": _action(ErrorCode.REBALANCE_IN_PROGRESS, ErrorAction.FAIL, failures.SYNC_ACTIONS),
    "classic-join-refused-is-fatal": _action(ErrorCode.REBALANCE_IN_PROGRESS, ErrorAction.FAIL, failures.JOIN_ACTIONS),
    "classic-coordinator-not-looked-for": _action(ErrorCode.NOT_COORDINATOR, ErrorAction.RETRY),
    "classic-loading-is-fatal": _action(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorAction.FAIL),
}

"""Bugs in the member's machine of the consumer group protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership import (
    failures,
    heartbeats,
    joining,
    leaving,
    losing,
    member,
    reconciliation,
    resolving,
    transitions,
)
from kafka_nextgen.membership.effects import StopFetching
from kafka_nextgen.membership.error_actions import ErrorAction
from kafka_nextgen.membership.events import TimePassed
from kafka_nextgen.membership.states import Phase, Status
from tests.verification.simulation.mutants.planting import Garden, Plant, stay


def _with_rule(garden: Garden, rule: Any, instead: Any) -> None:
    garden.put_rule(transitions.TABLE, rule, instead, to=frozenset(Status))


def _action(code: ErrorCode, action: ErrorAction) -> Plant:
    return lambda garden: garden.put(failures.HEARTBEAT_ACTIONS, code, action)


def _keeps_its_epoch(garden: Garden) -> None:
    def instead(answered: Any, state: Any, event: Any, at: Any) -> Any:
        after = answered(state, event, at)
        return evolve(after, member_epoch=state.member_epoch) if state.member_epoch > 0 else after

    garden.wrap(heartbeats, "answered", instead)


def _publishes_the_first_epoch_only(garden: Garden) -> None:
    def instead(publish: Any, state: Any) -> Any:
        if state.published_epoch > 0 and state.member_epoch > 0:
            return state, ()
        return publish(state)

    for module in (heartbeats, losing):
        garden.wrap(module, "publish_epoch", instead)


def _joins_before_it_was_heard(garden: Garden) -> None:
    def be_fenced(state: Any, at: Any) -> Any:
        state, effects = losing.abandon_all(state)
        return joining.join(state, at), effects

    garden.set(losing, "be_fenced", be_fenced)


def _loses_without_a_word(garden: Garden) -> None:
    for module in (losing, leaving):
        garden.wrap(module, "abandon_all", lambda abandon, state: abandon(evolve(state, held=frozenset())))


def _flows_while_it_revokes(garden: Garden) -> None:
    def instead(stop_and_commit: Any, state: Any, at: Any) -> Any:
        state, effects = stop_and_commit(state, at)
        return state, tuple(each for each in effects if not isinstance(each, StopFetching))

    garden.wrap(reconciliation, "_stop_and_commit", instead)


def _takes_unresolved_for_revoked(garden: Garden) -> None:
    """What has no name yet counts as not assigned, and is not asked for again."""

    def instead(take: Any, state: Any, partitions: Any) -> Any:
        known = None if partitions is None else frozenset(tip for tip in partitions if tip.topic_id in state.names)
        return take(state, known if state.names else partitions)

    garden.wrap(reconciliation, "take_target", instead)


def _never_stops_for_polls(garden: Garden) -> None:
    for key, row in list(transitions.TABLE.items()):
        if key[1] is TimePassed and row.rule in (leaving.time_passed, leaving.time_passed_while_reconciling):
            garden.put(transitions.TABLE, key, evolve(row, rule=stay))


def _polls_twice_after_leaving(garden: Garden) -> None:
    """A leave that is lost is waited for without end."""
    _with_rule(garden, leaving.leave_timed_out, stay)
    _with_rule(garden, leaving.left, stay)


MEMBERS: Mapping[str, Plant] = {
    "reports-too-little": lambda garden: garden.set(heartbeats, "_reported", lambda state: state.owned),
    "reports-no-goal": lambda garden: garden.set(heartbeats, "_reported", lambda state: state.owned | state.held),
    "acknowledges-too-little": lambda garden: garden.set(heartbeats, "_MAY_TAKE", frozenset({Status.RECONCILING})),
    "acknowledges-at-once": lambda garden: garden.set(
        heartbeats, "_reported", lambda state: state.owned if state.target is None else state.target.partitions
    ),
    "not-full-after-error": lambda garden: garden.wrap(
        heartbeats, "failed", lambda failed, state: evolve(failed(state), sent=state.sent)
    ),
    "acknowledges-nothing": lambda garden: garden.wrap(
        heartbeats, "_to_say", lambda to_say, state: evolve(to_say(state), acknowledged=0)
    ),
    "two-in-flight": lambda garden: garden.wrap(
        heartbeats, "send_if_due", lambda send, state, at: send(evolve(state, in_flight=None), at)
    ),
    "late-answers-count": lambda garden: garden.set(member, "is_late", lambda state, event: False),
    "beats-too-slowly": lambda garden: garden.set(heartbeats, "_interval_s", lambda state, event, settings: 60.0),
    "keeps-its-epoch": _keeps_its_epoch,
    "publishes-once": _publishes_the_first_epoch_only,
    "joins-unheard": _joins_before_it_was_heard,
    "keeps-all-when-fenced": lambda garden: garden.set(
        losing,
        "be_fenced",
        lambda state, at: (evolve(state, status=Status.JOINING, member_epoch=0, in_flight=None, sent=None), ()),
    ),
    "loses-silently": _loses_without_a_word,
    "flows-while-revoking": _flows_while_it_revokes,
    "assigns-unrevoked": lambda garden: garden.set(
        reconciliation, "_revoke", lambda state: reconciliation._assign(state)
    ),
    "two-reconciliations": lambda garden: garden.set(reconciliation, "NOT_BEGUN", frozenset(Phase)),
    "revokes-outside-poll": lambda garden: garden.wrap(
        reconciliation, "proceed", lambda proceed, state, at, polling=False: proceed(state, at, polling=True)
    ),
    "unresolved-is-revoked": _takes_unresolved_for_revoked,
    "names-asked-once": lambda garden: garden.set(resolving, "is_due", lambda deadlines, timer, now: False),
    "same-target-unacknowledged": lambda garden: garden.set(
        reconciliation, "is_reconciled", lambda state: state.owned == resolving.latest_target(state).partitions
    ),
    "never-stale": _never_stops_for_polls,
    "waits-for-last-callbacks": lambda garden: _with_rule(garden, leaving.expire_while_leaving, stay),
    "leaves-unrevoked": lambda garden: garden.set(leaving, "_revoke", lambda state, at: leaving._leave(state, at)),
    "leaves-silently": lambda garden: garden.set(
        leaving, "_send_leave", lambda state, epoch, at: leaving.out(state, at)
    ),
    "leave-waited-for": _polls_twice_after_leaving,
    "unknown-is-ignored": _action(ErrorCode.UNKNOWN_MEMBER_ID, ErrorAction.RETRY),
    "fenced-is-ignored": _action(ErrorCode.FENCED_MEMBER_EPOCH, ErrorAction.RETRY),
    "coordinator-not-looked-for": _action(ErrorCode.NOT_COORDINATOR, ErrorAction.RETRY),
    "loading-is-fatal": _action(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorAction.FAIL),
}

"""Bugs in the member's machine of the classic protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic import (
    assigning,
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
from tests.simulation.mutants.planting import Garden, Mutant, Part

__all__ = ["CLASSIC_MEMBERS"]

_TABLES: tuple[Any, ...] = (failures.JOIN_ACTIONS, failures.SYNC_ACTIONS, failures.HEARTBEAT_ACTIONS)


def _with_rule(garden: Garden, rule: Any, instead: Any) -> None:
    garden.put_rule(transitions.TABLE, rule, instead)


def _does_nothing(state: Any, event: Any, at: Any) -> Any:
    return state, ()


def _action(code: ErrorCode, action: ErrorAction, *tables: Any) -> Callable[[Garden], None]:
    def plant(garden: Garden) -> None:
        for table in tables or _TABLES:
            if code in table:
                garden.put(table, code, action)

    return plant


def _reports_nothing_owned(garden: Garden) -> None:
    def around(send_join: Any) -> Any:
        def sent(state: Any, at: Any) -> Any:
            after, effects = send_join(evolve(state, owned=NOTHING, held=NOTHING), at)
            return evolve(after, owned=state.owned, held=state.held), effects

        return sent

    garden.wrap(requests, "send_join", around)


def _gives_up_nothing_before_joining(garden: Garden) -> None:
    garden.wrap(
        rebalancing,
        "_to_give_up",
        lambda to_give_up: lambda state, at: NOTHING if state.assigned is None else to_give_up(state, at),
    )


def _gives_up_nothing_after_syncing(garden: Garden) -> None:
    garden.wrap(
        rebalancing,
        "_to_give_up",
        lambda to_give_up: lambda state, at: to_give_up(state, at) if state.assigned is None else NOTHING,
    )


def _joins_no_second_time(garden: Garden) -> None:
    garden.wrap(
        rebalancing,
        "_assign",
        lambda assign: lambda state, assigned: assign(evolve(state, must_rejoin=False), assigned),
    )


def _flows_while_it_revokes(garden: Garden) -> None:
    def around(begin: Any) -> Any:
        def without_stop(state: Any, at: Any, *, polling: bool = False) -> Any:
            state, effects = begin(state, at, polling=polling)
            return state, tuple(each for each in effects if not isinstance(each, StopFetching))

        return without_stop

    garden.wrap(rebalancing, "begin", around)


def _waits_for_no_poll(garden: Garden) -> None:
    garden.wrap(rebalancing, "begin", lambda begin: lambda state, at, polling=False: begin(state, at, polling=True))


def _takes_raising_for_done(garden: Garden) -> None:
    _with_rule(
        garden,
        rebalancing.assign_finished,
        lambda state, event, at: rebalancing.assign_finished(state, evolve(event, error=None), at),
    )


def _takes_late_answers(garden: Garden) -> None:
    garden.set(member, "is_late", lambda state, event: False)


def _sends_two_at_a_time(garden: Garden) -> None:
    garden.wrap(heartbeats, "send_if_due", lambda send: lambda state, at: send(evolve(state, in_flight=None), at))


def _beats_too_slowly(garden: Garden) -> None:
    def slowly(function: Any) -> Any:
        def beaten(state: Any, at: Any) -> Any:
            settings = evolve(at.settings, heartbeat_interval_ms=60_000, session_timeout_ms=60_000)
            return function(state, evolve(at, settings=settings))

        return beaten

    for name in ("_session_from_now", "answered"):
        garden.wrap(heartbeats, name, slowly)


def _waits_for_a_silent_coordinator(garden: Garden) -> None:
    garden.set(heartbeats, "look_elsewhere_if_silent", lambda state, at: (state, ()))


def _drops_its_new_id(garden: Garden) -> None:
    def refused(state: Any, event: Any, at: Any) -> Any:
        return failures.join_refused(state, evolve(event, member_id=""), at)

    _with_rule(garden, failures.join_refused, refused)


def _keeps_its_subscription(garden: Garden) -> None:
    def change(state: Any, event: Any, at: Any) -> Any:
        return joining.change_subscription(state, event, at)

    _with_rule(garden, joining.change_subscription_of_member, change)


def _looks_a_pattern_up_once(garden: Garden) -> None:
    def around(send_join: Any) -> Any:
        def sent(state: Any, at: Any) -> Any:
            after, effects = send_join(state, at)
            return evolve(after, matching=state.matching), effects

        return sent

    garden.wrap(requests, "send_join", around)


def _watches_no_topics(garden: Garden) -> None:
    garden.set(topics, "watch_from_now", lambda state, at: state)


def _assigns_nothing_to_the_last(garden: Garden) -> None:
    def around(assign: Any) -> Any:
        def assigned(strategy: Any, roster: Any, known: Any) -> Any:
            *parts, last = assign(strategy, roster, known)
            return (*parts, evolve(last, partitions=NOTHING)) if parts else (last,)

        return assigned

    garden.wrap(assigning, "assign", around)


def _assigns_all_to_everybody(garden: Garden) -> None:
    def around(assign: Any) -> Any:
        def assigned(strategy: Any, roster: Any, known: Any) -> Any:
            parts = assign(strategy, roster, known)
            everything = frozenset().union(*(part.partitions for part in parts))
            wanted = {each.member_id: each.subscription.topics for each in roster}
            return tuple(
                evolve(part, partitions=frozenset(tp for tp in everything if tp.topic in wanted[part.member_id]))
                for part in parts
            )

        return assigned

    garden.wrap(assigning, "assign", around)


def _commits_on_when_it_is_out(garden: Garden) -> None:
    garden.wrap(losing, "count_out", lambda count_out: lambda state, **more: (count_out(state, **more)[0], ()))


def _loses_without_a_word(garden: Garden) -> None:
    garden.wrap(losing, "abandon", lambda abandon: lambda state, **more: abandon(evolve(state, held=NOTHING), **more))


def _joins_before_it_was_heard(garden: Garden) -> None:
    def reset(state: Any, at: Any, *, forget_id: bool, reason: str) -> Any:
        state, effects = losing.abandon(state, forget_id=forget_id)
        return losing.rejoin(evolve(state, reason=reason, failures=state.failures + 1), at), effects

    garden.set(losing, "reset", reset)


def _never_stops_for_polls(garden: Garden) -> None:
    _with_rule(garden, leaving.time_passed, _does_nothing)


def _waits_for_its_last_callbacks(garden: Garden) -> None:
    _with_rule(garden, leaving.expire_while_leaving, _does_nothing)


def _leaves_without_a_word(garden: Garden) -> None:
    garden.set(leaving, "_sends_leave", lambda mode, settings: False)


def _leaves_without_revoking(garden: Garden) -> None:
    garden.set(leaving, "_revoke", lambda state, at: leaving._leave(state, at))


def _waits_for_its_leave(garden: Garden) -> None:
    _with_rule(garden, leaving.leave_timed_out, _does_nothing)
    _with_rule(garden, leaving.left, _does_nothing)


_, _R = Part.CLASSIC_MEMBER, ErrorAction

CLASSIC_MEMBERS = (
    Mutant("classic-owns-nothing", _, "Reports no owned partitions in its JoinGroup.",
           "Its partitions are assigned to others while it still has them.", _reports_nothing_owned),
    Mutant("classic-keeps-all-to-join", _, "Revokes nothing before it joins.",
           "Two consumers of an eager group process the same records.", _gives_up_nothing_before_joining),
    Mutant("classic-keeps-what-moves", _, "Does not revoke partitions that a SyncGroup takes from it.",
           "The application keeps state for partitions it does not have.", _gives_up_nothing_after_syncing),
    Mutant("classic-joins-once", _, "Does not join again after revoking partitions.",
           "Partitions that a cooperative member revoked have no reader.", _joins_no_second_time),
    Mutant("classic-flows-while-revoking", _, "Keeps returning records of partitions that it is revoking.",
           "Records are processed after the last commit, and again by the next owner.", _flows_while_it_revokes),
    Mutant("classic-revokes-outside-poll", _, "Revokes while the application processes records.",
           "Records in progress are not committed, and processed again.", _waits_for_no_poll),
    Mutant("classic-raised-is-assigned", _, "Treats on_partitions_assigned as done when it raised.",
           "The callback is not called again, and its partitions are never read.", _takes_raising_for_done),
    Mutant("classic-late-answers-count", _, "Accepts answers and completions that it no longer waits for.",
           "An old answer restores an old generation.", _takes_late_answers),
    Mutant("classic-two-in-flight", _, "Sends a heartbeat while another one has no answer.",
           "Heartbeats pile up at a slow coordinator.", _sends_two_at_a_time),
    Mutant("classic-beats-too-slowly", _, "Sends heartbeats once a minute and ignores heartbeat.interval.ms.",
           "Consumers are expelled again and again.", _beats_too_slowly),
    Mutant("classic-silence-is-fine", _, "Waits for the answer to a heartbeat beyond its session timeout.",
           "A consumer that can't reach its coordinator notices only after the request timeout.",
           _waits_for_a_silent_coordinator),
    Mutant("classic-id-dropped", _, "Joins without the member id from MEMBER_ID_REQUIRED.",
           "The consumer never gets into the group.", _drops_its_new_id),
    Mutant("classic-subscription-untold", _, "Does not join again when its subscription changes.",
           "The new topics are never read.", _keeps_its_subscription),
    Mutant("classic-pattern-once", _, "Resolves its pattern only once.",
           "Topics that are created later are never read.", _looks_a_pattern_up_once),
    Mutant("classic-topics-unwatched", _, "Does not watch topics after it has joined.",
           "Added partitions have no reader.", _watches_no_topics),
    Mutant("classic-leader-forgets-one", _, "Assigns nothing to the last member.",
           "Partitions have no reader although there are consumers.", _assigns_nothing_to_the_last),
    Mutant("classic-leader-assigns-twice", _, "Assigns each partition to all subscribed members.",
           "Two consumers process the same records.", _assigns_all_to_everybody),
    Mutant("classic-commits-when-out", _, "Keeps committing after it was removed from the group.",
           "Commits are sent in an old generation.", _commits_on_when_it_is_out),
    Mutant("classic-loses-silently", _, "Calls no on_partitions_lost.",
           "The application keeps state for partitions it does not have.", _loses_without_a_word),
    Mutant("classic-joins-unheard", _, "Joins again before on_partitions_lost has run.",
           "A partition is assigned before it was lost.", _joins_before_it_was_heard),
    Mutant("classic-never-stale", _, "Stays in the group although the application does not poll.",
           "A consumer that hangs keeps its partitions forever.", _never_stops_for_polls),
    Mutant("classic-waits-for-last-callbacks", _, "Stays in the group while its last callback hangs.",
           "Its partitions have no reader until its process ends.", _waits_for_its_last_callbacks),
    Mutant("classic-leaves-silently", _, "Sends no LeaveGroup.",
           "Partitions of closed consumers wait for the session timeout.", _leaves_without_a_word),
    Mutant("classic-leaves-unrevoked", _, "Leaves without on_partitions_revoked.",
           "The application can't store its progress.", _leaves_without_revoking),
    Mutant("classic-leave-waited-for", _, "Waits forever for the answer to its LeaveGroup.",
           "close() hangs.", _waits_for_its_leave),
    Mutant("classic-generation-kept", _, "Goes on after ILLEGAL_GENERATION.",
           "A consumer that missed a rebalance reads on beside the next owner.",
           _action(ErrorCode.ILLEGAL_GENERATION, _R.RETRY)),
    Mutant("classic-unknown-is-ignored", _, "Goes on when the coordinator answers UNKNOWN_MEMBER_ID.",
           "An expired consumer goes on reading beside the next owner.",
           _action(ErrorCode.UNKNOWN_MEMBER_ID, _R.RETRY)),
    Mutant("classic-keeps-a-dead-id", _, "Joins again with an unknown member id.",
           "The consumer never gets into the group again.",
           _action(ErrorCode.UNKNOWN_MEMBER_ID, _R.RESET_GENERATION)),
    Mutant("classic-rebalance-unheard", _, "Retries a heartbeat after REBALANCE_IN_PROGRESS.",
           "The consumer is expelled in each rebalance.",
           _action(ErrorCode.REBALANCE_IN_PROGRESS, _R.RETRY, failures.HEARTBEAT_ACTIONS)),
    Mutant("classic-sync-refused-is-fatal", _, "Fails when the group rebalances before its SyncGroup is answered.",
           "Two rebalances in a row end a consumer.",
           _action(ErrorCode.REBALANCE_IN_PROGRESS, _R.FAIL, failures.SYNC_ACTIONS)),
    Mutant("classic-join-refused-is-fatal", _, "Fails when the group is upgraded while it joins.",
           "A rolling upgrade ends consumers.",
           _action(ErrorCode.REBALANCE_IN_PROGRESS, _R.FAIL, failures.JOIN_ACTIONS)),
    Mutant("classic-coordinator-not-looked-for", _, "Retries after NOT_COORDINATOR without looking up the coordinator.",
           "After a fail-over the consumer asks the wrong broker forever.",
           _action(ErrorCode.NOT_COORDINATOR, _R.RETRY)),
    Mutant("classic-loading-is-fatal", _, "Treats COORDINATOR_LOAD_IN_PROGRESS as fatal.",
           "Every fail-over ends consumers.", _action(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, _R.FAIL)),
)  # fmt: skip

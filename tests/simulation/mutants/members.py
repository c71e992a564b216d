"""Bugs in the member's machine of the consumer group protocol."""

from __future__ import annotations

from collections.abc import Callable
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
from tests.simulation.mutants.planting import Garden, Mutant, Part

__all__ = ["MEMBERS"]


def _with_rule(garden: Garden, rule: Any, instead: Any) -> None:
    garden.put_rule(transitions.TABLE, rule, instead, to=frozenset(Status))


def _does_nothing(state: Any, event: Any, at: Any) -> Any:
    return state, ()


def _action(code: ErrorCode, action: ErrorAction) -> Callable[[Garden], None]:
    return lambda garden: garden.put(failures.HEARTBEAT_ACTIONS, code, action)


def _reports_what_it_finished_with(garden: Garden) -> None:
    garden.set(heartbeats, "_reported", lambda state: state.owned)


def _reports_all_it_was_told(garden: Garden) -> None:
    garden.set(heartbeats, "_reported", lambda state: state.owned | state.held)


def _acknowledges_without_what_came(garden: Garden) -> None:
    garden.set(heartbeats, "_MAY_TAKE", frozenset({Status.RECONCILING}))


def _acknowledges_the_target_at_once(garden: Garden) -> None:
    def reported(state: Any) -> Any:
        return state.owned if state.target is None else state.target.partitions

    garden.set(heartbeats, "_reported", reported)


def _forgets_nothing_after_a_failure(garden: Garden) -> None:
    garden.wrap(heartbeats, "failed", lambda failed: lambda state: evolve(failed(state), sent=state.sent))


def _acknowledges_nothing(garden: Garden) -> None:
    garden.wrap(heartbeats, "_to_say", lambda to_say: lambda state: evolve(to_say(state), acknowledged=0))


def _sends_two_at_a_time(garden: Garden) -> None:
    def around(send: Any) -> Any:
        return lambda state, at: send(evolve(state, in_flight=None), at)

    garden.wrap(heartbeats, "send_if_due", around)


def _takes_late_answers(garden: Garden) -> None:
    garden.set(member, "is_late", lambda state, event: False)


def _beats_too_slowly(garden: Garden) -> None:
    garden.set(heartbeats, "_interval_s", lambda state, event, settings: 60.0)


def _keeps_its_epoch(garden: Garden) -> None:
    def around(answered: Any) -> Any:
        def kept(state: Any, event: Any, at: Any) -> Any:
            after = answered(state, event, at)
            return evolve(after, member_epoch=state.member_epoch) if state.member_epoch > 0 else after

        return kept

    garden.wrap(heartbeats, "answered", around)


def _publishes_the_first_epoch_only(garden: Garden) -> None:
    def around(publish: Any) -> Any:
        def published(state: Any) -> Any:
            if state.published_epoch > 0 and state.member_epoch > 0:
                return state, ()
            return publish(state)

        return published

    for module in (heartbeats, losing):
        garden.wrap(module, "publish_epoch", around)


def _joins_before_it_was_heard(garden: Garden) -> None:
    def be_fenced(state: Any, at: Any) -> Any:
        state, effects = losing.abandon_all(state)
        return joining.join(state, at), effects

    garden.set(losing, "be_fenced", be_fenced)


def _keeps_all_when_fenced(garden: Garden) -> None:
    def be_fenced(state: Any, at: Any) -> Any:
        return evolve(state, status=Status.JOINING, member_epoch=0, in_flight=None, sent=None), ()

    garden.set(losing, "be_fenced", be_fenced)


def _loses_without_a_word(garden: Garden) -> None:
    def abandon_all(state: Any) -> Any:
        return losing_all(evolve(state, held=frozenset()))

    losing_all = losing.abandon_all
    for module in (losing, leaving):
        garden.set(module, "abandon_all", abandon_all)


def _flows_while_it_revokes(garden: Garden) -> None:
    def around(stop_and_commit: Any) -> Any:
        def without_stop(state: Any, at: Any) -> Any:
            state, effects = stop_and_commit(state, at)
            return state, tuple(each for each in effects if not isinstance(each, StopFetching))

        return without_stop

    garden.wrap(reconciliation, "_stop_and_commit", around)


def _assigns_without_revoking(garden: Garden) -> None:
    garden.set(reconciliation, "_revoke", lambda state: reconciliation._assign(state))


def _begins_anew_in_the_middle(garden: Garden) -> None:
    garden.set(reconciliation, "NOT_BEGUN", frozenset(Phase))


def _does_not_wait_for_polls(garden: Garden) -> None:
    garden.wrap(
        reconciliation, "proceed", lambda proceed: lambda state, at, polling=False: proceed(state, at, polling=True)
    )


def _takes_unresolved_for_revoked(garden: Garden) -> None:
    """What has no name yet counts as not assigned, and is not asked for again."""

    def take_target(state: Any, partitions: Any) -> Any:
        known = None if partitions is None else frozenset(tip for tip in partitions if tip.topic_id in state.names)
        return take(state, known if state.names else partitions)

    take = reconciliation.take_target
    garden.set(reconciliation, "take_target", take_target)


def _asks_for_names_once(garden: Garden) -> None:
    garden.set(resolving, "is_due", lambda deadlines, timer, now: False)


def _ignores_a_target_that_returns(garden: Garden) -> None:
    garden.set(reconciliation, "is_reconciled", lambda state: state.owned == resolving.latest_target(state).partitions)


def _never_stops_for_polls(garden: Garden) -> None:
    for key, row in list(transitions.TABLE.items()):
        if key[1] is TimePassed and row.rule in (leaving.time_passed, leaving.time_passed_while_reconciling):
            garden.put(transitions.TABLE, key, evolve(row, rule=_does_nothing))


def _waits_for_its_last_callbacks(garden: Garden) -> None:
    _with_rule(garden, leaving.expire_while_leaving, _does_nothing)


def _leaves_without_revoking(garden: Garden) -> None:
    garden.set(leaving, "_revoke", lambda state, at: leaving._leave(state, at))


def _leaves_without_a_word(garden: Garden) -> None:
    garden.set(leaving, "_send_leave", lambda state, epoch, at: leaving.out(state, at))


def _polls_twice_after_leaving(garden: Garden) -> None:
    """A leave that is lost is waited for without end."""
    _with_rule(garden, leaving.leave_timed_out, _does_nothing)
    _with_rule(garden, leaving.left, _does_nothing)


_, _R = Part.MEMBER, ErrorAction

MEMBERS = (
    Mutant("reports-too-little", _, "Reports only partitions whose callbacks have finished, not those being assigned.",
           "Another member gets a partition that the application is about to get.", _reports_what_it_finished_with),
    Mutant("reports-no-goal", _, "Reports only the partitions the application has, not those it is about to get.",
           "Another member gets a partition that the application is about to get.", _reports_all_it_was_told),
    Mutant("acknowledges-too-little", _, "Acknowledges without the partitions it was assigned meanwhile.",
           "Another member gets a partition that the application is about to get.", _acknowledges_without_what_came),
    Mutant("acknowledges-at-once", _, "Reports the target as owned before callbacks have run.",
           "Another member begins while this one still revokes.", _acknowledges_the_target_at_once),
    Mutant("not-full-after-error", _, "Remembers what it sent although no answer came.",
           "A lost answer with an assignment is never repeated.", _forgets_nothing_after_a_failure),
    Mutant("acknowledges-nothing", _, "Sends no partitions when a reconciliation is done.",
           "Members that revoke are expelled after the rebalance timeout.", _acknowledges_nothing),
    Mutant("two-in-flight", _, "Sends a heartbeat while another one has no answer.",
           "Answers overtake each other, and an old target replaces a newer one.", _sends_two_at_a_time),
    Mutant("late-answers-count", _, "Accepts answers and completions that it no longer waits for.",
           "An old answer restores an old epoch or target.", _takes_late_answers),
    Mutant("beats-too-slowly", _, "Sends heartbeats once a minute and ignores the coordinator's interval.",
           "Consumers are expelled again and again.", _beats_too_slowly),
    Mutant("keeps-its-epoch", _, "Keeps its first epoch.",
           "Every rebalance fences the consumer.", _keeps_its_epoch),
    Mutant("publishes-once", _, "Passes only the first epoch on to commits.",
           "Commits of new partitions fail after a rebalance.", _publishes_the_first_epoch_only),
    Mutant("joins-unheard", _, "Joins again before on_partitions_lost has run.",
           "A partition is assigned before it was lost.", _joins_before_it_was_heard),
    Mutant("keeps-all-when-fenced", _, "Keeps its partitions when it is fenced.",
           "Two consumers process the same records.", _keeps_all_when_fenced),
    Mutant("loses-silently", _, "Calls no on_partitions_lost.",
           "The application keeps state for partitions it does not have.", _loses_without_a_word),
    Mutant("flows-while-revoking", _, "Keeps returning records of partitions that it is revoking.",
           "Records are processed after the last commit, and again by the next owner.", _flows_while_it_revokes),
    Mutant("assigns-unrevoked", _, "Applies an assignment without on_partitions_revoked.",
           "The application can't store its progress on revoked partitions.", _assigns_without_revoking),
    Mutant("two-reconciliations", _, "Begins a reconciliation while another one is under way.",
           "Callbacks of two rebalances overlap.", _begins_anew_in_the_middle),
    Mutant("revokes-outside-poll", _, "Revokes while the application processes records.",
           "Records in progress are not committed, and processed again.", _does_not_wait_for_polls),
    Mutant("unresolved-is-revoked", _, "Ignores assigned partitions whose topic name is unknown.",
           "Partitions of new topics have no reader.", _takes_unresolved_for_revoked),
    Mutant("names-asked-once", _, "Looks topic names up only once.",
           "A topic whose name was unknown at first is never read.", _asks_for_names_once),
    Mutant("same-target-unacknowledged", _, "Does not acknowledge a target that changed and changed back.",
           "The coordinator waits, and expels the member.", _ignores_a_target_that_returns),
    Mutant("never-stale", _, "Stays in the group although the application does not poll.",
           "A consumer that hangs keeps its partitions forever.", _never_stops_for_polls),
    Mutant("waits-for-last-callbacks", _, "Stays in the group while its last callback hangs.",
           "Its partitions have no reader until its process ends.", _waits_for_its_last_callbacks),
    Mutant("leaves-unrevoked", _, "Leaves without on_partitions_revoked.",
           "The application can't store its progress.", _leaves_without_revoking),
    Mutant("leaves-silently", _, "Sends no heartbeat when it leaves.",
           "Partitions of closed consumers wait for the session timeout.", _leaves_without_a_word),
    Mutant("leave-waited-for", _, "Waits forever for the answer to its leave.",
           "close() hangs.", _polls_twice_after_leaving),
    Mutant("unknown-is-ignored", _, "Goes on when the coordinator answers UNKNOWN_MEMBER_ID.",
           "An expired consumer goes on reading beside the next owner.",
           _action(ErrorCode.UNKNOWN_MEMBER_ID, _R.RETRY)),
    Mutant("fenced-is-ignored", _, "Goes on after FENCED_MEMBER_EPOCH.",
           "A consumer that missed a rebalance reads on, and never gets another assignment.",
           _action(ErrorCode.FENCED_MEMBER_EPOCH, _R.RETRY)),
    Mutant("coordinator-not-looked-for", _, "Retries after NOT_COORDINATOR without looking up the coordinator.",
           "After a fail-over the consumer asks the wrong broker forever.",
           _action(ErrorCode.NOT_COORDINATOR, _R.RETRY)),
    Mutant("loading-is-fatal", _, "Treats COORDINATOR_LOAD_IN_PROGRESS as fatal.",
           "Every fail-over ends consumers.", _action(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, _R.FAIL)),
)  # fmt: skip

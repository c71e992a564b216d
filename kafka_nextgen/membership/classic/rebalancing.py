"""Giving up partitions before a JoinGroup, and taking over the assignment after a SyncGroup.

*Before joining*, the member prepares, and continues to send heartbeats. It commits the processed offsets (with
auto-commit), stops fetching the partitions that it gives up, and calls ``on_partitions_revoked``:

* an eager member gives up everything, and the callback runs even if it has no partitions;
* a cooperative member gives up partitions of topics that it is no longer subscribed to, and keeps reading the rest
  (KIP-429).

*After syncing*, a cooperative member gives up the owned partitions that are not assigned to it, in the same steps. Then
it joins again, so that others can get them. An eager member owns nothing at that point. The new assignment takes effect
before ``on_partitions_assigned``, which is called even without new partitions.

Revocations and commits begin when the application polls, because that is when all records from earlier polls count as
processed.

If a callback raises, ``poll`` raises the exception. Other members are not delayed:

* after ``on_partitions_revoked`` the member continues, because other members wait for the partitions;
* after ``on_partitions_assigned`` the member is FAILED: no records of its new partitions are handed over. Each later
  poll calls the callback again until it returns; if the group rebalances first, the member prepares to join instead.
  Partitions whose callback never returned are revoked like the others.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership.any_member import call_on_assigned, call_on_revoked, commit, stop_fetching
from kafka_nextgen.membership.classic import heartbeats
from kafka_nextgen.membership.classic.effects import ClassicEffect
from kafka_nextgen.membership.classic.settings import ClassicContext
from kafka_nextgen.membership.classic.state import NOTHING, ClassicState, Outcome, topics_wanted
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.effects import ApplyAssignment
from kafka_nextgen.membership.events import AssignFinished, CommitFinished, RevokeFinished
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.membership.timers import Timer, armed
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["assign_again", "assign_finished", "begin", "commit_finished", "revoke_finished"]


def _to_give_up(state: ClassicState, at: ClassicContext) -> frozenset[TopicPartition]:
    told = state.owned | state.held
    if state.assigned is not None:
        return told - state.assigned
    if not at.settings.is_cooperative:
        return told
    topics = topics_wanted(state)
    return frozenset(tp for tp in told if tp.topic not in topics)


def begin(state: ClassicState, at: ClassicContext, *, polling: bool = False) -> Outcome:
    """Prepare to join, or apply the assignment if there is one; or wait for the application to poll."""
    giving_up = _to_give_up(state, at)
    commits = at.settings.auto_commit and bool(giving_up or (state.owned and state.assigned is None))
    if not polling and (commits or giving_up):
        return evolve(state, phase=Phase.WAITING_FOR_POLL), ()
    state = evolve(state, giving_up=giving_up)
    stop = stop_fetching(state, giving_up)
    if not commits:
        state, effects = _revoke(state, at)
        return state, (*stop, *effects)
    state, commit_first = commit(state, at.now + at.settings.rebalance_timeout_ms / 1000)
    return state, (*stop, *commit_first)


def commit_finished(state: ClassicState, _event: CommitFinished, at: ClassicContext) -> Outcome:
    """Continue, whether or not the commit succeeded: the group waits for this member."""
    return _revoke(state, at)


def _revoke(state: ClassicState, at: ClassicContext) -> Outcome:
    is_eager_join = state.assigned is None and not at.settings.is_cooperative
    if not state.giving_up and not is_eager_join:
        return _go_on(state, at)
    return call_on_revoked(state, state.giving_up)


def revoke_finished(state: ClassicState, _event: RevokeFinished, at: ClassicContext) -> Outcome:
    """``on_partitions_revoked`` returned or raised; ``poll`` re-raises the exception."""
    return _go_on(evolve(state, owned=state.owned - state.giving_up), at)


def _go_on(state: ClassicState, at: ClassicContext) -> Outcome:
    given_up, assigned = state.giving_up, state.assigned
    state = evolve(state, giving_up=NOTHING, phase=Phase.IDLE, waits_for=None)
    if assigned is None:
        kept: tuple[ClassicEffect, ...] = (ApplyAssignment(state.owned, (), NOTHING),) if given_up else ()
        return _prepared(state, at), kept
    if given_up:
        reason = f"gave up {format_partitions(given_up)}"
        state = evolve(state, must_rejoin=True, reason=reason)
    return _assign(state, assigned)


def _prepared(state: ClassicState, at: ClassicContext) -> ClassicState:
    """The JoinGroup is sent next. The member stays in its generation until the response arrives."""
    state = heartbeats.end(state)
    return evolve(state, status=Status.UNJOINED, deadlines=armed(state.deadlines, Timer.JOIN, at.now))


def _assign(state: ClassicState, assigned: frozenset[TopicPartition]) -> Outcome:
    added = assigned - state.owned
    state, called = call_on_assigned(state, added)
    return state, (ApplyAssignment(assigned, (), added), *called)


def assign_again(state: ClassicState) -> Outcome:
    """The application polled after ``on_partitions_assigned`` raised: call it again, unless the member has to join."""
    assert state.assigned is not None, "an assignment is being applied"
    if state.must_rejoin:
        return evolve(state, phase=Phase.IDLE, assigned=None), ()
    return call_on_assigned(state, state.assigned - state.owned)


def assign_finished(state: ClassicState, event: AssignFinished, _at: ClassicContext) -> Outcome:
    """The application has the new partitions, unless the callback raised."""
    assert state.assigned is not None, "an assignment is being applied"
    if event.error is not None:
        return evolve(state, phase=Phase.FAILED, waits_for=None), ()
    return evolve(state, phase=Phase.IDLE, waits_for=None, owned=state.assigned, assigned=None), ()

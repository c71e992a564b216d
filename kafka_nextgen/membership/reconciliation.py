"""Reconciliation moves a member from the partitions it owns to its target assignment (KIP-848, "Revocation" and
"Assignment").

Each step is a phase in which the member waits for one thing:

* RESOLVING: the only new partitions belong to topics whose names are not known yet.
* WAITING_FOR_POLL: commits and revocations begin when the application polls, because by then it has processed all
  records handed over to it. After that poll, no more records of the revoked partitions are handed over.
* COMMITTING: with auto-commit, the member commits the processed offsets. It continues even if the commit fails.
* REVOKING: it calls ``on_partitions_revoked`` if there are partitions to revoke.
* ASSIGNING: it applies the assignment and calls ``on_partitions_assigned``, even without new partitions.

Then the member acknowledges the reconciliation. Only one reconciliation runs at a time. If the target changes in the
meantime, the member first finishes and acknowledges the current one. The next one leads directly to the latest target.

If a callback raises, ``poll`` raises the exception, and heartbeats continue.

* After ``on_partitions_revoked`` raises, the member continues as if it had returned. No more records of the revoked
  partitions are handed over, and other members wait for them. Keeping the partitions would not undo the failure.
* After ``on_partitions_assigned`` raises, the member is FAILED. It acknowledges nothing and hands over no records of
  the new partitions. Each later poll calls the callback again until it returns. If there is a new target by then, the
  member reconciles to that one: it revokes the partitions passed to that callback that are not in the new target,
  although the callback never returned. Then it calls ``on_partitions_assigned`` with all new partitions.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership import heartbeats, resolving
from kafka_nextgen.membership.any_member import call_on_assigned, call_on_revoked, commit, polled, stop_fetching
from kafka_nextgen.membership.effects import ApplyAssignment
from kafka_nextgen.membership.events import (
    AssignFinished,
    CommitFinished,
    HeartbeatAnswered,
    Polled,
    RevokeFinished,
    TopicsResolved,
)
from kafka_nextgen.membership.settings import MemberContext
from kafka_nextgen.membership.state import MemberState, Outcome, Target
from kafka_nextgen.membership.state_machine import numbered
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.membership.timers import Timer, disarmed
from kafka_nextgen.types import TopicIdPartition

__all__ = [
    "acknowledged",
    "assign_finished",
    "commit_finished",
    "heartbeat_answered",
    "polled_while_reconciling",
    "proceed",
    "revoke_finished",
    "take_target",
    "topics_resolved",
]

#: The phases before the first step of a reconciliation: a newer target replaces the current one.
NOT_BEGUN = frozenset({Phase.IDLE, Phase.RESOLVING, Phase.WAITING_FOR_POLL})


def take_target(state: MemberState, partitions: frozenset[TopicIdPartition] | None) -> MemberState:
    """Store the target if it differs from the last one. ``partitions`` is None if the target is unchanged."""
    if partitions is None or (state.target is not None and partitions == state.target.partitions):
        return state
    state, version = numbered(state)
    return evolve(
        state,
        target=Target(version, partitions),
        deadlines=disarmed(state.deadlines, Timer.RESOLVE),  # request its topic names immediately
    )


def is_reconciled(state: MemberState) -> bool:
    """Whether the member owns the latest target's partitions and has reconciled to that target, not an earlier one."""
    target = resolving.latest_target(state)
    return state.owned == target.partitions and state.reconciled_version == target.version


def heartbeat_answered(state: MemberState, event: HeartbeatAnswered, at: MemberContext) -> Outcome:
    """Process a response to a STABLE or RECONCILING member. It may contain a new epoch or a new target."""
    state, published = _take_answer(state, event, at)
    state, effects = _settle(state, at)
    return state, published + effects


def acknowledged(state: MemberState, event: HeartbeatAnswered, at: MemberContext) -> Outcome:
    """Process a response to an ACKNOWLEDGING member, which is done if the heartbeat carried the acknowledgement."""
    was_told = state.sent is not None and state.sent.acknowledged == state.acknowledged
    state, published = _take_answer(state, event, at)
    if not was_told:
        return state, published  # that heartbeat was sent earlier; the next one carries the acknowledgement
    state, effects = _settle(state, at)
    return state, published + effects


def _take_answer(state: MemberState, event: HeartbeatAnswered, at: MemberContext) -> Outcome:
    state = take_target(heartbeats.answered(state, event, at), event.assignment)
    return heartbeats.publish_epoch(state)


def _settle(state: MemberState, at: MemberContext) -> Outcome:
    if state.phase not in NOT_BEGUN:
        return state, ()  # finish the current reconciliation first
    if is_reconciled(state):
        return evolve(state, status=Status.STABLE, phase=Phase.IDLE), ()
    return proceed(evolve(state, status=Status.RECONCILING), at)


def proceed(state: MemberState, at: MemberContext, *, polling: bool = False) -> Outcome:
    """Begin to reconcile to the part of the latest target that has known topic names, or wait for names or a poll."""
    goal = resolving.within_reach(state)
    state, effects = resolving.ask_for_names(evolve(state, goal=None), at)
    if goal.partitions == state.owned == state.held and goal != state.target:
        return evolve(state, phase=Phase.RESOLVING), effects
    if not polling and (at.settings.auto_commit or state.owned - goal.partitions):
        return evolve(state, phase=Phase.WAITING_FOR_POLL), effects
    state, begun = _stop_and_commit(evolve(state, goal=goal), at)
    return state, effects + begun


def topics_resolved(state: MemberState, event: TopicsResolved, at: MemberContext) -> Outcome:
    """Store new topic names and, if no step has begun, reconcile to the partitions that now have names."""
    state, _ = resolving.remember_names(state, event, at)
    return proceed(state, at) if state.phase in NOT_BEGUN else (state, ())


def _revoked(state: MemberState) -> frozenset[TopicIdPartition]:
    """The partitions to give up, including those of an ``on_partitions_assigned`` call that raised."""
    return (state.owned | state.held) - _goal(state).partitions


def _stop_and_commit(state: MemberState, at: MemberContext) -> Outcome:
    revoked = _revoked(state)
    stop = stop_fetching(state, revoked)
    if not (at.settings.auto_commit and state.owned):
        state, effects = _revoke(state)
        return state, (*stop, *effects)
    state, commits = commit(state, at.now + at.settings.rebalance_timeout_ms / 1000)
    return state, (*stop, *commits)


def commit_finished(state: MemberState, _event: CommitFinished, _at: MemberContext) -> Outcome:
    """Continue, whether or not the commit succeeded: no other member has the partitions yet."""
    return _revoke(state)


def _revoke(state: MemberState) -> Outcome:
    revoked = _revoked(state)
    if not revoked:
        return _assign(state)
    return call_on_revoked(evolve(state, owned=state.owned | revoked), revoked)  # owned until the callback has returned


def revoke_finished(state: MemberState, _event: RevokeFinished, _at: MemberContext) -> Outcome:
    """The revoked partitions are given up. If the callback raised, ``poll`` raises its exception."""
    return _assign(evolve(state, owned=state.owned - _revoked(state)))


def _assign(state: MemberState) -> Outcome:
    goal = _goal(state).partitions
    topic_ids = {(state.names[tip.topic_id], tip.topic_id) for tip in goal}
    apply = ApplyAssignment(state.by_name(goal), tuple(sorted(topic_ids)), state.by_name(goal - state.owned))
    state, called = call_on_assigned(state, goal - state.owned)
    return state, (apply, *called)


def polled_while_reconciling(state: MemberState, event: Polled, at: MemberContext) -> Outcome:
    """The application polled: continue if the member was waiting for that."""
    state, _ = polled(state, event, at)
    if state.phase is Phase.FAILED:
        return _assign_again(state, at)
    if state.phase is not Phase.WAITING_FOR_POLL:
        return state, ()
    return proceed(state, at, polling=True)


def _assign_again(state: MemberState, at: MemberContext) -> Outcome:
    """Call ``on_partitions_assigned`` again after it raised or, if the target has changed, reconcile to the new one."""
    if _goal(state) == resolving.within_reach(state):
        return call_on_assigned(state, _goal(state).partitions - state.owned)
    return proceed(state, at, polling=True)


def assign_finished(state: MemberState, event: AssignFinished, _at: MemberContext) -> Outcome:
    """If the callback returned, the goal is reached, and the next heartbeat acknowledges it."""
    if event.error is not None:
        return evolve(state, phase=Phase.FAILED, waits_for=None), ()
    goal = _goal(state)
    state, number = numbered(state)
    state = evolve(
        state,
        status=Status.ACKNOWLEDGING,
        phase=Phase.IDLE,
        waits_for=None,
        owned=goal.partitions,
        reconciled_version=goal.version,
        acknowledged=number,
        goal=None,
        deadlines=disarmed(state.deadlines, Timer.RESOLVE),
    )
    return resolving.forget_names(state), ()


def _goal(state: MemberState) -> Target:
    assert state.goal is not None, "a reconciliation is in progress"
    return state.goal

"""Reconciliation: from what the member owns to what the coordinator wants it to own (KIP-848, "Revocation" and
"Assignment").

The steps, each a phase in which the member waits for one thing:

* RESOLVING: no topic of what is new has a name yet.
* WAITING_FOR_POLL: revocations and commits begin when the application polls, because only then is everything it got
  processed. From here on the revoked partitions hand out nothing more.
* COMMITTING: with auto-commit, commit the processed offsets. The rebalance goes on even if that fails.
* REVOKING: ``on_partitions_revoked``, if there is anything to revoke.
* ASSIGNING: the assignment is in force; ``on_partitions_assigned``, even if there is nothing new.

Then the member acknowledges. One reconciliation is under way at a time. If the target changes meanwhile, the
one under way is finished and acknowledged first, and the next goes to the latest target, not to those between.

What a callback raises reaches the caller of ``poll``, and heartbeats go on.

* After ``on_partitions_revoked`` the member goes on as if it had returned, for others wait for the partitions: nothing
  of them is handed out any more, and to keep them would not make the application do what it failed to do.
* After ``on_partitions_assigned`` it acknowledges nothing and is FAILED: its new partitions hand out nothing. When the
  application polls again the callback is called again, until it returns. If there is another target by then, that one
  counts: what the application was told of and is not to have any more is revoked, though its callback never returned,
  and then the callback is called with all that is new to it.
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

#: The phases in which nothing was begun yet, so that a newer target simply takes the place of the older.
NOT_BEGUN = frozenset({Phase.IDLE, Phase.RESOLVING, Phase.WAITING_FOR_POLL})


def take_target(state: MemberState, partitions: frozenset[TopicIdPartition] | None) -> MemberState:
    """Remember a target that differs from the last one. None means that it does not."""
    if partitions is None or (state.target is not None and partitions == state.target.partitions):
        return state
    state, version = numbered(state)
    return evolve(
        state,
        target=Target(version, partitions),
        deadlines=disarmed(state.deadlines, Timer.RESOLVE),  # its topics are asked for at once
    )


def is_reconciled(state: MemberState) -> bool:
    """Whether the member owns all of the latest target, by a reconciliation towards that very target."""
    target = resolving.latest_target(state)
    return state.owned == target.partitions and state.reconciled_version == target.version


def heartbeat_answered(state: MemberState, event: HeartbeatAnswered, at: MemberContext) -> Outcome:
    """An answer to a STABLE or RECONCILING member: perhaps a new epoch, perhaps a new target."""
    state, published = _take_answer(state, event, at)
    state, effects = _settle(state, at)
    return state, published + effects


def acknowledged(state: MemberState, event: HeartbeatAnswered, at: MemberContext) -> Outcome:
    """An answer to an ACKNOWLEDGING member: it is done if this heartbeat was the one that acknowledged."""
    was_told = state.sent is not None and state.sent.acknowledged == state.acknowledged
    state, published = _take_answer(state, event, at)
    if not was_told:
        return state, published  # that heartbeat was sent before; the next one acknowledges
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
    """Begin reconciling towards the latest target, as far as its topics have names, or wait for what it needs."""
    goal = resolving.within_reach(state)
    state, effects = resolving.ask_for_names(evolve(state, goal=None), at)
    if goal.partitions == state.owned == state.held and goal != state.target:
        return evolve(state, phase=Phase.RESOLVING), effects
    if not polling and (at.settings.auto_commit or state.owned - goal.partitions):
        return evolve(state, phase=Phase.WAITING_FOR_POLL), effects
    state, begun = _stop_and_commit(evolve(state, goal=goal), at)
    return state, effects + begun


def topics_resolved(state: MemberState, event: TopicsResolved, at: MemberContext) -> Outcome:
    """Names arrived: go on with what they belong to."""
    state, _ = resolving.remember_names(state, event, at)
    return proceed(state, at) if state.phase in NOT_BEGUN else (state, ())


def _revoked(state: MemberState) -> frozenset[TopicIdPartition]:
    """What is to be given up; also what ``on_partitions_assigned`` was called for, and raised."""
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
    """Go on, whether or not the commit succeeded: no other member has the partitions yet."""
    return _revoke(state)


def _revoke(state: MemberState) -> Outcome:
    revoked = _revoked(state)
    if not revoked:
        return _assign(state)
    return call_on_revoked(evolve(state, owned=state.owned | revoked), revoked)  # owned until the callback has returned


def revoke_finished(state: MemberState, _event: RevokeFinished, _at: MemberContext) -> Outcome:
    """The application let go of the revoked partitions, or raised, and then hears of that where it polls."""
    return _assign(evolve(state, owned=state.owned - _revoked(state)))


def _assign(state: MemberState) -> Outcome:
    goal = _goal(state).partitions
    topic_ids = {(state.names[tip.topic_id], tip.topic_id) for tip in goal}
    apply = ApplyAssignment(state.by_name(goal), tuple(sorted(topic_ids)), state.by_name(goal - state.owned))
    state, called = call_on_assigned(state, goal - state.owned)
    return state, (apply, *called)


def polled_while_reconciling(state: MemberState, event: Polled, at: MemberContext) -> Outcome:
    """The application polls: begin what waited for that."""
    state, _ = polled(state, event, at)
    if state.phase is Phase.FAILED:
        return _assign_again(state, at)
    if state.phase is not Phase.WAITING_FOR_POLL:
        return state, ()
    return proceed(state, at, polling=True)


def _assign_again(state: MemberState, at: MemberContext) -> Outcome:
    """The application polls after ``on_partitions_assigned`` raised: call it again, or follow the latest target."""
    if _goal(state) == resolving.within_reach(state):
        return call_on_assigned(state, _goal(state).partitions - state.owned)
    return proceed(state, at, polling=True)


def assign_finished(state: MemberState, event: AssignFinished, _at: MemberContext) -> Outcome:
    """The application has the new partitions: the goal is reached, and the next heartbeat says so."""
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
    assert state.goal is not None, "a reconciliation is under way"
    return state.goal

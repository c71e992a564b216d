"""How a member handles each error code of JoinGroup, SyncGroup and Heartbeat (like Kafka's own consumer).

Every code that is not in a table is fatal: the coordinator would refuse every retry. Only errors of the request in
flight count, so a late error from before the last JoinGroup does not end the new generation. The answer to a LeaveGroup
is ignored.

The offset machine sends the commits. Only the codes of ``COMMIT_REFUSED_ACTIONS`` concern the membership. They have the
same effect as in a heartbeat, unless the member's generation has changed since the commit was made.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.membership.classic import heartbeats, losing
from kafka_nextgen.membership.classic.events import CommitRefused, JoinRefused, SyncRefused
from kafka_nextgen.membership.classic.settings import ClassicContext
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.effects import FindCoordinator, RaiseToApplication
from kafka_nextgen.membership.error_actions import COORDINATOR_ACTIONS, ErrorAction, ErrorActions
from kafka_nextgen.membership.events import HeartbeatRefused
from kafka_nextgen.membership.offsets.rules import CLASSIC_RULES

__all__ = [
    "COMMIT_REFUSED_ACTIONS",
    "HEARTBEAT_ACTIONS",
    "JOIN_ACTIONS",
    "SYNC_ACTIONS",
    "commit_refused",
    "commit_refused_while_leaving",
    "heartbeat_refused",
    "heartbeat_refused_while_leaving",
    "join_refused",
    "sync_refused",
]

#: MEMBER_ID_REQUIRED provides an id to join with (KIP-394). A group that was upgraded to the consumer group protocol
#: during a rebalance asks its members to join again (KIP-848, "Migration").
JOIN_ACTIONS: ErrorActions = {
    **COORDINATOR_ACTIONS,
    ErrorCode.UNKNOWN_MEMBER_ID: ErrorAction.RESET,
    ErrorCode.MEMBER_ID_REQUIRED: ErrorAction.REJOIN,
    ErrorCode.REBALANCE_IN_PROGRESS: ErrorAction.REJOIN,
}

#: A new coordinator has no assignment for a pending SyncGroup, so the member joins again.
SYNC_ACTIONS: ErrorActions = {
    **COORDINATOR_ACTIONS,
    ErrorCode.UNKNOWN_MEMBER_ID: ErrorAction.RESET,
    ErrorCode.REBALANCE_IN_PROGRESS: ErrorAction.REJOIN,
    ErrorCode.ILLEGAL_GENERATION: ErrorAction.RESET_GENERATION,
}

HEARTBEAT_ACTIONS: ErrorActions = dict(SYNC_ACTIONS)

COMMIT_REFUSED_ACTIONS: ErrorActions = {
    ErrorCode.REBALANCE_IN_PROGRESS: ErrorAction.REJOIN,
    ErrorCode.ILLEGAL_GENERATION: ErrorAction.RESET_GENERATION,
    ErrorCode.UNKNOWN_MEMBER_ID: ErrorAction.RESET,
    ErrorCode.FENCED_INSTANCE_ID: ErrorAction.FAIL,
}

assert COMMIT_REFUSED_ACTIONS.keys() == CLASSIC_RULES.tells_member, "every code passed to the member has an action"


#: The actions that make the member lose its partitions.
_LOSING = (ErrorAction.RESET, ErrorAction.RESET_GENERATION, ErrorAction.FAIL)


def join_refused(state: ClassicState, event: JoinRefused, at: ClassicContext) -> Outcome:
    """A JoinGroup was refused, possibly only to provide the member id (MEMBER_ID_REQUIRED)."""
    if event.code == ErrorCode.MEMBER_ID_REQUIRED and not state.member_id:
        return losing.rejoin(evolve(state, member_id=event.member_id), at), ()
    return _join_again(state, event.code, JOIN_ACTIONS.get(event.code, ErrorAction.FAIL), at, event.message)


def sync_refused(state: ClassicState, event: SyncRefused, at: ClassicContext) -> Outcome:
    """A SyncGroup was refused: unless the error is fatal, the member joins again."""
    state = evolve(state, reason=f"SyncGroup was answered with {name_of(event.code)}")
    return _join_again(state, event.code, SYNC_ACTIONS.get(event.code, ErrorAction.FAIL), at)


def _join_again(
    state: ClassicState, code: int, action: ErrorAction, at: ClassicContext, message: str | None = None
) -> Outcome:
    if action in _LOSING:
        return _lose(state, code, action, at, message)
    state = evolve(state, failures=state.failures + 1)
    found = (FindCoordinator(),) if action is ErrorAction.FIND_COORDINATOR else ()
    return losing.rejoin(state, at, first_at_once=action is ErrorAction.REJOIN), found


def _lose(
    state: ClassicState, code: int, action: ErrorAction, at: ClassicContext, message: str | None = None
) -> Outcome:
    if action is ErrorAction.FAIL:
        error = RaiseToApplication(code, name_of(code) if message is None else message, fatal=True)
        return losing.fail_for_good(state, error)
    reason = f"the coordinator answered {name_of(code)}"
    return losing.reset(state, at, forget_id=action is ErrorAction.RESET, reason=reason)


def heartbeat_refused(state: ClassicState, event: HeartbeatRefused, at: ClassicContext) -> Outcome:
    """A heartbeat was refused, or the response says that the group is rebalancing."""
    action = HEARTBEAT_ACTIONS.get(event.code, ErrorAction.FAIL)
    if action in _LOSING:
        return _lose(state, event.code, action, at)
    if action is not ErrorAction.REJOIN:
        return _beat_again(state, action, at)
    return _note_rebalance(heartbeats.answered(state, at)), ()


def heartbeat_refused_while_leaving(state: ClassicState, event: HeartbeatRefused, at: ClassicContext) -> Outcome:
    """A heartbeat of a member that is about to leave was refused: if it was removed, its partitions are lost."""
    action = HEARTBEAT_ACTIONS.get(event.code, ErrorAction.FAIL)
    if action is ErrorAction.REJOIN:
        return heartbeats.answered(state, at), ()
    if action in (ErrorAction.FIND_COORDINATOR, ErrorAction.RETRY):
        return _beat_again(state, action, at)
    return _lose_before_leaving(state, action)


def _lose_before_leaving(state: ClassicState, action: ErrorAction) -> Outcome:
    forget_id = action is not ErrorAction.RESET_GENERATION
    return losing.abandon(state, forget_id=forget_id) if state.held else losing.count_out(state, forget_id=forget_id)


def _action_on_commit(state: ClassicState, event: CommitRefused) -> ErrorAction | None:
    """The action for a refused commit; none if it was made in another generation."""
    if event.generation != state.generation:
        return None
    return COMMIT_REFUSED_ACTIONS.get(event.code)


def commit_refused(state: ClassicState, event: CommitRefused, at: ClassicContext) -> Outcome:
    """A commit was refused.

    The member was removed, or the group is rebalancing and no heartbeat response has reported it yet.
    """
    action = _action_on_commit(state, event)
    if action is None:
        return state, ()
    if action is ErrorAction.REJOIN:
        return _note_rebalance(state), ()
    return _lose(state, event.code, action, at)


def commit_refused_while_leaving(state: ClassicState, event: CommitRefused, _at: ClassicContext) -> Outcome:
    """A commit of a member that is about to leave was refused: if it was removed, its partitions are lost."""
    action = _action_on_commit(state, event)
    if action is None or action is ErrorAction.REJOIN:
        return state, ()
    return _lose_before_leaving(state, action)


def _note_rebalance(state: ClassicState) -> ClassicState:
    """Join again after the current step. A COMPLETING member is already rebalancing."""
    if state.status is not Status.STABLE or state.must_rejoin:
        return state
    return evolve(state, must_rejoin=True, reason="the group is rebalancing")


def _beat_again(state: ClassicState, action: ErrorAction, at: ClassicContext) -> Outcome:
    if action is ErrorAction.FIND_COORDINATOR:
        return heartbeats.failed(state, at, first_at_once=True), (FindCoordinator(),)
    return heartbeats.failed(state, at), ()

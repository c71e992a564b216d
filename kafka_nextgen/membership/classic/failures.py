"""What a member does about each error code of JoinGroup, SyncGroup and Heartbeat (Kafka's own consumer).

Every code that is not in a table is fatal: no repetition will make the coordinator take this member. A refusal is
only ever heard of for the request under way, so that none from before the last JoinGroup costs a generation. What a
LeaveGroup is answered with makes no difference.

Commits are not the machine's own requests, and most of what they are refused with is none of its business. The codes
of ``COMMIT_REACTIONS`` say something of the member, and cost it what they would cost if a heartbeat brought them,
unless it is in another generation by now than the commit was in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

from attrs import evolve

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.membership.classic import heartbeats, losing
from kafka_nextgen.membership.classic.events import CommitRefused, JoinRefused, SyncRefused
from kafka_nextgen.membership.classic.settings import Moment
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.effects import FindCoordinator, RaiseToApplication
from kafka_nextgen.membership.events import HeartbeatRefused

__all__ = [
    "COMMIT_REACTIONS",
    "HEARTBEAT_REACTIONS",
    "JOIN_REACTIONS",
    "SYNC_REACTIONS",
    "Reaction",
    "commit_refused",
    "commit_refused_while_leaving",
    "heartbeat_refused",
    "heartbeat_refused_while_leaving",
    "join_refused",
    "reaction_to",
    "sync_refused",
]


class Reaction(Enum):
    """What to do about an error."""

    FIND_COORDINATOR = "find_coordinator"  # and try again
    BACK_OFF = "back_off"  # it passes
    REJOIN = "rejoin"  # the group rebalances
    RESET_GENERATION = "reset_generation"  # lose everything, join again as the same member
    RESET = "reset"  # lose everything, join again as a new member
    FAIL = "fail"  # raise it; nothing is sent any more


_COORDINATOR_REACTIONS = {
    ErrorCode.NOT_COORDINATOR: Reaction.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE: Reaction.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: Reaction.BACK_OFF,
    ErrorCode.UNKNOWN_MEMBER_ID: Reaction.RESET,
}

#: JoinGroup. With MEMBER_ID_REQUIRED comes an id to join with (KIP-394); a group that was upgraded to the consumer
#: group protocol while it rebalanced asks its members to join again (KIP-848, "Migration").
JOIN_REACTIONS: Mapping[ErrorCode, Reaction] = {
    **_COORDINATOR_REACTIONS,
    ErrorCode.MEMBER_ID_REQUIRED: Reaction.REJOIN,
    ErrorCode.REBALANCE_IN_PROGRESS: Reaction.REJOIN,
}

#: SyncGroup. A coordinator that moved has no assignment to tell: the member joins there.
SYNC_REACTIONS: Mapping[ErrorCode, Reaction] = {
    **_COORDINATOR_REACTIONS,
    ErrorCode.REBALANCE_IN_PROGRESS: Reaction.REJOIN,
    ErrorCode.ILLEGAL_GENERATION: Reaction.RESET_GENERATION,
}

#: Heartbeat.
HEARTBEAT_REACTIONS: Mapping[ErrorCode, Reaction] = {
    **_COORDINATOR_REACTIONS,
    ErrorCode.REBALANCE_IN_PROGRESS: Reaction.REJOIN,
    ErrorCode.ILLEGAL_GENERATION: Reaction.RESET_GENERATION,
}

#: OffsetCommit.
COMMIT_REACTIONS: Mapping[ErrorCode, Reaction] = {
    ErrorCode.REBALANCE_IN_PROGRESS: Reaction.REJOIN,
    ErrorCode.ILLEGAL_GENERATION: Reaction.RESET_GENERATION,
    ErrorCode.UNKNOWN_MEMBER_ID: Reaction.RESET,
    ErrorCode.FENCED_INSTANCE_ID: Reaction.FAIL,
}


def reaction_to(reactions: Mapping[ErrorCode, Reaction], code: int) -> Reaction:
    """What to do about an error code."""
    return next((reaction for known, reaction in reactions.items() if known == code), Reaction.FAIL)


def join_refused(state: ClassicState, event: JoinRefused, at: Moment) -> Outcome:
    """A JoinGroup was refused; perhaps only because it came without the id that comes with the refusal."""
    if event.code == ErrorCode.MEMBER_ID_REQUIRED and not state.member_id:
        return losing.rejoin(evolve(state, member_id=event.member_id), at), ()
    if event.message is not None and reaction_to(JOIN_REACTIONS, event.code) is Reaction.FAIL:
        return losing.fail_for_good(state, RaiseToApplication(event.code, event.message, fatal=True))
    return _join_again(state, event.code, reaction_to(JOIN_REACTIONS, event.code), at)


def sync_refused(state: ClassicState, event: SyncRefused, at: Moment) -> Outcome:
    """A SyncGroup was refused: one way or the other, the member joins again."""
    state = evolve(state, reason=f"SyncGroup was answered with {name_of(event.code)}")
    return _join_again(state, event.code, reaction_to(SYNC_REACTIONS, event.code), at)


def _join_again(state: ClassicState, code: int, reaction: Reaction, at: Moment) -> Outcome:
    if reaction in _LOSING:
        return _LOSING[reaction](state, code, at)
    state = evolve(state, failures=state.failures + 1)
    if reaction is Reaction.FIND_COORDINATOR:
        return losing.rejoin(state, at, first_at_once=False), (FindCoordinator(),)
    return losing.rejoin(state, at, first_at_once=reaction is Reaction.REJOIN), ()


def heartbeat_refused(state: ClassicState, event: HeartbeatRefused, at: Moment) -> Outcome:
    """A heartbeat was refused, or tells that the group rebalances."""
    reaction = reaction_to(HEARTBEAT_REACTIONS, event.code)
    if reaction in _LOSING:
        return _LOSING[reaction](state, event.code, at)
    if reaction is not Reaction.REJOIN:
        return _beat_again(state, reaction, at)
    return _note_rebalance(heartbeats.answered(state, at)), ()


def heartbeat_refused_while_leaving(state: ClassicState, event: HeartbeatRefused, at: Moment) -> Outcome:
    """A heartbeat of a member that is about to leave was refused: if it is out, what it still has is lost."""
    reaction = reaction_to(HEARTBEAT_REACTIONS, event.code)
    if reaction is Reaction.REJOIN:
        return heartbeats.answered(state, at), ()
    if reaction in (Reaction.FIND_COORDINATOR, Reaction.BACK_OFF):
        return _beat_again(state, reaction, at)
    return _lose_before_leaving(state, reaction)


def _lose_before_leaving(state: ClassicState, reaction: Reaction) -> Outcome:
    forget_id = reaction is not Reaction.RESET_GENERATION
    return losing.abandon(state, forget_id=forget_id) if state.held else losing.count_out(state, forget_id=forget_id)


def _reaction_to_commit(state: ClassicState, event: CommitRefused) -> Reaction | None:
    """What to do about a commit that was refused; nothing if that says nothing of this generation."""
    if event.generation != state.generation:
        return None
    return next((reaction for known, reaction in COMMIT_REACTIONS.items() if known == event.code), None)


def commit_refused(state: ClassicState, event: CommitRefused, at: Moment) -> Outcome:
    """A commit was refused: perhaps the member is out, or the group rebalances and it has not heard of that yet."""
    reaction = _reaction_to_commit(state, event)
    if reaction is None:
        return state, ()
    if reaction is Reaction.REJOIN:
        return _note_rebalance(state), ()
    return _LOSING[reaction](state, event.code, at)


def commit_refused_while_leaving(state: ClassicState, event: CommitRefused, _at: Moment) -> Outcome:
    """A commit of a member that is about to leave was refused: if it is out, what it still has is lost."""
    reaction = _reaction_to_commit(state, event)
    if reaction is None or reaction is Reaction.REJOIN:
        return state, ()
    return _lose_before_leaving(state, reaction)


def _note_rebalance(state: ClassicState) -> ClassicState:
    """Join again after the current step. A COMPLETING member knows of the rebalance already."""
    if state.status is not Status.STABLE or state.must_rejoin:
        return state
    return evolve(state, must_rejoin=True, reason="the group is rebalancing")


def _beat_again(state: ClassicState, reaction: Reaction, at: Moment) -> Outcome:
    if reaction is Reaction.FIND_COORDINATOR:
        return heartbeats.failed(state, at, first_at_once=True), (FindCoordinator(),)
    return heartbeats.failed(state, at), ()


def _reset(state: ClassicState, code: int, at: Moment) -> Outcome:
    return losing.reset(state, at, forget_id=True, reason=f"the coordinator answered {name_of(code)}")


def _reset_generation(state: ClassicState, code: int, at: Moment) -> Outcome:
    return losing.reset(state, at, forget_id=False, reason=f"the coordinator answered {name_of(code)}")


def _fail(state: ClassicState, code: int, _at: Moment) -> Outcome:
    return losing.fail_for_good(state, RaiseToApplication(code, name_of(code), fatal=True))


#: The reactions that cost the member its partitions.
_LOSING: Mapping[Reaction, Callable[[ClassicState, int, Moment], Outcome]] = {
    Reaction.RESET: _reset,
    Reaction.RESET_GENERATION: _reset_generation,
    Reaction.FAIL: _fail,
}

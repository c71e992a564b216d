"""The leader's assignment if the application implements the chosen assignor (``group.local.assignors``).

1. *The assignor runs in the background* for up to the rebalance timeout, while the member sends heartbeats. The other
   members wait in SyncGroup.
2. *If the assignor fails*, because it raised, took too long or returned an invalid assignment, every member keeps what
   it owns, and its ``poll`` raises an error with the reason. Unowned partitions stay unassigned. The next rebalance
   runs the assignor again, on the member that is the leader by then. The leader starts that rebalance no later than its
   next check of the topics.
3. *A member whose metadata the assignor can't read* gets no partitions, only the reason; partitions are assigned to the
   others without it.
4. *If a member's metadata or its reason changes*, the member joins again with that reason, so that the group gets
   another assignment (KIP-848, "AssignorMetadata").

``assignors.user_data`` defines the encoding of the data between members and assignor.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from kafka_nextgen.assignors.spec import GroupAssignment, TopicMetadata
from kafka_nextgen.assignors.user_data import Failure, read_assignor_word, word_of
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic import requests
from kafka_nextgen.membership.classic.assigning import Computation
from kafka_nextgen.membership.classic.effects import (
    ClassicEffect,
    MemberPart,
    RaiseAssignorFailed,
    RunAssignor,
    TellAssignor,
)
from kafka_nextgen.membership.classic.events import AssignorFailed, AssignorReturned, SyncAnswered
from kafka_nextgen.membership.classic.settings import ClassicContext
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.effects import RaiseToApplication
from kafka_nextgen.membership.events import AssignorsAsked
from kafka_nextgen.membership.state_machine import numbered
from kafka_nextgen.membership.timers import Timer, armed, disarmed, is_due
from kafka_nextgen.types import TopicId

__all__ = ["asked", "begin", "failed", "give_up_if_late", "note_metadata", "returned", "take_assignment"]

#: Advice for metadata of an unknown version (KIP-268).
_UNTIL = "until every member can read the new version, write a version that they can all read"


def begin(
    state: ClassicState, topics: Mapping[str, TopicMetadata], ids: Mapping[str, TopicId], at: ClassicContext
) -> Outcome:
    """Start the assignor, if it can read the metadata of at least one member."""
    strategy = state.strategy
    assert strategy is not None, "the coordinator chooses a protocol that all members support"
    state, number = numbered(state)
    computation = Computation.ask(number, state.words[strategy], state.roster, topics, ids)
    state = evolve(state, computation=computation)
    if not computation.group.members:
        return _sync(state, computation.parts_of(GroupAssignment({})), at)
    deadlines = armed(state.deadlines, Timer.COMPUTE, at.now + at.settings.compute_timeout_s)
    return evolve(state, deadlines=deadlines), (RunAssignor(number, strategy, computation.group),)


def asked(state: ClassicState) -> Computation:
    """The computation in progress."""
    assert state.computation is not None, "an assignor is running"
    return state.computation


def returned(state: ClassicState, event: AssignorReturned, at: ClassicContext) -> Outcome:
    """Send the assignor's result to the group."""
    return _sync(state, asked(state).parts_of(event.assignment), at)


def failed(state: ClassicState, event: AssignorFailed, at: ClassicContext) -> Outcome:
    """Inform the group that the assignor failed."""
    return _fail(state, event.reason, at)


def give_up_if_late(state: ClassicState, at: ClassicContext) -> Outcome:
    """Give up on the assignor after its time limit; a later result is ignored."""
    if not is_due(state.deadlines, Timer.COMPUTE, at.now):
        return state, ()
    return _fail(
        state, f"it took longer than {at.settings.compute_timeout_s:g} s, its share of rebalance.timeout.ms", at
    )


def _fail(state: ClassicState, why: str, at: ClassicContext) -> Outcome:
    failure = Failure(ErrorCode.INVALID_ASSIGNMENT, why)
    state = evolve(state, failed_assignor=state.strategy)
    return _sync(state, asked(state).parts_as_they_are(failure), at)


def _sync(state: ClassicState, parts: tuple[MemberPart, ...], at: ClassicContext) -> Outcome:
    deadlines = disarmed(state.deadlines, Timer.COMPUTE)
    return requests.send_sync(evolve(state, computation=None, deadlines=deadlines), at, parts)


def take_assignment(state: ClassicState, event: SyncAnswered, at: ClassicContext) -> Outcome:
    """Pass the assignor's metadata to this member, or the reason for a failure."""
    assignor = state.strategy
    if assignor is None or assignor not in at.settings.local_assignors:
        return state, ()
    word = read_assignor_word(event.user_data)
    state = _rejoin_if_metadata_changed(state, at)
    if word.failure is not None:
        return state, (_error(assignor, word.failure, state.leader_id),)
    part = state.generation, event.partitions
    if state.informed == part:  # the member joined the same generation again
        return state, ()
    # In a consumer group, a classic member can get its part in several steps at one epoch (KIP-848, "Classic Members").
    told = TellAssignor(assignor, word.error, event.partitions, word.metadata, state.generation)
    return evolve(state, informed=part), (told,)


def _error(assignor: str, failure: Failure, leader_id: str) -> ClassicEffect:
    if failure.code == ErrorCode.UNSUPPORTED_ASSIGNOR:
        whose = f"assignor {assignor!r} of the leader, {leader_id},"
        text = f"{whose} did not assign partitions to this member: {failure.message}; {_UNTIL}"
        return RaiseToApplication(failure.code, text, fatal=False)
    return RaiseAssignorFailed(assignor, leader_id, failure.message)


def note_metadata(state: ClassicState, event: AssignorsAsked, at: ClassicContext) -> Outcome:
    """Keep the metadata for the next JoinGroup; join again if that of the chosen assignor changed."""
    state = evolve(state, words={offer.name: word_of(offer) for offer in event.assignors})
    return (_rejoin_if_metadata_changed(state, at) if state.status is Status.STABLE else state), ()


def _rejoin_if_metadata_changed(state: ClassicState, at: ClassicContext) -> ClassicState:
    name = state.strategy
    if name is None or name not in at.settings.local_assignors or state.words[name] == state.joined_words[name]:
        return state
    said = state.words[name].said
    why = f", for reason {said.reason}" if said.reason else ""
    return evolve(state, must_rejoin=True, reason=f"assignor {name} has new metadata{why}")

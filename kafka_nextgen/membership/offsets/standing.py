"""Who asks: the member's id and epoch, what it owns, and what it does not own any more.

* Out of the group, or out and in again: what was lost may be somebody else's by now. An empty group would even take
  the commit of a stranger, and set back what a successor committed. So a commit does not outlive the membership it
  was made in, and one for a partition that was lost is refused until that is assigned again.
* A partition that is being given up is not committed by repetitions of what was asked for before: who gives it up
  commits its last position. But what was never sent, and only waited for another commit, goes out at once: nobody else
  has the partition yet, and the application may count on what it asked for.
* What the application asks for while it gives the partition up goes out until it is given up in fact. Such a commit
  waits for no topic that is unknown, not even for what is kept (``commits``): others wait for the partitions.
"""

from __future__ import annotations

from collections.abc import Set

from attrs import evolve

from kafka_nextgen.membership.offsets.book import changed, near, stirred_all
from kafka_nextgen.membership.offsets.events import (
    AssignmentApplied,
    EpochPublished,
    GroupEntered,
    GroupQuit,
    PartitionsStopped,
    ProtocolChosen,
    Sought,
)
from kafka_nextgen.membership.offsets.patience import is_ready
from kafka_nextgen.membership.offsets.settings import Moment
from kafka_nextgen.membership.offsets.state import NOTHING, Commit, OffsetState, Outcome
from kafka_nextgen.types import TopicPartition

__all__ = [
    "apply_assignment",
    "choose_protocol",
    "enter_group",
    "publish_epoch",
    "quit_group",
    "seek",
    "stop_partitions",
]


def choose_protocol(state: OffsetState, event: ProtocolChosen, _at: Moment) -> Outcome:
    """Go by the tables of this protocol."""
    return stirred_all(evolve(state, rules=event.rules)), ()


def enter_group(state: OffsetState, _event: GroupEntered, _at: Moment) -> Outcome:
    """The application subscribed."""
    return stirred_all(evolve(state, belongs=True)), ()


def quit_group(state: OffsetState, _event: GroupQuit, _at: Moment) -> Outcome:
    """The member has left; its consumer may still commit, if the group lets strangers do that."""
    return stirred_all(evolve(state, belongs=False, lost=NOTHING)), ()


def publish_epoch(state: OffsetState, event: EpochPublished, _at: Moment) -> Outcome:
    """Another epoch; if it is the end of a membership, what is owned is lost."""
    is_member = event.member_epoch >= 0
    if state.member_epoch >= 0 and not is_member:
        lost = state.owned.keys()
        state = evolve(_without(state, lost), life=state.life + 1, lost=state.lost | lost, owned={})
    member_id = event.member_id if is_member else ""
    return stirred_all(evolve(state, member_id=member_id, member_epoch=event.member_epoch)), ()


def stop_partitions(state: OffsetState, event: PartitionsStopped, at: Moment) -> Outcome:
    """These are being given up; what waits to be committed of them for the first time counts as asked for now."""
    fresh = [commit for commit in near(state, event.partitions) if _is_fresh(state, commit, at)]
    fresh = [commit for commit in fresh if commit.left & event.partitions]
    state = evolve(_give_up(state, event.partitions), stopping=state.stopping | event.partitions)
    return stirred_all(changed(state, [evolve(each, turn=state.turn, is_urgent=True) for each in fresh])), ()


def _is_fresh(state: OffsetState, commit: Commit, at: Moment) -> bool:
    """Whether a commit was never sent, and only waits for another."""
    never_sent = commit.request is None and commit.refusal is None and commit.patience.failures == 0
    return never_sent and is_ready(commit.patience, state.member_epoch, at)


def apply_assignment(state: OffsetState, event: AssignmentApplied, _at: Moment) -> Outcome:
    """These are owned, the others are gone, also for commits that were asked for while they were given up."""
    kept = {tp: turn for tp, turn in state.owned.items() if tp in event.partitions - event.added}
    gone, begun = state.owned.keys() - kept.keys(), event.partitions - kept.keys()
    given_up = gone if state.belongs else gone & event.partitions
    state = _without(_give_up(state, given_up) if given_up else state, gone | begun)
    turn = state.turn + 1 if begun else state.turn
    owned = {**kept, **dict.fromkeys(begun, turn)}
    state = evolve(state, turn=turn, owned=owned, stopping=NOTHING, lost=state.lost - event.partitions)
    return stirred_all(state), ()


def seek(state: OffsetState, event: Sought, _at: Moment) -> Outcome:
    """Commits of before say nothing of how far these are processed: auto-commit begins anew, wherever that is."""
    partitions = event.partitions & state.owned.keys()
    turn = state.turn + 1
    owned = {**state.owned, **dict.fromkeys(partitions, turn)}
    state = _without(state, partitions)
    return evolve(state, turn=turn, owned=owned, sought=state.sought | partitions), ()


def _give_up(state: OffsetState, partitions: Set[TopicPartition]) -> OffsetState:
    turn = state.turn + 1
    return evolve(state, turn=turn, given_up={**state.given_up, **dict.fromkeys(partitions, turn)})


def _without(state: OffsetState, partitions: Set[TopicPartition]) -> OffsetState:
    """Forget how far these were committed and processed: their next owner begins anew, even if it is the same."""
    return evolve(
        state,
        acknowledged=state.acknowledged.without(partitions),
        consumed={tp: offset for tp, offset in state.consumed.items() if tp not in partitions},
        sought=state.sought - partitions,
    )

"""The membership that commits depend on: its id and epoch, and its partitions: owned, being given up or lost.

* After the coordinator has removed the member from the group, another member may own its partitions, even if it has
  joined again. An empty group even accepts commits without a member id, which could move a successor's offsets back. So
  a commit ends with its membership, and a commit for a lost partition fails until the partition is assigned again.
* Earlier commits are not retried for a partition that is being given up: the commit before the revocation contains its
  last position. But a commit that was never sent, because it waited for another one, is sent immediately: no other
  member has the partition yet, and the application may rely on the commit.
* The application's new commits are sent even while their partitions are being given up. Such a commit is not retried
  for an unknown topic, not even for a partition that the member keeps (``commits``), because other members are waiting.
"""

from __future__ import annotations

from collections.abc import Set

from attrs import evolve

from kafka_nextgen.membership.offsets.commit_index import changed, commits_of, mark_all
from kafka_nextgen.membership.offsets.events import (
    AssignmentApplied,
    EpochPublished,
    GroupEntered,
    GroupQuit,
    PartitionsStopped,
    ProtocolChosen,
    Sought,
)
from kafka_nextgen.membership.offsets.retry_state import is_ready
from kafka_nextgen.membership.offsets.settings import OffsetContext
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


def choose_protocol(state: OffsetState, event: ProtocolChosen, _at: OffsetContext) -> Outcome:
    """Use the error tables of this protocol."""
    return mark_all(evolve(state, rules=event.rules)), ()


def enter_group(state: OffsetState, _event: GroupEntered, _at: OffsetContext) -> Outcome:
    """The application subscribed: the consumer belongs to the group."""
    return mark_all(evolve(state, belongs=True)), ()


def quit_group(state: OffsetState, _event: GroupQuit, _at: OffsetContext) -> Outcome:
    """The member has left. The consumer may still commit, if the group accepts commits without a member id."""
    return mark_all(evolve(state, belongs=False, lost=NOTHING)), ()


def publish_epoch(state: OffsetState, event: EpochPublished, _at: OffsetContext) -> Outcome:
    """Store the new epoch. If the membership has ended (epoch -1), the owned partitions are lost."""
    is_member = event.member_epoch >= 0
    if state.member_epoch >= 0 and not is_member:
        lost = state.owned.keys()
        state = evolve(_without(state, lost), membership=state.membership + 1, lost=state.lost | lost, owned={})
    member_id = event.member_id if is_member else ""
    return mark_all(evolve(state, member_id=member_id, member_epoch=event.member_epoch)), ()


def stop_partitions(state: OffsetState, event: PartitionsStopped, at: OffsetContext) -> Outcome:
    """Note that these partitions are being given up. Their commits that were never sent become urgent."""
    fresh = [commit for commit in commits_of(state, event.partitions) if _is_fresh(state, commit, at)]
    fresh = [commit for commit in fresh if commit.left & event.partitions]
    state = evolve(_give_up(state, event.partitions), stopping=state.stopping | event.partitions)
    return mark_all(changed(state, [evolve(each, ownership=state.ownership, is_urgent=True) for each in fresh])), ()


def _is_fresh(state: OffsetState, commit: Commit, at: OffsetContext) -> bool:
    """Whether a commit was never sent and is only waiting for another one or for a free slot."""
    never_sent = commit.request is None and commit.refusal is None and commit.retry.failures == 0
    return never_sent and is_ready(commit.retry, state.member_epoch, at)


def apply_assignment(state: OffsetState, event: AssignmentApplied, _at: OffsetContext) -> Outcome:
    """Store the owned partitions.

    All others count as given up, even for commits made while they were being given up.
    """
    kept = {tp: ownership for tp, ownership in state.owned.items() if tp in event.partitions - event.added}
    gone, begun = state.owned.keys() - kept.keys(), event.partitions - kept.keys()
    given_up = gone if state.belongs else gone & event.partitions
    state = _without(_give_up(state, given_up) if given_up else state, gone | begun)
    ownership = state.ownership + 1 if begun else state.ownership
    owned = {**kept, **dict.fromkeys(begun, ownership)}
    state = evolve(state, ownership=ownership, owned=owned, stopping=NOTHING, lost=state.lost - event.partitions)
    return mark_all(state), ()


def seek(state: OffsetState, event: Sought, _at: OffsetContext) -> Outcome:
    """Forget earlier commits of these partitions: auto-commit starts again from the new position."""
    partitions = event.partitions & state.owned.keys()
    ownership = state.ownership + 1
    owned = {**state.owned, **dict.fromkeys(partitions, ownership)}
    state = _without(state, partitions)
    return evolve(state, ownership=ownership, owned=owned, sought=state.sought | partitions), ()


def _give_up(state: OffsetState, partitions: Set[TopicPartition]) -> OffsetState:
    ownership = state.ownership + 1
    return evolve(state, ownership=ownership, given_up={**state.given_up, **dict.fromkeys(partitions, ownership)})


def _without(state: OffsetState, partitions: Set[TopicPartition]) -> OffsetState:
    """Forget the committed and processed offsets of these partitions."""
    return evolve(
        state,
        acknowledged=state.acknowledged.without(partitions),
        consumed={tp: offset for tp, offset in state.consumed.items() if tp not in partitions},
        sought=state.sought - partitions,
    )

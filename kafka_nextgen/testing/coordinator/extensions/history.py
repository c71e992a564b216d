"""The history of a group: each rebalance, with its cause and the time of its assignment.

A consumer group rebalances when its epoch increases, a classic one when its members have to join again. Both call
``note_rebalance``. ``note_assignment`` records that a target was made, or that a classic group's leader sent its
assignment. It ends all rebalances that the assignment takes into account, and those left open by a conversion from the
other protocol.

The leader of a classic group reports changed topics once it has noticed them. The cause is the change itself, so the
delay includes the time until the leader noticed (the draft "JoinReason").

The latest ``group_rebalance_history_size`` rebalances are kept until the group is deleted, across conversions and
fail-overs. If a consumer group becomes a classic one before it has its target, that counts as one rebalance, not two.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.extensions.history import HistoryDescribed
from kafka_nextgen.groups.extensions.records import Rebalance, RebalanceRecorded, RebalanceRecordedRemoved
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.extensions.requests import DescribeHistory
from kafka_nextgen.testing.coordinator.extensions.state import HISTORY
from kafka_nextgen.testing.coordinator.extensions.topic_changes import changes_of
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.types import RebalanceReason

__all__ = ["describe_history", "forget_history", "note_assignment", "note_rebalance"]

#: Kafka's clients truncate their reasons to this length (KIP-800); the coordinator truncates longer ones.
_LONGEST_TEXT = 255


def note_rebalance(draft: Draft, cause: Cause, caused_at_ms: int | None = None) -> None:
    """Record the start of a rebalance, whose cause occurred at ``caused_at_ms``, or now if None."""
    group, size = draft.group, _size(draft.settings)
    if not size:
        return
    last = max(HISTORY.of(group).values(), key=lambda rebalance: rebalance.number, default=None)
    is_classic = group.classic is not None
    epoch = draft.classic.generation + 1 if is_classic else group.epoch
    if last is not None and is_classic and _goes_on(last, epoch):
        return
    _forget_from(draft, size)
    number = 1 if last is None else last.number + 1
    when_ms = _caused_at_ms(draft, cause, last) if caused_at_ms is None else caused_at_ms
    rebalance = Rebalance(number, evolve(cause, text=cause.text[:_LONGEST_TEXT]), when_ms, is_classic, epoch)
    draft.write(RebalanceRecorded(group.group_id, number % size, rebalance))


def _caused_at_ms(draft: Draft, cause: Cause, last: Rebalance | None) -> int:
    """When the cause occurred: now, unless the leader of a classic group has noticed changed topics.

    Then it is the first change since the last assignment. If there is none, the topics changed while the leader
    assigned, or before this coordinator was loaded.
    """
    if last is None or draft.group.classic is None or cause.reason is not RebalanceReason.TOPIC_METADATA_CHANGED:
        return draft.now_ms
    changes = _changes_since(draft, last.caused_at_ms)
    unassigned = [at_ms for at_ms in changes if last.assigned_at_ms is not None and at_ms > last.assigned_at_ms]
    return min(unassigned, default=max(changes, default=draft.now_ms))


def _changes_since(draft: Draft, since_ms: int) -> list[int]:
    """When topics of the group changed, including topics that members have added."""
    topics, changes = draft.topics, changes_of(draft.topics)
    before, now = draft.classic.topics, draft.classic.with_topics().topics
    names = topics.by_name.keys() if before is None or now is None else before | now
    return [at_ms for name in names for at_ms in changes.get(name, ()) if at_ms > since_ms]


def _goes_on(last: Rebalance, generation: int) -> bool:
    return last.assigned_at_ms is None and last.epoch == generation and not last.is_classic


def note_assignment(draft: Draft) -> None:
    """Record an assignment: a target at the assignment epoch, or a classic group's at its generation."""
    group, is_classic = draft.group, draft.group.classic is not None
    if not _size(draft.settings):
        return
    epoch = draft.classic.generation if is_classic else group.assignment_epoch
    for slot, rebalance in HISTORY.of(group).items():
        is_over = rebalance.epoch <= epoch or rebalance.is_classic is not is_classic
        if rebalance.assigned_at_ms is None and is_over:
            assigned = evolve(rebalance, target_epoch=epoch, assigned_at_ms=draft.now_ms)
            draft.write(RebalanceRecorded(group.group_id, slot, assigned))


def describe_history(draft: Draft, _: DescribeHistory) -> Outcome:
    """The recorded rebalances, oldest first; none for a group that has only offsets."""
    group = draft.group
    if not group.group_id:
        return Outcome(HistoryDescribed(ErrorCode.INVALID_GROUP_ID))
    if not group.exists:
        return Outcome(HistoryDescribed(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group.group_id} not found."))
    in_order = sorted(HISTORY.of(group).values(), key=lambda rebalance: rebalance.number)
    return Outcome(HistoryDescribed(rebalances=tuple(in_order)))


def forget_history(draft: Draft) -> None:
    """Remove the history of a deleted group."""
    _forget_from(draft, 0)


def _forget_from(draft: Draft, size: int) -> None:
    """Remove records beyond ``size`` slots, after the size was reduced."""
    for slot in HISTORY.of(draft.group):
        if slot >= size:
            draft.write(RebalanceRecordedRemoved(draft.group.group_id, slot))


def _size(settings: CoordinatorSettings) -> int:
    return settings.group_rebalance_history_size if settings.extensions else 0

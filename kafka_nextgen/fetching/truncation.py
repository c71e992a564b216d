"""What is made of a leader's word where the epoch in front of our offset ends in its log (KIP-320).

- At our offset or behind it: all that was read is there. That epoch may be an earlier one than ours: what led for a
  while and wrote nothing is remembered by its leader only, who may have told us of it. Ours is the earlier one then.
- In front of it: the logs part there. If that is about records that are not handed over yet, they are dropped and
  fetched again; the application's position, by which that is done, is validated by itself.
- If the position itself lies behind where the logs part, it goes there, and is read on from what is there now. If the
  leader can't tell where, the position is reset.
- Neither is done where ``auto.offset.reset`` is none, ``offset.reset.strict`` is set, or the partition is read up to an
  end (``bounds``): ``LogTruncationError`` tells the application where the logs part, and the position stays until it
  seeks.

This is what Kafka's own consumer does (4.3, SubscriptionState.maybeCompleteValidation), but for the strict reset.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import LogTruncationError
from kafka_nextgen.fetching.answers import note_error, note_failure, note_trouble
from kafka_nextgen.fetching.assigned import Assigned
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd, EpochQuestion
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["Truncation", "note_diverging", "note_end", "note_unknown_end"]


@frozen
class Truncation:
    """A log that is not the one any more that was read as far as ``position``.

    ``diverging`` is where it parts from that one, with the leader epoch there; None if its leader can't tell.
    """

    partition: TopicPartition
    position: OffsetAndMetadata
    diverging: OffsetAndMetadata | None

    def __str__(self) -> str:
        read = f"{self.partition}: the log was truncated: what was read up to offset {self.position.offset}"
        if self.diverging is None:
            return f"{read} (leader epoch {self.position.leader_epoch}) is unknown to its leader"
        return f"{read} is not what is there from offset {self.diverging.offset} on"


def note_end(
    state: PartitionState,
    question: EpochQuestion,
    found: EpochEnd,
    assigned: Assigned,
    settings: FetchSettings,
    now: float,
) -> Truncation | None:
    """Take in the answer to the question of a validation; returns what was lost if the position was moved for it."""
    if found.error != ErrorCode.NONE:
        note_error(state, found.error, assigned.buffers.has(state.partition), settings, now)
        return None
    assert (state.fetch_offset, state.fetch_epoch) == (question.offset, question.epoch), "nothing is fetched meanwhile"
    state.succeeded()
    lost = _compare(state, found, assigned, settings, now)
    if state.phase is Phase.FETCHING:
        state.checked_epoch = question.leader_epoch
    return lost


def note_unknown_end(state: PartitionState, question: EpochQuestion) -> None:
    """Go on as if nothing was lost: the broker does not speak the API."""
    state.phase = Phase.FETCHING
    state.checked_epoch = question.leader_epoch


def note_diverging(
    state: PartitionState, found: EpochEnd, assigned: Assigned, settings: FetchSettings, now: float
) -> Truncation | None:
    """Take in what came instead of records; returns what was lost if the position was moved for it."""
    before = (state.phase, state.fetch_offset, state.fetch_epoch)
    lost = _compare(state, found, assigned, settings, now)
    if state.error is None and before == (state.phase, state.fetch_offset, state.fetch_epoch):
        note_failure(state, settings, now)  # that was nothing new: not so fast
    return lost


def _compare(
    state: PartitionState, found: EpochEnd, assigned: Assigned, settings: FetchSettings, now: float
) -> Truncation | None:
    assert state.position is not None
    if found.is_known and found.end_offset >= state.fetch_offset:
        state.fetch_epoch = min(found.epoch, state.fetch_epoch)
        state.phase = Phase.FETCHING
        return None
    if state.fetch_offset != state.position.offset:
        assigned.start_over(state)
        state.phase = Phase.FETCHING if state.fetch_epoch < 0 else Phase.VALIDATING
        return None
    diverging = OffsetAndMetadata(found.end_offset, found.epoch) if found.is_known else None
    return _lose(state, Truncation(state.partition, state.position, diverging), settings, now)


def _lose(state: PartitionState, lost: Truncation, settings: FetchSettings, now: float) -> Truncation | None:
    """Go where the logs part, or have the application decide."""
    if settings.strict or settings.reset is OffsetReset.NONE or state.bound is not None:
        note_trouble(state, _error_of(lost, state, settings), False, settings, now)
        return None
    if lost.diverging is None:
        state.await_reset(settings.reset)
        return lost
    state.start_at(lost.diverging.offset, lost.diverging.leader_epoch)
    if state.consumed is not None and state.consumed.offset > lost.diverging.offset:
        state.consumed = state.position  # beyond it there is nothing that could have been processed
    return lost


def _error_of(lost: Truncation, state: PartitionState, settings: FetchSettings) -> LogTruncationError:
    why = "auto.offset.reset is none" if settings.reset is OffsetReset.NONE else "offset.reset.strict is set"
    if state.bound is not None:
        why = f"the partition is read up to offset {state.bound.end} only as it was"
    return LogTruncationError(
        f"{lost}, and {why}. Seek to go on.",
        code=ErrorCode.OFFSET_OUT_OF_RANGE,
        partition=lost.partition,
        position=lost.position,
        diverging=lost.diverging,
    )

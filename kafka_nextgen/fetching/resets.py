"""Chooses the position after a reset or a log truncation.

A reset queries the partition's leader for the beginning of the log, its end, or the first record that is recent enough
(KIP-1106). Two cases need two requests:

- For a reset by age, the first request finds the end of the log. If no record is recent enough, reading starts at that
  end, so that records written between the two requests are not skipped.
- If a new partition starts at its end and the skipped offsets must be logged, the first request finds the log's
  beginning.

A leader may also return where the epoch of the record before our offset ends in its log (KIP-320):

- At or after our offset: everything that was read is in its log. The leader may return an earlier epoch than ours,
  because an epoch without records is known only to its own leader. Then we use that epoch.
- Before our offset: the logs diverge there. If this affects only records not handed over yet, they are dropped and
  fetched again; the application's position is validated separately after that.
- If the position itself is after the point of divergence, it moves there, and reading continues with the new records.
  If the leader does not know that point, the position is reset.
- The position is not moved if ``auto.offset.reset`` is none, ``offset.reset.strict`` is set, or the partition is read
  up to an end (``bounds``): the application gets a ``LogTruncationError`` with the point of divergence, and the
  position stays until it seeks.

Kafka's own consumer does the same (4.3, SubscriptionState.maybeCompleteValidation), except for the strict reset.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import LogTruncationError
from kafka_nextgen.fetching.context import Assigned
from kafka_nextgen.fetching.failures import note_error, note_failure, note_trouble
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.offset_reset import ByDuration, OffsetReset
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST, ListedOffset
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd, EpochQuestion
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "SkippedOffsets",
    "Truncation",
    "note_diverging",
    "note_end",
    "note_listed",
    "note_unknown_end",
    "question_of",
]


@frozen
class SkippedOffsets:
    """The offsets of a new partition before its end, where reading starts because of ``auto.offset.reset=latest``.

    Some of the ``count`` offsets may have no record, because of transaction markers and compaction.
    """

    partition: TopicPartition
    count: int
    end: int

    def __str__(self) -> str:
        return (
            f"{self.partition} is new: the group has committed offsets of other partitions of its topic, but none here."
            f" Because auto.offset.reset is latest, reading begins at its end, offset {self.end}, and skips the"
            f" {self.count} records before it. Set auto.offset.reset.new.partitions to earliest to read those of new"
            " partitions, or to latest to skip them without this warning"
        )


def question_of(state: PartitionState) -> int | ByDuration:
    """The query of the next ListOffsets request: a timestamp, or a duration before the time of the request."""
    assert state.reset is not OffsetReset.NONE, "the reset policy is not NONE"
    if state.counts_skipped and state.beginning is None:
        return EARLIEST
    if isinstance(state.reset, ByDuration) and state.end is not None:
        return state.reset
    return EARLIEST if state.reset is OffsetReset.EARLIEST else LATEST


def note_listed(
    state: PartitionState, found: ListedOffset | None, leader_epoch: int, settings: FetchSettings, now: float
) -> SkippedOffsets | None:
    """Apply the answer of a leader at this epoch: reading starts at its offset, or a second request follows.

    Returns the skipped offsets, if they must be reported.
    """
    if found is not None and found.error != ErrorCode.NONE:
        note_error(state, found.error, False, settings, now)
        return None
    place = state.end if found is None or found.offset < 0 else found
    if place is None:
        note_failure(state, settings, now)
    elif state.counts_skipped and state.beginning is None:
        state.beginning = place
    elif isinstance(state.reset, ByDuration) and state.end is None:
        state.end = place
    else:
        state.start_at(place.offset, place.leader_epoch, checked_epoch=leader_epoch)
        if state.reset is OffsetReset.EARLIEST:  # any other offset may change while records are written
            state.found = state.position
        if state.consumed is not None and state.consumed.offset > place.offset:
            state.consumed = state.position  # nothing after it has been processed
        return _skipped(state, place)
    return None


def _skipped(state: PartitionState, end: ListedOffset) -> SkippedOffsets | None:
    count = 0 if state.beginning is None else end.offset - state.beginning.offset
    return SkippedOffsets(state.partition, count, end.offset) if count > 0 else None


@frozen
class Truncation:
    """A log that was truncated after it was read up to ``position``.

    ``diverging`` is where it diverges from the records read, with the leader epoch there; None if its leader does not
    know.
    """

    partition: TopicPartition
    position: OffsetAndMetadata
    diverging: OffsetAndMetadata | None

    def __str__(self) -> str:
        read = f"{self.partition}: the log was truncated: the records read up to offset {self.position.offset}"
        if self.diverging is None:
            return f"{read} (leader epoch {self.position.leader_epoch}) are unknown to its leader"
        return f"{read} differ from the log from offset {self.diverging.offset} on"


def note_end(
    state: PartitionState,
    question: EpochQuestion,
    found: EpochEnd,
    assigned: Assigned,
    settings: FetchSettings,
    now: float,
) -> Truncation | None:
    """Apply the answer to a validation; returns the truncation if it moved the position."""
    if found.error != ErrorCode.NONE:
        note_error(state, found.error, assigned.buffers.has(state.partition), settings, now)
        return None
    assert (state.fetch_offset, state.fetch_epoch) == (question.offset, question.epoch), "no fetch in the meantime"
    state.succeeded()
    lost = _compare(state, found, assigned, settings, now)
    if state.phase is Phase.FETCHING:
        state.checked_epoch = question.leader_epoch
    return lost


def note_unknown_end(state: PartitionState, question: EpochQuestion) -> None:
    """Continue as if nothing was lost, since the broker lacks the API."""
    state.phase = Phase.FETCHING
    state.checked_epoch = question.leader_epoch


def note_diverging(
    state: PartitionState, found: EpochEnd, assigned: Assigned, settings: FetchSettings, now: float
) -> Truncation | None:
    """Apply a diverging epoch, returned instead of records; returns the truncation if it moved the position."""
    before = (state.phase, state.fetch_offset, state.fetch_epoch)
    lost = _compare(state, found, assigned, settings, now)
    if state.error is None and before == (state.phase, state.fetch_offset, state.fetch_epoch):
        note_failure(state, settings, now)  # no progress was made, so retry after a pause
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
    """Continue where the logs diverge, or let the application decide."""
    if settings.strict or settings.reset is OffsetReset.NONE or state.bound is not None:
        note_trouble(state, _error_of(lost, state, settings), False, settings, now)
        return None
    if lost.diverging is None:
        state.await_reset(settings.reset)
        return lost
    state.start_at(lost.diverging.offset, lost.diverging.leader_epoch)
    if state.consumed is not None and state.consumed.offset > lost.diverging.offset:
        state.consumed = state.position  # nothing after it has been processed
    return lost


def _error_of(lost: Truncation, state: PartitionState, settings: FetchSettings) -> LogTruncationError:
    why = "auto.offset.reset is none" if settings.reset is OffsetReset.NONE else "offset.reset.strict is set"
    if state.bound is not None:
        why = f"the range up to offset {state.bound.end} must be read unchanged"
    return LogTruncationError(
        f"{lost}, and {why}. Seek to continue.",
        code=ErrorCode.OFFSET_OUT_OF_RANGE,
        partition=lost.partition,
        position=lost.position,
        diverging=lost.diverging,
    )

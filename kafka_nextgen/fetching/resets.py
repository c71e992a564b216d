"""Choosing a position at a partition's leader: its beginning, its end, or by the age of records (KIP-1106).

By age it takes two questions, and the first is where the log ends: if no record turns out to be young enough, reading
begins there, and what is written between the two questions is not skipped.

It takes two questions, too, where a new partition begins at its end and what that skips is to be told: first where the
log begins.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching.answers import note_error, note_failure
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.properties.offset_reset import ByDuration, OffsetReset
from kafka_nextgen.requests.list_offsets import EARLIEST, LATEST, ListedOffset
from kafka_nextgen.types import TopicPartition

__all__ = ["SkippedOffsets", "note_listed", "question_of"]


@frozen
class SkippedOffsets:
    """What a new partition has before its end, where reading begins by ``auto.offset.reset=latest``.

    Of ``count`` offsets some may have no record: those of markers of transactions, and those that compaction emptied.
    """

    partition: TopicPartition
    count: int
    end: int

    def __str__(self) -> str:
        return (
            f"{self.partition} is new: the group has committed offsets of other partitions of its topic, but none here."
            f" By auto.offset.reset=latest reading begins at its end, offset {self.end}, and skips the {self.count}"
            " records before it. Set auto.offset.reset.new.partitions to earliest to read those of new partitions, or"
            " to latest to skip them without this warning"
        )


def question_of(state: PartitionState) -> int | ByDuration:
    """What to ask ListOffsets for next: a timestamp, or a duration before the time it is asked."""
    assert state.reset is not OffsetReset.NONE, "there is a place to go to"
    if state.counts_skipped and state.beginning is None:
        return EARLIEST
    if isinstance(state.reset, ByDuration) and state.end is not None:
        return state.reset
    return EARLIEST if state.reset is OffsetReset.EARLIEST else LATEST


def note_listed(
    state: PartitionState, found: ListedOffset | None, leader_epoch: int, settings: FetchSettings, now: float
) -> SkippedOffsets | None:
    """Take in the answer to that, of a leader at this epoch: go on there, or ask on.

    Returns what that skips, if it is to be told.
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
        if state.reset is OffsetReset.EARLIEST:  # any other place moves on while records are written
            state.found = state.position
        return _skipped(state, place)
    return None


def _skipped(state: PartitionState, end: ListedOffset) -> SkippedOffsets | None:
    count = 0 if state.beginning is None else end.offset - state.beginning.offset
    return SkippedOffsets(state.partition, count, end.offset) if count > 0 else None

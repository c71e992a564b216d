"""Choosing a position at a partition's leader: its beginning, its end, or by the age of records (KIP-1106).

By age it takes two questions, and the first is where the log ends: if no record turns out to be young enough, reading
begins there, and what is written between the two questions is not skipped.
"""

from __future__ import annotations

from kafka_nextgen.bridge.list_offsets import EARLIEST, LATEST, ListedOffset
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching.answers import note_error, note_failure
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.offset_reset import ByDuration, OffsetReset

__all__ = ["note_listed", "question_of"]


def question_of(state: PartitionState) -> int | ByDuration:
    """What to ask ListOffsets for next: a timestamp, or a duration before the time it is asked."""
    assert state.reset is not OffsetReset.NONE, "there is a place to go to"
    if isinstance(state.reset, ByDuration) and state.end is not None:
        return state.reset
    return EARLIEST if state.reset is OffsetReset.EARLIEST else LATEST


def note_listed(
    state: PartitionState, found: ListedOffset | None, leader_epoch: int, settings: FetchSettings, now: float
) -> None:
    """Take in the answer to that, of a leader at this epoch: go on there, or ask on."""
    if found is not None and found.error != ErrorCode.NONE:
        note_error(state, found.error, False, settings, now)
        return
    place = state.end if found is None or found.offset < 0 else found
    if place is None:
        note_failure(state, settings, now)
    elif isinstance(state.reset, ByDuration) and state.end is None:
        state.end = place
    else:
        state.start_at(place.offset, place.leader_epoch, checked_epoch=leader_epoch)
        if state.reset is OffsetReset.EARLIEST:  # any other place moves on while records are written
            state.found = state.position

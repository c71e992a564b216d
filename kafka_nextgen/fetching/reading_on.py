"""The short way from an answer to the next fetch of the same node; ``routine`` says when it is taken."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.bridge.fetch import FetchPosition
from kafka_nextgen.fetching.answers import note_columns, note_ends
from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.fetching.findings import Findings
from kafka_nextgen.fetching.outcomes import Fetch
from kafka_nextgen.fetching.routine import Routine, find_routine, records_bytes
from kafka_nextgen.fetching.sessions import SessionAnswer, SessionRequest

__all__ = ["ReadingOn"]


class ReadingOn(Findings):
    """What ``received``, ``fetched`` and ``plan`` would come to together, where that is known without them."""

    def read_on(
        self, fetch: Fetch, answer: SessionAnswer, results: Sequence[DecodedPartition], image: ClusterImage, now: float
    ) -> Fetch | None:
        """Take in an answer whose records are decoded already; returns the fetch to go on with, taken to be on its way.

        None if it has to go the long way; then nothing has changed.
        """
        routine = self._find_routine(image)
        if routine is None or len(results) != len(answer.partitions) or not routine.covers(fetch, self._assigned):
            return None
        session = self._underway.session_with(fetch.node_id)
        brought_bytes = records_bytes(results)
        if brought_bytes is None or not session.goes_on(fetch.session, answer):
            return None
        free_bytes = self._room.buffer_bytes - self._underway.total_bytes + fetch.set_aside_bytes
        here_bytes = self._buffers.total_bytes + brought_bytes
        if here_bytes >= routine.share_bytes or not self._room.is_enough(free_bytes - here_bytes, routine.num_nodes):
            return None
        moved = self._take_in(results)
        routine.answered_at[fetch.node_id] = now
        most_bytes = routine.most_bytes_after(fetch.node_id, self._room, free_bytes - self._buffers.total_bytes)
        following = _moved(fetch, moved, most_bytes, self._room.taken_by(most_bytes), session.ask_on(moved), now)
        self._underway.replace(fetch, following)
        return following

    def _find_routine(self, image: ClusterImage) -> Routine | None:
        routine = self._routine
        if routine is None and self._searched is image and self._underway.is_plain:
            routine = self._routine = find_routine(self._assigned.states, image, self._settings)
        return routine if routine is not None and routine.image is image else None

    def _take_in(self, results: Sequence[DecodedPartition]) -> tuple[FetchPosition, ...]:
        """Note the records, and where to go on behind them; of those left out ``Routine`` notes that there are none."""
        moved: list[FetchPosition] = []
        for result in results:
            assert result.columns is not None, "there are records"
            self._room.note(result.fetched_bytes, result.columns.nbytes)
            state = self._assigned.ask_last(result.partition)
            note_ends(state, result, self._settings)
            note_columns(state, self._buffers, result.columns)
            moved.append(state.next_position())
        return tuple(moved)


def _moved(
    fetch: Fetch,
    moved: Sequence[FetchPosition],
    max_bytes: int,
    set_aside_bytes: int,
    session: SessionRequest,
    now: float,
) -> Fetch:
    """The same again, further on."""
    wanted = dict(fetch.wanted)
    for position in moved:
        wanted[position.partition] = position
    return Fetch(
        fetch.node_id,
        wanted,
        max_bytes,
        fetch.max_wait_ms,
        fetch.fences,
        session,
        fetch.tells_rack,
        set_aside_bytes,
        now,
        False,
        fetch.names,
    )

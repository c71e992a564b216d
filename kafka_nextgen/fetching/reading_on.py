"""The short way from an answer to the next fetch of the same node; ``routine`` says when it is taken."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.fetching.answers import Source, note_fetched
from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.fetching.inquiry import Inquiry
from kafka_nextgen.fetching.outcomes import Fetch
from kafka_nextgen.fetching.routine import Routine, brings_records_only, find_routine
from kafka_nextgen.fetching.sessions import SessionAnswer

__all__ = ["ReadingOn"]


class ReadingOn(Inquiry):
    """What ``received``, ``fetched`` and ``plan`` would come to together, where that is known without them."""

    def read_on(
        self, fetch: Fetch, answer: SessionAnswer, results: Sequence[DecodedPartition], image: ClusterImage, now: float
    ) -> Fetch | None:
        """Take in an answer whose records are decoded already; returns the fetch to go on with, taken to be on its way.

        None if it has to go the long way; then nothing has changed.
        """
        routine = self._find_routine(image)
        if routine is None or not self._fits(routine, fetch, answer, results):
            return None
        if not self._has_room(routine, fetch, results):
            return None
        return self._go_on(routine, fetch, answer, results, now)

    def _find_routine(self, image: ClusterImage) -> Routine | None:
        if self._routine is None and self._searched is image and self._underway.is_plain:
            self._routine = find_routine(self._assigned.states, image, self._settings)
        return self._routine if self._routine is not None and self._routine.image is image else None

    def _fits(
        self, routine: Routine, fetch: Fetch, answer: SessionAnswer, results: Sequence[DecodedPartition]
    ) -> bool:
        """Whether the answer is to a fetch of all there is to read, and brings of each partition it has just records."""
        is_for_all = fetch.max_wait_ms == self._settings.max_wait_ms and routine.covers(fetch, self._assigned)
        is_whole = len(results) == len(answer.partitions) and brings_records_only(results)
        return is_for_all and is_whole and self._underway.goes_on(fetch, answer)

    def _has_room(self, routine: Routine, fetch: Fetch, results: Sequence[DecodedPartition]) -> bool:
        """Whether all of it may be asked for again once this is here."""
        here_bytes = self._buffers.total_bytes + sum([result.columns.nbytes for result in results if result.columns])
        return here_bytes < routine.share_bytes and self._most_bytes(routine, fetch, here_bytes) > 0

    def _most_bytes(self, routine: Routine, fetch: Fetch, here_bytes: int) -> int:
        """How much the next answer may bring; ``fetch`` itself is not under way any more."""
        free_bytes = self._room.buffer_bytes - here_bytes - self._underway.total_bytes + fetch.set_aside_bytes
        return min(self._room.for_fetch(free_bytes, routine.num_nodes), routine.most_bytes[fetch.node_id])

    def _go_on(
        self, routine: Routine, fetch: Fetch, answer: SessionAnswer, results: Sequence[DecodedPartition], now: float
    ) -> Fetch:
        source, wanted = Source(fetch.node_id, fetch.wanted), dict(fetch.wanted)
        for result in results:
            self._note_growth(result)
            state = self._assigned.require(result.partition)
            note_fetched(state, self._buffers, result, source, self._settings, now)
            self._assigned.ask_last(state)
            wanted[result.partition] = state.next_position()
        routine.answered_at[fetch.node_id] = now
        most_bytes = max(1, self._most_bytes(routine, fetch, self._buffers.total_bytes))
        following = fetch._replace(
            wanted=wanted, max_bytes=most_bytes, set_aside_bytes=self._room.taken_by(most_bytes), asked_at=now
        )
        return self._underway.ask_on(fetch, answer, following)

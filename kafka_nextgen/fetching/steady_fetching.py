"""Following a node's answers in a steady state (``steady_state``)."""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.bridge.fetch import FetchPosition
from kafka_nextgen.compiled import accelerator
from kafka_nextgen.fetching.answers import note_columns, note_ends
from kafka_nextgen.fetching.assigned import Assigned
from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.fetching.findings import Findings
from kafka_nextgen.fetching.outcomes import Fetch
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.steady_state import MOST_COLUMNS_BYTES, SteadyFetches, SteadyState, find_steady_state

__all__ = ["SteadyFetching"]


class SteadyFetching(Findings):
    """What ``received``, ``fetched`` and ``plan`` would come to together, where that is known without them."""

    def __init__(self, settings: FetchSettings, assigned: Assigned | None = None) -> None:
        super().__init__(settings, assigned)
        self._steady: list[SteadyFetches] = []

    def begin_steady(
        self, fetch: Fetch, image: ClusterImage, make: Callable[[], accelerator.SteadyFetch[DecodedPartition]]
    ) -> SteadyFetches | None:
        """Follow the answers to ``fetch``, which is on its way, by what ``make`` makes; None if it is not steady."""
        state = self._find_steady_state(image)
        if state is None or not state.covers(fetch, self._assigned):
            return None
        free_bytes = self._room.buffer_bytes - self._underway.total_bytes + fetch.set_aside_bytes
        most_bytes = min(state.share_bytes, free_bytes - self._room.least_for(state.num_nodes)) - MOST_COLUMNS_BYTES
        if self._buffers.total_bytes > most_bytes:
            return None
        steady = SteadyFetches(state, fetch, make(), most_bytes, fetch.asked_at)
        self._steady.append(steady)
        return steady

    def _find_steady_state(self, image: ClusterImage) -> SteadyState | None:
        state = self._steady_state
        if state is None and self._searched is image and self._underway.is_plain:
            state = self._steady_state = find_steady_state(self._assigned.states, image, self._settings)
        return state if state is not None and state.image is image else None

    def take_steady(
        self, steady: SteadyFetches, frame: memoryview, correlation_id: int, now: float
    ) -> tuple[bytes, list[DecodedPartition]] | None:
        """Take in an answer; returns the next request, which is taken to be on its way, and what came.

        None if the answer has to go the long way; then nothing has changed.
        """
        if self._steady_state is not steady.state or self._buffers.total_bytes > steady.most_buffered_bytes:
            return None
        taken = steady.step.answer(frame, correlation_id)
        if taken is None:
            return None
        for result in taken[1]:
            assert result.columns is not None, "there are records"
            state = self._assigned.ask_last(result.partition)
            note_ends(state, result, self._settings)
            note_columns(state, self._buffers, result.columns)
        steady.asked_at = steady.state.answered_at[steady.fetch.node_id] = now
        return taken

    def end_steady(self, steady: SteadyFetches) -> Fetch:
        """Follow the answers no longer; returns the fetch that is on its way now."""
        self._settle(steady)
        self._steady.remove(steady)
        return steady.fetch

    def settle_steady(self) -> None:
        """Note what is on its way now, for the long way."""
        for steady in self._steady:
            self._settle(steady)

    def _settle(self, steady: SteadyFetches) -> None:
        answers = steady.step.answers - steady.settled_answers
        if not answers:
            return
        steady.settled_answers += answers
        wanted, moved = dict(steady.fetch.wanted), list[FetchPosition]()
        for tp, (offset, epoch) in steady.step.places().items():
            if offset != wanted[tp].offset:
                wanted[tp] = wanted[tp]._replace(offset=offset, last_epoch=epoch)
                moved.append(wanted[tp])
        session = self._underway.session_with(steady.fetch.node_id).went_on(moved, answers)
        following = steady.fetch._replace(wanted=wanted, session=session, asked_at=steady.asked_at)
        self._underway.replace(steady.fetch, following)
        steady.fetch = following

"""The fast path of fetching: from a plain answer straight to the next fetch of the same node.

Where records come one by one, a node answers a thousand times a second, and each answer is about few partitions. The
slow path (``received``, ``fetched``, ``plan``) looks at all partitions. In a steady state (``context``) the plan is
known without that. Both paths have the same result.

An answer takes the slow path if something has changed, if the buffers are nearly full, or if the answer is not plain.
The compiled step decides that: it checks an answer, makes its columns and writes the next request.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from attrs import define

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.fetching.answers import note_columns, note_ends
from kafka_nextgen.fetching.context import FetchContext, SteadyState, find_steady_state
from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.fetching.needs import Fetch
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.requests.fetch import FetchPosition

__all__ = ["FastPath", "NodeFetches"]

#: More than the columns of a plain answer take, which has at most 16 KiB: a record without key and value takes seven
#: bytes there, and thirty as columns.
MOST_COLUMNS_BYTES = 128 * 1024

#: Makes columns of plain answers, and the next request.
Step: TypeAlias = "accelerator.SteadyFetch[DecodedPartition]"


@define(eq=False)
class NodeFetches:
    """The fetches of one node, one after the other, in a steady state.

    ``fetch`` is what was on its way when this was last settled; ``most_buffered_bytes`` is how much may be buffered
    when an answer is applied.
    """

    state: SteadyState
    fetch: Fetch
    step: Step
    most_buffered_bytes: int
    asked_at: float
    settled_answers: int = 0


class FastPath:
    """The part of ``FetchState`` that follows a node's answers in a steady state."""

    def __init__(self, context: FetchContext) -> None:
        self._context = context
        self._assigned = context.assigned
        self._buffers = context.buffers
        self._fetches: list[NodeFetches] = []

    def begin(self, fetch: Fetch, image: ClusterImage, make: Callable[[], Step]) -> NodeFetches | None:
        """Follow the answers to ``fetch``, which is on its way, by what ``make`` makes; None if it is not steady."""
        state = self._find_state(image)
        if state is None or not state.covers(fetch, self._assigned):
            return None
        steady = NodeFetches(state, fetch, make(), self._most_buffered_bytes(state, fetch), fetch.asked_at)
        if self._buffers.total_bytes > steady.most_buffered_bytes:
            return None
        self._fetches.append(steady)
        return steady

    def _find_state(self, image: ClusterImage) -> SteadyState | None:
        context = self._context
        if context.steady_state is None and context.searched is image and context.underway.is_plain:
            context.steady_state = find_steady_state(self._assigned.states, image, context.settings)
        state = context.steady_state
        return state if state is not None and state.image is image else None

    def _most_buffered_bytes(self, state: SteadyState, fetch: Fetch) -> int:
        budget = self._context.budget
        free_bytes = budget.buffer_bytes - self._context.underway.total_bytes + fetch.set_aside_bytes
        return min(state.share_bytes, free_bytes - budget.least_for(state.num_nodes)) - MOST_COLUMNS_BYTES

    def take(
        self, steady: NodeFetches, image: ClusterImage, frame: memoryview, correlation_id: int, now: float
    ) -> tuple[bytes, list[DecodedPartition]] | None:
        """Apply an answer; returns the next request, which then counts as on its way, and the decoded partitions.

        None if the answer has to take the slow path; then nothing has changed.
        """
        if not self._is_steady(steady, image) or self._buffers.total_bytes > steady.most_buffered_bytes:
            return None
        taken = steady.step.answer(frame, correlation_id)
        if taken is None:
            return None
        for result in taken[1]:
            assert result.columns is not None, "a plain answer has records"
            state = self._assigned.ask_last(result.partition)
            note_ends(state, result, self._context.settings)
            note_columns(state, self._buffers, result.columns)
        steady.asked_at = steady.state.answered_at[steady.fetch.node_id] = now
        return taken

    def _is_steady(self, steady: NodeFetches, image: ClusterImage) -> bool:
        """Whether the state is steady, or is so again.

        An answer on the slow path ends the steady state for all nodes. Without a second look, two nodes whose
        answers alternate would end it for each other for ever.
        """
        if steady.state is self._context.steady_state and steady.state.image is image:
            return True
        _settle(steady, self._context)
        state = self._find_state(image)
        if state is None or not state.covers(steady.fetch, self._assigned):
            return False
        steady.state, steady.most_buffered_bytes = state, self._most_buffered_bytes(state, steady.fetch)
        return True

    def end(self, steady: NodeFetches) -> Fetch:
        """Follow the answers no longer; returns the fetch that is on its way now."""
        _settle(steady, self._context)
        self._fetches.remove(steady)
        return steady.fetch

    def settle(self) -> None:
        """Note what is on its way now, before anything takes the slow path."""
        for steady in self._fetches:
            _settle(steady, self._context)


def _settle(steady: NodeFetches, context: FetchContext) -> None:
    answers = steady.step.answers - steady.settled_answers
    if not answers:
        return
    wanted = dict(steady.fetch.wanted)
    moved: list[FetchPosition] = []
    for tp, (offset, epoch) in steady.step.places().items():
        if offset != wanted[tp].offset:
            wanted[tp] = wanted[tp]._replace(offset=offset, last_epoch=epoch)
            moved.append(wanted[tp])
    session = context.underway.sessions[steady.fetch.node_id].went_on(moved, answers)
    following = steady.fetch._replace(wanted=wanted, session=session, asked_at=steady.asked_at)
    context.underway.replace(steady.fetch, following)
    steady.fetch = following
    steady.settled_answers += answers

"""The fast path of fetching: goes from a plain answer directly to the next fetch from the same node.

If records arrive one by one, a node answers a thousand times a second, and each answer contains few partitions. The
slow path (``received``, ``fetched``, ``plan``) decodes and plans in Python. In a steady state, the next plan is known
without it. Both paths have the same result.

In a *steady* state the next fetch of a node is known as soon as the node answers: the same partitions again, each after
the records in the answer. The state is steady as long as

- each partition of the node rests (``resting``): it is fetched from its leader, in the session of its node, and has
  neither an end nor a failure since its last answer; or it may not be handed over at all (it is paused or being
  revoked);
- those of other nodes rest, too, but their log ends may be unknown;
- nothing is being decoded or fetched out of session;
- nothing else has changed the next requests.

An answer takes the slow path if something has changed, if the buffers are nearly full, or if the answer is not plain.
The compiled step checks whether the answer is plain, decodes it into columns, and writes the next request.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.fetching.context import FetchContext, SteadyState
from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.fetching.needs import Fetch
from kafka_nextgen.fetching.results import note_ends, note_records
from kafka_nextgen.fetching.socket_answers import SteadySocket
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.requests.cluster_image import ClusterImage

__all__ = ["FastPath", "NodeFetches"]

#: An upper bound for the columns of a plain answer, in bytes per byte of the answer: a record without key and value has
#: seven bytes there and thirty in columns.
COLUMNS_PER_BYTE = 8

#: How much room (bytes) for columns is required to begin: enough for a small answer.
LEAST_COLUMNS_BYTES = 8 * 1024

#: Makes the step that decodes plain answers and writes the next request.
Step: TypeAlias = "accelerator.SteadyFetch[DecodedPartition]"


@define(eq=False)
class NodeFetches:
    """The consecutive fetches from one node in a steady state.

    ``fetch`` was in flight when this object was last settled. An answer is applied here only if at most
    ``most_buffered_bytes`` are buffered afterwards.
    """

    state: SteadyState
    fetch: Fetch
    step: Step
    most_buffered_bytes: int
    asked_at: float
    settled_answers: int = 0
    socket: SteadySocket | None = None


class FastPath:
    """The part of ``FetchState`` that follows a node's answers in a steady state."""

    def __init__(self, context: FetchContext) -> None:
        self._context = context
        self._assigned = context.assigned
        self._buffers = context.buffers
        #: The fetches whose answers are followed.
        self.followed: list[NodeFetches] = []

    def begin(self, fetch: Fetch, image: ClusterImage, make: Callable[[], Step]) -> NodeFetches | None:
        """Follow the answers to ``fetch``, which is in flight, with the step from ``make``; None if not steady."""
        self.settle()
        state = self._find_state(image)
        if state is None or not state.covers(fetch, self._context.underway):
            return None
        most_buffered_bytes = self._most_buffered_bytes(state, fetch)
        if self._buffers.total_bytes + LEAST_COLUMNS_BYTES > most_buffered_bytes:
            return None
        steady = NodeFetches(state, fetch, make(), most_buffered_bytes, fetch.asked_at)
        self.followed.append(steady)
        return steady

    def _find_state(self, image: ClusterImage) -> SteadyState | None:
        context = self._context
        if context.steady_state is None and context.searched is image and self._is_undisturbed(image):
            context.steady_state = SteadyState(image, context.settings, context.num_nodes, context.share_bytes)
        state = context.steady_state
        return state if state is not None and state.image is image else None

    def _is_undisturbed(self, image: ClusterImage) -> bool:
        """Whether every partition is fetched as a new plan would, or may not be handed over; at least one is fetched.

        Some ends may be unknown: only answers to the fetches of these partitions take the slow path then.
        """
        context, assigned = self._context, self._assigned
        if assigned.all_pending or assigned.pending or not context.underway.is_plain:
            return False
        resting = [context.find_resting(node) for node in context.underway.nodes.values()]
        fetched = [each for each in resting if each is not None]
        return bool(fetched) and all(each.is_undisturbed(assigned.by_partition, image) for each in fetched)

    def _most_buffered_bytes(self, state: SteadyState, fetch: Fetch) -> int:
        budget = self._context.budget
        free_bytes = budget.buffer_bytes - self._context.underway.reserved_bytes + fetch.set_aside_bytes
        return min(state.share_bytes, free_bytes - budget.least_for(state.num_nodes))

    def take(
        self, steady: NodeFetches, image: ClusterImage, frame: memoryview, correlation_id: int, now: float
    ) -> tuple[bytes, list[DecodedPartition]] | None:
        """Apply an answer; returns the next request, which then counts as in flight, and the decoded partitions.

        Returns None, without changing anything, if the answer has to take the slow path.
        """
        if not self._is_steady(steady, image):
            return None
        if self._buffers.total_bytes + COLUMNS_PER_BYTE * len(frame) > steady.most_buffered_bytes:
            return None
        taken = steady.step.answer(frame, correlation_id)
        if taken is None:
            return None
        for result in taken[1]:
            assert result.columns is not None, "a plain answer contains records"
            self._context.went_on[result.partition] = None
            state = self._assigned.ask_last(result.partition)
            note_ends(state, result, self._context.settings)
            note_records(state, self._buffers, result.columns)
        _note_answer(steady, self._context, now)
        return taken

    def _is_steady(self, steady: NodeFetches, image: ClusterImage) -> bool:
        """Whether the state is steady, or has become steady again.

        An answer on the slow path ends the steady state for all nodes. Without this check, two nodes with alternating
        answers would keep ending it for each other.
        """
        if steady.state is self._context.steady_state and steady.state.image is image:
            return True
        self.settle()
        state = self._find_state(image)
        if state is None or not state.covers(steady.fetch, self._context.underway):
            return False
        steady.state, steady.most_buffered_bytes = state, self._most_buffered_bytes(state, steady.fetch)
        return True

    def lend(self, steady: NodeFetches, make: Callable[[Step], SteadySocket]) -> SteadySocket | None:
        """Let the application's thread receive the answers on the socket from ``make``; None if no longer steady."""
        if steady.state is not self._context.steady_state:
            return None
        steady.socket = make(steady.step)
        self._context.sockets.append(steady.socket)
        return steady.socket

    def take_back(self, steady: NodeFetches) -> None:
        """Apply what the application's thread has received; the I/O thread receives the next answers again."""
        socket = steady.socket
        assert socket is not None
        socket.stop()
        try:
            self._context.apply_taken()
        finally:
            self._context.sockets.remove(socket)
            _note_answer(steady, self._context, socket.asked_at)
            steady.socket = None

    def end(self, steady: NodeFetches) -> Fetch:
        """Stop following the answers; returns the fetch now in flight."""
        _settle(steady, self._context)
        self.followed.remove(steady)
        return steady.fetch

    def settle(self) -> None:
        """Update the fetches in flight, before anything takes the slow path."""
        self._context.apply_taken()
        for steady in self.followed:
            _settle(steady, self._context)


def _note_answer(steady: NodeFetches, context: FetchContext, now: float) -> None:
    steady.asked_at = now
    resting = context.underway.nodes[steady.fetch.node_id].resting
    if resting is not None:
        resting.note_answer(now)


def _settle(steady: NodeFetches, context: FetchContext) -> None:
    if steady.socket is not None:
        _note_answer(steady, context, steady.socket.asked_at)
    # The application's thread may receive an answer at any moment. If that answer is counted here, but its results are
    # applied later, the next call settles its partitions.
    answers = steady.step.answers - steady.settled_answers
    went_on = [tp for tp in tuple(context.went_on) if tp in steady.fetch.wanted]
    if not answers and not went_on:
        return
    for tp in went_on:
        del context.went_on[tp]  # before the positions are read
    wanted, places = dict(steady.fetch.wanted), steady.step.places()
    moved = {tp: wanted[tp]._replace(offset=places[tp][0], last_epoch=places[tp][1]) for tp in went_on}
    wanted.update(moved)
    session = context.underway.nodes[steady.fetch.node_id].session.went_on(moved.values(), answers)
    following = steady.fetch._replace(wanted=wanted, session=session, asked_at=steady.asked_at)
    context.underway.replace(steady.fetch, following)
    steady.fetch = following
    steady.settled_answers += answers

"""The fast path of fetching: goes from a plain answer directly to the next fetch from the same node.

If records arrive one by one, a node answers a thousand times a second, and each answer contains few partitions. The
slow path (``received``, ``fetched``, ``plan``) visits all partitions. In a steady state, the next plan is known without
visiting them. Both paths have the same result.

In a *steady* state the next fetch of a node is known as soon as the node answers: the same partitions again, each after
the records in the answer. The state is steady as long as

- each partition is fetched from its leader, in the session of its node, or may not be handed over at all (it is paused
  or being revoked);
- no partition is read up to an end, or has failed since its last answer;
- the log end of each partition of this node is known;
- nothing is being decoded or fetched out of session;
- nothing else has changed the next requests.

An answer takes the slow path if something has changed, if the buffers are nearly full, or if the answer is not plain.
The compiled step checks whether the answer is plain, decodes it into columns, and writes the next request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.fetching.context import FetchContext, SteadyState
from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.fetching.needs import Fetch
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.replicas import LEADER
from kafka_nextgen.fetching.results import note_ends, note_records
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.socket_answers import SteadySocket
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.requests.fetch import FetchPosition

__all__ = ["FastPath", "NodeFetches"]

#: An upper bound for the columns of a plain answer, which has at most 16 KiB: a record without key and value has seven
#: bytes in the answer and thirty in columns.
MOST_COLUMNS_BYTES = 128 * 1024

#: Makes the step that decodes plain answers and writes the next request.
Step: TypeAlias = "accelerator.SteadyFetch[DecodedPartition]"


@define(eq=False)
class NodeFetches:
    """The consecutive fetches from one node in a steady state.

    ``fetch`` was in flight when this object was last settled. An answer is applied here only if at most
    ``most_buffered_bytes`` are buffered.
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
        state = self._find_state(image)
        if state is None or not state.covers(fetch, self._assigned):
            return None
        steady = NodeFetches(state, fetch, make(), self._most_buffered_bytes(state, fetch), fetch.asked_at)
        if self._buffers.total_bytes > steady.most_buffered_bytes:
            return None
        self.followed.append(steady)
        return steady

    def _find_state(self, image: ClusterImage) -> SteadyState | None:
        context = self._context
        if context.steady_state is None and context.searched is image and context.underway.is_plain:
            context.steady_state = _find_steady_state(self._assigned.states, image, context.settings)
        state = context.steady_state
        return state if state is not None and state.image is image else None

    def _most_buffered_bytes(self, state: SteadyState, fetch: Fetch) -> int:
        budget = self._context.budget
        free_bytes = budget.buffer_bytes - self._context.underway.reserved_bytes + fetch.set_aside_bytes
        return min(state.share_bytes, free_bytes - budget.least_for(state.num_nodes)) - MOST_COLUMNS_BYTES

    def take(
        self, steady: NodeFetches, image: ClusterImage, frame: memoryview, correlation_id: int, now: float
    ) -> tuple[bytes, list[DecodedPartition]] | None:
        """Apply an answer; returns the next request, which then counts as in flight, and the decoded partitions.

        Returns None, without changing anything, if the answer has to take the slow path.
        """
        if not self._is_steady(steady, image) or self._buffers.total_bytes > steady.most_buffered_bytes:
            return None
        taken = steady.step.answer(frame, correlation_id)
        if taken is None:
            return None
        for result in taken[1]:
            assert result.columns is not None, "a plain answer contains records"
            state = self._assigned.ask_last(result.partition)
            note_ends(state, result, self._context.settings)
            note_records(state, self._buffers, result.columns)
        steady.asked_at = steady.state.answered_at[steady.fetch.node_id] = now
        return taken

    def _is_steady(self, steady: NodeFetches, image: ClusterImage) -> bool:
        """Whether the state is steady, or has become steady again.

        An answer on the slow path ends the steady state for all nodes. Without this check, two nodes with alternating
        answers would keep ending it for each other.
        """
        if steady.state is self._context.steady_state and steady.state.image is image:
            return True
        _settle(steady, self._context)
        state = self._find_state(image)
        if state is None or not state.covers(steady.fetch, self._assigned):
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
            steady.asked_at = steady.state.answered_at[steady.fetch.node_id] = socket.asked_at
            steady.socket = None

    def end(self, steady: NodeFetches) -> Fetch:
        """Stop following the answers; returns the fetch now in flight."""
        _settle(steady, self._context)
        self.followed.remove(steady)
        return steady.fetch

    def settle(self) -> None:
        """Update the fetches in flight, before anything takes the slow path."""
        for steady in self.followed:
            _settle(steady, self._context)


def _settle(steady: NodeFetches, context: FetchContext) -> None:
    if steady.socket is not None:
        steady.asked_at = steady.state.answered_at[steady.fetch.node_id] = steady.socket.asked_at
    answers = steady.step.answers - steady.settled_answers
    if not answers:
        return
    wanted = dict(steady.fetch.wanted)
    moved: list[FetchPosition] = []
    for tp, (offset, epoch) in steady.step.places().items():
        if offset != wanted[tp].offset:
            wanted[tp] = wanted[tp]._replace(offset=offset, last_epoch=epoch)
            moved.append(wanted[tp])
    session = context.underway.nodes[steady.fetch.node_id].session.went_on(moved, answers)
    following = steady.fetch._replace(wanted=wanted, session=session, asked_at=steady.asked_at)
    context.underway.replace(steady.fetch, following)
    steady.fetch = following
    steady.settled_answers += answers


def _find_steady_state(
    states: Iterable[PartitionState], image: ClusterImage, settings: FetchSettings
) -> SteadyState | None:
    """A new steady state, or None if the state of some partition rules it out."""
    if not all(_is_steady(state, image) for state in states):
        return None
    read = [state for state in states if state.asked]
    if not read:
        return None
    num_nodes = len({state.leader for state in read})
    return SteadyState(image, settings, num_nodes, settings.buffer_bytes // len(read))


def _is_steady(state: PartitionState, image: ClusterImage) -> bool:
    is_sound = not (state.failures or state.stale or state.gone or state.drain_first or state.error or state.bound)
    is_in_place = state.image is image and state.leader is not None and state.replica is LEADER
    is_known = state.phase is Phase.FETCHING and state.ahead is None
    is_asked = state.asked and not state.is_new_there
    return is_sound and is_in_place and is_known and (is_asked if state.may_hand_over else not state.asked)

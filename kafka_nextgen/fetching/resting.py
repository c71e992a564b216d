"""The partitions that a node's next fetch requests again, unchanged, without being visited.

Thousands of partitions may be assigned while each answer contains few. Therefore an answer, and the plan that follows
it, visit the partitions that the answer contains, and leave the others as they are:

- A partition *rests* while its node's fetch, in flight in the node's session, requests it, and nothing else has to be
  known about it: it is read from its leader, has not failed, its end is known, and nothing of it is being decoded.
- If the answer omits a resting partition, the partition still counts as asked. It belongs to the node's next fetch, at
  the same position. Only the time of the answer is noted, once for all of them.
- The fetch's other partitions are *restless*. They are visited after each answer, like those that it contains.
- A partition is *pending* if the next plan must visit it: it is not asked, and something has to be requested, or may
  have to be later. So neither resting nor paused partitions are pending.
- Every change that is not an answer or a plan *wakes* all first (``FetchContext.end_steady_state``): each partition has
  its own state again, and the next plan visits all. So do answers and plans that are not simple, as ``planning`` and
  ``results`` specify.

Resting partitions are found by visiting all partitions of a fetch, once after each change. ``tests/fetching`` compares
each plan with one that visits all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kafka_nextgen.fetching.needs import Fetch
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.replicas import LEADER
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.requests.fetch import FetchPosition
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["Resting", "find_resting", "is_idle"]


@define(eq=False)
class Resting:
    """The resting partitions of a node: those of ``fetch`` that are neither ``restless`` nor have left.

    ``fetch`` is in flight while ``left`` is None. After its answer, ``left`` contains the partitions that the next
    fetch does not request unless a plan decides so. ``answered_at`` is the time of the last answer that omitted the
    resting partitions, on the driver's clock, in seconds. ``max_bytes`` is the sum of the limits of ``fetch``.
    """

    fetch: Fetch
    restless: set[TopicPartition]
    max_bytes: int
    answered_at: float | None = None
    left: set[TopicPartition] | None = None

    @property
    def is_answered(self) -> bool:
        """Whether the next fetch is to be planned."""
        return self.left is not None

    @property
    def is_empty(self) -> bool:
        """Whether no partition rests, after an answer."""
        assert self.left is not None
        return len(self.left) == len(self.fetch.fences)

    def has(self, partition: TopicPartition) -> bool:
        """Whether this partition rests."""
        is_away = partition in self.restless or (self.left is not None and partition in self.left)
        return partition in self.fetch.fences and not is_away

    def answer(self, told: Iterable[TopicPartition]) -> tuple[dict[TopicPartition, int], dict[TopicPartition, int]]:
        """Note that an answer contains the partitions in ``told``.

        Returns the fences of these, and those of the other restless partitions.
        """
        fences = self.fetch.fences
        of_told = {tp: fences[tp] for tp in told if tp in fences}
        self.left = self.restless | of_told.keys()
        return of_told, {tp: fences[tp] for tp in self.restless if tp not in of_told}

    def note_silence(self, states: Iterable[PartitionState]) -> None:
        """Copy the time of the last answer to these partitions, which rest."""
        at = self.answered_at
        if at is not None:
            for state in states:
                state.silent_since = at if state.silent_since is None else max(at, state.silent_since)

    def note_answer(self, now: float) -> None:
        """Note the time of an answer that omits all resting partitions."""
        self.answered_at = now if self.answered_at is None else max(now, self.answered_at)

    def wake(self, states: Iterable[PartitionState]) -> None:
        """Let these resting partitions have their own state; after an answer they must be requested again."""
        woken = tuple(states)
        self.note_silence(woken)
        if self.left is not None:
            for state in woken:
                state.asked = False
                self.left.add(state.partition)

    def resting_of(self, states: Mapping[TopicPartition, PartitionState]) -> list[PartitionState]:
        """The states of all resting partitions."""
        away = self.restless if self.left is None else self.left
        found = [(states.get(tp), fence) for tp, fence in self.fetch.fences.items() if tp not in away]
        return [state for state, fence in found if state is not None and state.fence == fence]

    def is_undisturbed(self, states: Mapping[TopicPartition, PartitionState], image: ClusterImage) -> bool:
        """Whether the fetch is in flight, and a new plan would request its partitions in the same way."""
        restless = [states.get(tp) for tp in self.restless]
        return self.left is None and all(
            state is not None and _is_undisturbed(state, self.fetch, image) for state in restless
        )

    # ---- the next fetch

    def positions_with(self, asked: Mapping[TopicPartition, FetchPosition]) -> dict[TopicPartition, FetchPosition]:
        """The positions of the next fetch: of the resting partitions, then those in ``asked``."""
        assert self.left is not None
        wanted = dict(self.fetch.wanted)
        for tp in self.left:
            del wanted[tp]
        wanted.update(asked)
        return wanted

    def fences_with(self, asked: Collection[PartitionState]) -> Mapping[TopicPartition, int]:
        """The fences of the next fetch; the same object if none has changed."""
        assert self.left is not None
        before = self.fetch.fences
        if len(asked) == len(self.left) and all(before.get(state.partition) == state.fence for state in asked):
            return before
        fences = dict(before)
        for tp in self.left:
            del fences[tp]
        fences.update({state.partition: state.fence for state in asked})
        return fences

    def names_with(self, asked: Iterable[PartitionState]) -> Mapping[TopicId, str]:
        """The names of the topics of the next fetch, at least, by their ids."""
        names = self.fetch.names
        new = {state.topic_id: state.partition.topic for state in asked if state.topic_id is not None}
        return names if new.keys() <= names.keys() else {**names, **new}

    def dropped_without(self, asked: Collection[TopicPartition]) -> list[TopicPartition]:
        """The partitions of the last fetch that the next one does not request."""
        assert self.left is not None
        return [tp for tp in self.left if tp not in asked]

    def max_bytes_with(self, asked: Iterable[FetchPosition]) -> int:
        """The sum of the limits of the next fetch."""
        assert self.left is not None
        before = sum([self.fetch.wanted[tp].max_bytes for tp in self.left])
        return self.max_bytes - before + sum([position.max_bytes for position in asked])

    def go_on(self, fetch: Fetch, asked: Iterable[PartitionState], max_bytes: int, image: ClusterImage) -> None:
        """Note that ``fetch`` is in flight, for the resting partitions and those in ``asked``."""
        self.restless = {state.partition for state in asked if not self._rests(state, fetch, image)}
        self.fetch, self.max_bytes, self.left = fetch, max_bytes, None

    def _rests(self, state: PartitionState, fetch: Fetch, image: ClusterImage) -> bool:
        """Whether the partition rests. It is visited once more if its last answer is older than that of the resting
        ones, because its silence is counted from an earlier time.
        """
        is_late = self.answered_at is not None and (state.silent_since is None or state.silent_since < self.answered_at)
        return not is_late and _rests(state, fetch, image)


def find_resting(fetch: Fetch, states: Mapping[TopicPartition, PartitionState], image: ClusterImage) -> Resting:
    """Find the resting partitions of a fetch in flight, by visiting all of its partitions."""
    found = ((tp, states.get(tp)) for tp in fetch.fences)
    restless = {tp for tp, state in found if state is None or not _rests(state, fetch, image)}
    return Resting(fetch, restless, sum([position.max_bytes for position in fetch.wanted.values()]))


def _rests(state: PartitionState, fetch: Fetch, image: ClusterImage) -> bool:
    return state.end_offset >= 0 and _is_undisturbed(state, fetch, image)


def _is_undisturbed(state: PartitionState, fetch: Fetch, image: ClusterImage) -> bool:
    """Whether a new plan would request the partition as ``fetch`` does; its end may be unknown."""
    tp = state.partition
    return (
        state.asked
        and state.fence == fetch.fences[tp]
        and not state.is_new_there
        and state.may_hand_over
        and _is_in_place(state, image)
        and state.leader == fetch.node_id
        and state.next_position() == fetch.wanted[tp]
    )


def is_idle(state: PartitionState, image: ClusterImage) -> bool:
    """Whether nothing has to be requested about the partition until it changes: it may not be handed over."""
    return not state.asked and not state.may_hand_over and _is_in_place(state, image)


def _is_in_place(state: PartitionState, image: ClusterImage) -> bool:
    is_sound = not (state.failures or state.stale or state.gone or state.drain_first or state.error or state.bound)
    is_at_leader = state.image is image and state.leader is not None and state.replica is LEADER
    return is_sound and is_at_leader and state.phase is Phase.FETCHING and state.ahead is None

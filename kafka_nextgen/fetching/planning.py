"""What fetching asks next, by what is known of the cluster.

Every need carries the fences of its partitions, and its answer goes to ``results`` with them.

A partition is *silent* as long as no fetch of it is answered. Left out are partitions that are paused, being given up,
not yet released, or fetched up to their end, and those with buffered records: it is the application that does not take
these.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.fetching.context import FetchContext
from kafka_nextgen.fetching.needs import Fetch, Need, NeedMetadata
from kafka_nextgen.fetching.out_of_session import out_of_session_at, plan_out_of_session
from kafka_nextgen.fetching.planner import plan_committed, plan_fetches, plan_metadata, plan_resets
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.fetching.topics import find_topic, tell_if_missing
from kafka_nextgen.fetching.validation import check_epoch, plan_validations
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.types import TopicPartition

__all__ = ["Planning"]


class Planning:
    """The part of ``FetchState`` that says what to ask which node."""

    def __init__(self, context: FetchContext) -> None:
        self._context = context
        self._settings = context.settings
        self._assigned = context.assigned
        self._buffers = context.buffers
        self._underway = context.underway
        #: Whether handing over may let something be asked for that the last plan left out.
        self.waits_for_room = False

    def find_topics(self, image: ClusterImage) -> tuple[TopicPartition, ...]:
        """Find topics that are gone or were replaced; returns the partitions that start over because of that."""
        if image is self._context.searched:
            return ()
        self._context.end_steady_state()
        others = [state for state in self._assigned.states if find_topic(state, image)]
        self._context.searched = None if others else image
        for state in self._assigned.states:
            if state.bound is not None:
                tell_if_missing(state, image, self._buffers.has(state.partition))
        for state in others:
            anew = self._assigned.begin_anew(state, image.id_of(state.partition.topic))
            if self._settings.reset is not OffsetReset.NONE:
                anew.await_reset(self._settings.reset)
        return tuple(sorted(state.partition for state in others))

    def plan(self, image: ClusterImage, now: float) -> tuple[Need, ...]:
        """What to do next, by what is known of the cluster; each is taken to be on its way from here on.

        To be asked again after every answer, every change and every hand-over, and at ``deadline``; ``find_topics``
        comes first.
        """
        self._context.end_steady_state()
        states = self._assigned.states
        _note_silence(states, now)
        for state in states:
            if state.image is not image:
                state.find_leader(image)
            if not state.asked:
                state.check_replica(image, now)
                check_epoch(state)
        needs = self._plan_positions(now)
        fetches = plan_fetches(self._context, now)
        if not fetches and self._is_held_up(now):
            self._give_back()
            fetches = plan_fetches(self._context, now)
        needs += map(self._underway.ask, fetches)
        needs += map(self._underway.ask, plan_out_of_session(self._context, now))
        for need in needs:
            self._note_asked(need)
        return (*needs, *self._plan_rest(now))

    def _plan_rest(self, now: float) -> list[NeedMetadata]:
        """What to ask because of the partitions that could not be asked about; mostly there are none."""
        left = [state for state in self._assigned.states if not state.asked]
        self.waits_for_room = any(state.is_left_out for state in left)
        metadata = self._context.metadata
        return metadata.ask(plan_metadata(left)) if metadata.may_ask(now) else []

    def _plan_positions(self, now: float) -> list[Need]:
        """What to ask about partitions that can't be fetched as they are."""
        states = [state for state in self._assigned.states if state.phase is not Phase.FETCHING]
        return (
            [*plan_committed(states, now), *plan_resets(states, now), *plan_validations(states, now)] if states else []
        )

    def _is_held_up(self, now: float) -> bool:
        """Whether something is not fetched because of records that cannot be taken, and nothing else is going on."""
        states = self._assigned.states
        goes_on = self._underway.total_bytes or any(
            state.may_hand_over and self._buffers.has(state.partition) for state in states
        )
        is_full = self._buffers.total_bytes and any(state.is_left_out and state.may_ask(now) for state in states)
        return bool(is_full and not goes_on)

    def _give_back(self) -> None:
        """Drop the records of paused partitions, to be fetched again, so that the others need not wait for them."""
        for state in self._assigned.states:
            if self._buffers.has(state.partition):
                self._assigned.start_over(state)

    def _note_asked(self, need: Need) -> None:
        is_for_all = isinstance(need, Fetch) and not need.is_out_of_session
        for state in self._assigned.known(need.fences):
            state.asked = True
            if is_for_all:
                state.is_new_there = False

    def deadline(self, now: float) -> float | None:
        """When to ask ``plan`` again even if nothing happens."""
        pauses = [state.retry_at for state in self._assigned.states if state.retry_at > now and state.has_question]
        others = (*out_of_session_at(self._context, now), self._context.metadata.retry_at)
        return min([*pauses, *[at for at in others if at > now]], default=None)

    def session_ends(self) -> dict[int, SessionRequest]:
        """What to say to which nodes when nothing more is to be fetched."""
        ends = {node_id: session.end for node_id, session in self._underway.sessions.items()}
        return {node_id: request for node_id, request in ends.items() if request is not None}

    def silence_s(self, now: float) -> dict[TopicPartition, float]:
        """For how many seconds each partition that should bring records has brought no answer to a fetch.

        0 where records wait to be taken.
        """
        self._context.note_silence()
        return {
            state.partition: 0.0 if self._buffers.has(state.partition) else now - state.silent_since
            for state in self._assigned.states
            if state.may_hand_over and state.silent_since is not None
        }


def _note_silence(states: Iterable[PartitionState], now: float) -> None:
    """Begin to count where records may be expected from now on, and end where they may not."""
    for state in states:
        if not state.may_hand_over or state.is_fetched:
            state.silent_since = None
        elif state.silent_since is None:
            state.silent_since = now

"""What fetching asks: questions by what is known of the cluster.

Every question carries the fences of its partitions, and goes back to where it came from with its answer (``findings``).
"""

from __future__ import annotations

from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.fetching.aside import aside_at, plan_aside
from kafka_nextgen.fetching.assigned import Assigned
from kafka_nextgen.fetching.metadata_question import MetadataQuestion
from kafka_nextgen.fetching.outcomes import Fetch, Need, NeedMetadata
from kafka_nextgen.fetching.planner import plan_committed, plan_fetches, plan_metadata, plan_resets
from kafka_nextgen.fetching.positions import Phase
from kafka_nextgen.fetching.room import Room
from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.silence import note_silence, silence_s
from kafka_nextgen.fetching.steady_state import SteadyState
from kafka_nextgen.fetching.topics import find_topic, tell_if_missing
from kafka_nextgen.fetching.underway import Underway
from kafka_nextgen.fetching.validation import check_epoch, plan_validations
from kafka_nextgen.offset_reset import OffsetReset
from kafka_nextgen.types import TopicPartition

__all__ = ["Inquiry"]


class Inquiry:
    """The part of ``FetchState`` that says what to ask which node."""

    def __init__(self, settings: FetchSettings, assigned: Assigned | None = None) -> None:
        self._settings = settings
        self._assigned = assigned or Assigned(settings.partition_max_bytes)
        #: Every partition's state.
        self.by_partition = self._assigned.by_partition
        self._buffers = self._assigned.buffers
        self._underway = Underway()
        self._room = Room(settings.buffer_bytes)
        self._searched: ClusterImage | None = None  # where every topic was looked for, if the assignment is the same
        self._metadata = MetadataQuestion(settings)
        self._steady_state: SteadyState | None = None  # also None until it is looked for
        #: Whether handing over may let something be asked for that the last plan left out.
        self.waits_for_room = False

    def find_topics(self, image: ClusterImage) -> tuple[TopicPartition, ...]:
        """See which topics are gone or others now; returns the partitions that begin anew because of that."""
        if image is self._searched:
            return ()
        self._end_steady_state()
        others = [state for state in self._assigned.states if find_topic(state, image)]
        self._searched = None if others else image
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
        self._end_steady_state()
        states = self._assigned.states
        note_silence(states, now)
        for state in states:
            if state.image is not image:
                state.find_leader(image)
            if not state.asked:
                state.check_replica(image, now)
                check_epoch(state)
        needs = self._plan_positions(now)
        fetches = self._plan_fetches(now)
        if not fetches and self._is_held_up(now):
            self._give_back()
            fetches = self._plan_fetches(now)
        needs += map(self._underway.ask, fetches)
        needs += map(self._underway.ask, plan_aside(states, self._buffers, self._underway, self._room, now))
        for need in needs:
            self._note_asked(need)
        return (*needs, *self._plan_rest(now))

    def _plan_rest(self, now: float) -> list[NeedMetadata]:
        """What to ask because of the partitions that could not be asked about; mostly there are none."""
        left = [state for state in self._assigned.states if not state.asked]
        self.waits_for_room = any(state.is_left_out for state in left)
        return self._metadata.ask(plan_metadata(left)) if self._metadata.may_ask(now) else []

    def _plan_positions(self, now: float) -> list[Need]:
        """What to ask about partitions that can't be fetched as they are."""
        states = [state for state in self._assigned.states if state.phase is not Phase.FETCHING]
        return (
            [*plan_committed(states, now), *plan_resets(states, now), *plan_validations(states, now)] if states else []
        )

    def _plan_fetches(self, now: float) -> list[Fetch]:
        states = self._assigned.states
        return plan_fetches(states, self._buffers, self._underway, self._room, self._settings, now)

    def _is_held_up(self, now: float) -> bool:
        """Whether something is not fetched because of records that nobody can take, and nothing else is going on."""
        states = self._assigned.states
        goes_on = self._underway.total_bytes or any(
            state.may_hand_over and self._buffers.has(state.partition) for state in states
        )
        is_full = self._buffers.total_bytes and any(state.is_left_out and state.may_ask(now) for state in states)
        return bool(is_full and not goes_on)

    def _give_back(self) -> None:
        """Forget the records of paused partitions, to be fetched again, so that the others need not wait for them."""
        for state in self._assigned.states:
            if self._buffers.has(state.partition):
                self._assigned.start_over(state)

    def _end_steady_state(self) -> None:
        """What follows may change what is to be asked next (``steady_state``)."""
        self._note_silence()
        self._steady_state = None

    def _note_silence(self) -> None:
        if self._steady_state is not None:
            self._steady_state.note_silence(self._assigned)

    def silence_s(self, now: float) -> dict[TopicPartition, float]:
        """For how many seconds each partition that should bring records has brought no answer to a fetch."""
        self._note_silence()
        return silence_s(self._assigned.states, self._buffers, now)

    def deadline(self, now: float) -> float | None:
        """When to ask ``plan`` again even if nothing happens."""
        pauses = [state.retry_at for state in self._assigned.states if state.retry_at > now and state.has_question]
        others = (*aside_at(self._assigned.states, self._buffers, self._underway, now), self._metadata.retry_at)
        return min([*pauses, *[at for at in others if at > now]], default=None)

    def session_ends(self) -> dict[int, SessionRequest]:
        """What to say to which nodes when nothing more is to be fetched."""
        return self._underway.session_ends()

    def _note_asked(self, need: Need) -> None:
        is_for_all = isinstance(need, Fetch) and not need.is_aside
        for state in self._assigned.known(need.fences):
            state.asked = True
            if is_for_all:
                state.is_new_there = False

"""What fetching asks, and what the answers do: questions by what is known of the cluster, and whatever comes of them.

Every question carries the fences of its partitions, and goes back to where it came from with its answer. What does not
fit any more (stopped, sought, assigned anew meanwhile) is dropped. A question that fails as a whole is asked again
after a pause.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.bridge.list_offsets import ListedOffset
from kafka_nextgen.bridge.offset_for_leader_epoch import EpochEnd
from kafka_nextgen.fetching.answers import Source, begin_reset, note_failure, note_fetched, note_no_news
from kafka_nextgen.fetching.aside import aside_at, plan_aside
from kafka_nextgen.fetching.assigned import Assigned
from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.fetching.metadata_question import MetadataQuestion
from kafka_nextgen.fetching.outcomes import (
    Arrival,
    Fetch,
    Need,
    NeedCommittedOffset,
    NeedEpochEnds,
    NeedMetadata,
    NeedOffsetReset,
)
from kafka_nextgen.fetching.planner import plan_committed, plan_fetches, plan_metadata, plan_resets
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.resets import note_listed
from kafka_nextgen.fetching.room import Room
from kafka_nextgen.fetching.routine import Routine
from kafka_nextgen.fetching.sessions import SessionAnswer, SessionRequest
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.silence import note_silence, silence_s
from kafka_nextgen.fetching.topics import find_topic
from kafka_nextgen.fetching.truncation import Truncation, note_diverging, note_end, note_unknown_end
from kafka_nextgen.fetching.underway import Underway
from kafka_nextgen.fetching.validation import check_epoch, plan_validations
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["Inquiry"]


class Inquiry:
    """The part of ``FetchState`` that is for whoever talks to nodes."""

    def __init__(self, settings: FetchSettings, assigned: Assigned | None = None) -> None:
        self._settings = settings
        self._assigned = assigned or Assigned(settings.partition_max_bytes)
        self._buffers = self._assigned.buffers
        self._underway = Underway()
        self._room = Room(settings.buffer_bytes)
        self._lost: list[Truncation] = []
        self._truncated: dict[TopicPartition, Truncation] = {}
        self._searched: ClusterImage | None = None  # where every topic was looked for, if the assignment is the same
        self._metadata = MetadataQuestion(settings)
        self._routine: Routine | None = None  # None as well as long as nobody asked whether it is routine
        #: Whether handing over may let something be asked for that the last plan left out.
        self.waits_for_room = False

    # ---- questions

    def find_topics(self, image: ClusterImage) -> tuple[TopicPartition, ...]:
        """See which topics are gone or others now; returns the partitions that begin anew because of that."""
        if image is self._searched:
            return ()
        self._end_routine()
        others = [state for state in self._assigned.states if find_topic(state, image)]
        self._searched = None if others else image
        for state in others:
            self._assigned.begin_anew(state, image.id_of(state.partition.topic))
        return tuple(sorted(state.partition for state in others))

    def plan(self, image: ClusterImage, now: float) -> tuple[Need, ...]:
        """What to do next, by what is known of the cluster; each is taken to be on its way from here on.

        To be asked again after every answer, every change and every hand-over, and at ``deadline``; ``find_topics``
        comes first.
        """
        self._end_routine()
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
                state.rewind()

    def _end_routine(self) -> None:
        """What is about to be done may change what is to be asked next (``routine``)."""
        if self._routine is not None:
            self._routine.note_silence(self._assigned)
            self._routine = None

    def silence_s(self, now: float) -> dict[TopicPartition, float]:
        """For how many seconds each partition that should bring records has brought no answer to a fetch."""
        self._end_routine()
        return silence_s(self._assigned.states, self._buffers, now)

    def deadline(self, now: float) -> float | None:
        """When to ask ``plan`` again even if nothing happens."""
        pauses = [state.retry_at for state in self._assigned.states if state.retry_at > now and state.has_question]
        others = (*aside_at(self._assigned.states, self._buffers, self._underway, now), self._metadata.retry_at)
        return min([*pauses, *[at for at in others if at > now]], default=None)

    def _note_asked(self, need: Need) -> None:
        is_for_all = isinstance(need, Fetch) and not need.is_aside
        for state in self._assigned.known(need.fences):
            state.asked = True
            if is_for_all:
                state.is_new_there = False

    # ---- answers

    def received(
        self, fetch: Fetch, answer: SessionAnswer, arrivals: Mapping[TopicPartition, Arrival], now: float
    ) -> bool:
        """Take in what can be told of an answer before its records are decoded, and go on behind those.

        ``fetched`` or ``failed`` is still to follow; but if False is returned nothing is: the node refused the session,
        and the same is to be asked again at once.
        """
        self._end_routine()
        quiet = self._underway.receive(fetch, answer, arrivals)
        for state in self._assigned.unchanged(quiet).values():
            state.asked = False
            note_no_news(state, fetch.node_id, now)
        if arrivals:
            for tp, state in self._assigned.unchanged({tp: fetch.fences[tp] for tp in arrivals}).items():
                state.asked = False
                state.ahead = arrivals[tp]
        if answer.refuses(fetch.session):
            self._answered(fetch)
            return False
        return True

    def fetched(self, fetch: Fetch, results: Iterable[DecodedPartition], now: float) -> tuple[TopicPartition, ...]:
        """Take in what a fetch brought. A partition the broker left out is asked for again.

        Returns those whose leader prefers replicas that can't be read, and is not told the rack from here on.
        """
        self._end_routine()
        astray: list[TopicPartition] = []
        rest = self._underway.end(fetch)
        arrivals = rest.arrivals
        current = self._unasked(rest.fences, but=arrivals)
        source = Source(fetch.node_id, fetch.wanted)
        for result in results:
            self._room.note(result.fetched_bytes, 0 if result.columns is None else result.columns.nbytes)
            state = current.pop(result.partition, None)
            if state is not None:
                if arrivals and result.partition in arrivals:
                    self._meet(state, result, arrivals[result.partition])
                replica = state.replica
                if result.diverging is None or replica.preferred == fetch.node_id:
                    note_fetched(state, self._buffers, result, source, self._settings, now)
                else:
                    self._keep(note_diverging(state, result.diverging, self._assigned, self._settings, now))
                self._assigned.ask_last(state.partition)
                if state.replica is not replica and state.replica.goes_astray and not replica.goes_astray:
                    astray.append(state.partition)
        return tuple(astray)

    def _meet(self, state: PartitionState, result: DecodedPartition, arrival: Arrival) -> None:
        """See whether decoding ended where fetching went on."""
        if result.columns is None or result.columns.next_offset != arrival.end_offset:
            self._assigned.call_off(state)
        elif state.ahead == arrival:
            state.ahead = None

    def committed_found(
        self, need: NeedCommittedOffset, offsets: Mapping[TopicPartition, OffsetAndMetadata | None], now: float
    ) -> None:
        """Take in what the group committed; where that is None, ``auto.offset.reset`` decides.

        A partition that is not in ``offsets`` at all was unknown just now: resetting it would skip or repeat what the
        group has committed there, so it is asked for again.
        """
        self._end_routine()
        for tp, state in self._answered(need).items():
            found = offsets.get(tp)
            if tp not in offsets:
                note_failure(state, self._settings, now)
            elif found is not None and found.offset >= 0:
                state.start_at(found.offset, found.leader_epoch)
            else:
                begin_reset(state, self._settings, now, "no offset is committed")

    def reset_found(self, need: NeedOffsetReset, offsets: Mapping[TopicPartition, ListedOffset], now: float) -> None:
        """Take in offsets by timestamp, or why there are none."""
        self._end_routine()
        for tp, state in self._answered(need).items():
            note_listed(state, offsets.get(tp), need.leader_epochs[tp], self._settings, now)

    def epoch_ends_found(self, need: NeedEpochEnds, ends: Mapping[TopicPartition, EpochEnd] | None, now: float) -> None:
        """Take in where the epochs end that were asked for; None if the broker can't be asked."""
        self._end_routine()
        for tp, state in self._answered(need).items():
            question = need.questions[tp]
            if ends is None:
                note_unknown_end(state, question)
            else:
                self._keep(note_end(state, question, ends[tp], self._assigned, self._settings, now))

    def take_truncations(self) -> tuple[Truncation, ...]:
        """What was lost and has moved positions since this was last asked."""
        lost, self._lost = tuple(self._lost), []
        return lost

    def truncations(self) -> tuple[Truncation, ...]:
        """The latest of each partition that is assigned still, in their order."""
        return tuple(self._truncated[tp] for tp in sorted(self._truncated.keys() & self._assigned.partitions))

    def _keep(self, lost: Truncation | None) -> None:
        if lost is not None:
            self._lost.append(lost)
            self._truncated[lost.partition] = lost

    def metadata_refreshed(self, need: NeedMetadata, now: float) -> None:
        """The cluster image is new; a leader still missing is looked for after a pause."""
        self._end_routine()
        self._metadata.answered(now)
        for state in self._assigned.unchanged(need.fences).values():
            state.stale = False

    def failed(self, need: Need, now: float) -> None:
        """The whole question failed (no connection, timeout, an error code for all of it): ask again later."""
        self._end_routine()
        if isinstance(need, NeedMetadata):
            self._metadata.answered(now)
            return
        for state in self._answered(need).values():
            # The node may be gone, and another lead its partitions by now.
            state.stale = not isinstance(need, NeedCommittedOffset)
            if isinstance(need, Fetch) and need.node_id == state.replica.preferred:
                state.replica = state.replica.dropped()
            note_failure(state, self._settings, now)

    def session_ends(self) -> dict[int, SessionRequest]:
        """What to say to which nodes when nothing more is to be fetched."""
        return self._underway.session_ends()

    def _answered(
        self, need: Fetch | NeedCommittedOffset | NeedOffsetReset | NeedEpochEnds
    ) -> dict[TopicPartition, PartitionState]:
        """The partitions that are still as they were when ``need`` was asked; nothing more comes of it."""
        if not isinstance(need, Fetch):
            return self._unasked(need.fences)
        rest = self._underway.end(need)
        current = self._unasked(rest.fences)
        for tp in rest.arrivals:
            if tp in current:
                self._assigned.call_off(current[tp])
        return current

    def _unasked(
        self, fences: Mapping[TopicPartition, int], but: Collection[TopicPartition] = ()
    ) -> dict[TopicPartition, PartitionState]:
        current = self._assigned.unchanged(fences)
        for tp, state in current.items():
            if not but or tp not in but:  # not asked again since it came
                state.asked = False
        return current

"""The one door to fetching: who is assigned, what to ask next, what came, what is handed over.

- A partition is fetched and handed over only between ``release`` (its rebalance callback has returned) and
  ``stop`` (it is being given up). What arrives outside is dropped. Its position is looked up before ``release``.
- A new assignment leaves the partitions that stay exactly as they are: buffers, questions on their way, all.
- A topic made again under its old name is another one: nothing goes over from the old one (``topics``).
- The position advances when records are handed over, never before, so that a poll that is given up loses nothing.
- What was read is compared with the log of every new leader, by leader epochs; what was lost is told (``truncation``).
- Corrupt data and refusals are raised where the application takes records, after everything that lies before
  them. The position stays. They are raised again at the next attempt, until somebody seeks or the cause is gone.

No clock, no lock, no callback: ``now`` is an argument (seconds, any steady clock), and whoever shares this between
threads holds one lock around each call. Decoding is done outside (``decode_answer``).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType

from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.bridge.list_offsets import ListedOffset
from kafka_nextgen.bridge.offset_for_leader_epoch import EpochEnd
from kafka_nextgen.fetching.answers import Source, begin_reset, note_failure, note_fetched, note_no_news
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
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.resets import note_listed
from kafka_nextgen.fetching.sessions import SessionAnswer
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.silence import note_silence, silence_s
from kafka_nextgen.fetching.standings import Standings
from kafka_nextgen.fetching.topics import find_topic
from kafka_nextgen.fetching.truncation import Truncation, note_diverging, note_end, note_unknown_end
from kafka_nextgen.fetching.underway import Underway
from kafka_nextgen.fetching.validation import check_epoch, plan_validations
from kafka_nextgen.offset_reset import Reset
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["FetchState"]

#: Whoever assigns by name.
NO_TOPIC_IDS: Mapping[str, TopicId] = MappingProxyType({})


class FetchState:
    """Everything about fetching for one consumer."""

    def __init__(self, settings: FetchSettings, assigned: Assigned | None = None) -> None:
        self._settings = settings
        self._assigned = assigned or Assigned(settings.partition_max_bytes)
        self._buffers = self._assigned.buffers
        self._underway = Underway()
        self._lost: list[Truncation] = []
        self._metadata = MetadataQuestion(settings)
        #: Whether handing over may let something be asked for that the last plan left out.
        self.waits_for_room = False

    # ---- the assignment

    def assignment(self) -> frozenset[TopicPartition]:
        """Every partition that is assigned, also those being given up."""
        return self._assigned.partitions

    def topic_ids(self) -> dict[str, TopicId]:
        """The topics that are meant by these names, as far as that is known."""
        states = self._assigned.states
        return {state.partition.topic: state.topic_id for state in states if state.topic_id is not None}

    def gone(self) -> frozenset[TopicPartition]:
        """The partitions whose topic was deleted, even if there is another one of that name."""
        return frozenset(state.partition for state in self._assigned.states if state.gone)

    def assign(
        self,
        partitions: Iterable[TopicPartition],
        added: Iterable[TopicPartition],
        topic_ids: Mapping[str, TopicId] = NO_TOPIC_IDS,
    ) -> None:
        """Make ``partitions`` the whole assignment. ``added`` begin anew, and wait for ``release``.

        ``topic_ids`` says which topics are meant, if whoever assigns knows.
        """
        self._assigned.replace(partitions, added, topic_ids)

    def release(self, partitions: Iterable[TopicPartition]) -> None:
        """Let fetching and handing over begin: ``on_partitions_assigned`` has returned."""
        for state in self._assigned.known(partitions):
            state.released = True

    def stop(self, partitions: Iterable[TopicPartition]) -> None:
        """Hand out nothing of these from here on. Their positions stay until ``assign`` leaves them out."""
        for state in self._assigned.known(partitions):
            state.stopped = True
            self._assigned.start_over(state)
            if state.position is not None:
                state.rewind()

    # ---- what the application does with it

    def seek(self, partition: TopicPartition, offset: int, leader_epoch: int = -1) -> None:
        """Go on at ``offset``. Raises MisuseError if the partition is not assigned."""
        state = self._assigned.require(partition)
        self._assigned.start_over(state)
        state.start_at(offset, leader_epoch)
        state.consumed = state.position

    def seek_to(self, partitions: Iterable[TopicPartition], where: Reset) -> None:
        """Go on at the beginning or the end. Raises MisuseError if a partition is not assigned."""
        for state in [self._assigned.require(tp) for tp in partitions]:
            self._assigned.start_over(state)
            state.await_reset(where)

    def pause(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetch and hand over nothing of these until ``resume``. Raises MisuseError if one is not assigned."""
        for state in [self._assigned.require(tp) for tp in partitions]:
            state.paused = True

    def resume(self, partitions: Iterable[TopicPartition]) -> None:
        """End ``pause``. Raises MisuseError if a partition is not assigned."""
        for state in [self._assigned.require(tp) for tp in partitions]:
            state.paused = False

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        return frozenset(state.partition for state in self._assigned.states if state.paused)

    def position(self, partition: TopicPartition) -> int | None:
        """Where handing over goes on, None while that is being looked up. MisuseError if not assigned."""
        position = self._assigned.require(partition).position
        return None if position is None else position.offset

    def standings(self) -> Standings:
        """Where every partition stands, for whoever measures."""
        return Standings.of(self._assigned.states, self._buffers)

    # ---- handing over

    def has_records(self) -> bool:
        """Whether ``take`` would bring records, or raise."""
        ready = (state for state in self._assigned.states if state.may_hand_over)
        return any(state.error is not None or self._buffers.has(state.partition) for state in ready)

    def take(self, max_records: int) -> list[ColumnSlice]:
        """Hand over at most ``max_records`` records and advance the positions; raises as ``peek`` does."""
        parts = self.peek(max_records)
        for part in parts:
            self.hand_over(part)
        return parts

    @property
    def runs_done(self) -> int:
        """Changes whenever handing over made room for more."""
        return self._buffers.runs_done

    def peek(self, max_records: int, whole_runs: bool = False) -> list[ColumnSlice]:
        """The records ``take`` would hand over, without doing so; with ``whole_runs`` the last run to its end.

        Raises, once per attempt, what stands in the way of a partition: CorruptRecordError, OffsetOutOfRangeError,
        TopicAuthorizationError or another BrokerError.
        """
        for state in self._assigned.states:
            if state.error is not None and state.may_hand_over:
                error, state.error = state.error, None
                raise error
        return self._buffers.peek(lambda tp: self._assigned.require(tp).may_hand_over, max_records, whole_runs)

    def holds(self, part: ColumnSlice) -> bool:
        """Whether these records, once peeked at, may still be handed over: not stopped, sought or paused since."""
        states = self._assigned.known([part.partition])
        return any(state.may_hand_over for state in states) and self._buffers.holds(part)

    def hand_over(self, part: ColumnSlice) -> None:
        """Advance the position to the end of ``part``, a run peeked at or its beginning.

        Does nothing if the partition was stopped or sought since, or is beyond it already.
        """
        if not self._buffers.hand_over(part):
            return
        state = self._assigned.require(part.partition)
        drained = not self._buffers.has(part.partition)
        end, epoch = (state.fetch_offset, state.fetch_epoch) if drained else (part.next_offset, part.leader_epoch)
        state.position = OffsetAndMetadata(end, epoch)

    def preview(self, parts: Sequence[ColumnSlice]) -> FetchState:
        """How everything stands once ``parts`` are handed over, to be looked at: nothing here changes by that."""
        seen = FetchState(self._settings, self._assigned.copy()) if parts else self
        for part in parts:
            seen.hand_over(part)
        return seen

    def mark_consumed(self) -> None:
        """The application came back for more: what was handed over until now counts as processed."""
        for state in self._assigned.states:
            state.consumed = state.position or state.consumed

    def consumed_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """What auto-commit may commit: everything handed over before ``mark_consumed``."""
        return {state.partition: state.consumed for state in self._there() if state.consumed is not None}

    def handed_over_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """What ``commit()`` commits: the positions behind everything handed over."""
        return {state.partition: state.position for state in self._there() if state.position is not None}

    def _there(self) -> list[PartitionState]:
        """Those whose topic is not gone: under its name the offset would be one in another topic."""
        return [state for state in self._assigned.states if not state.gone]

    # ---- questions

    def find_topics(self, image: ClusterImage) -> tuple[TopicPartition, ...]:
        """See which topics are gone or others now; returns the partitions that begin anew because of that."""
        others = [state for state in self._assigned.states if find_topic(state, image)]
        for state in others:
            self._assigned.begin_anew(state, image.id_of(state.partition.topic))
        return tuple(sorted(state.partition for state in others))

    def plan(self, image: ClusterImage, now: float) -> tuple[Need, ...]:
        """What to do next, by what is known of the cluster; each is taken to be on its way from here on.

        To be asked again after every answer, every change and every hand-over, and at ``deadline``; ``find_topics``
        comes first.
        """
        states = self._assigned.states
        note_silence(states, now)
        for state in states:
            state.check_replica(image, now)
            check_epoch(state, image)
        needs: list[Need] = [*plan_committed(states, now), *plan_resets(states, image, now)]
        needs += plan_validations(states, image, now)
        fetches = plan_fetches(states, self._buffers, image, self._underway, self._settings, now)
        needs += map(self._underway.ask, fetches)
        if self._metadata.may_ask(now):
            needs += self._metadata.ask(plan_metadata(states, image))
        for need in needs:
            self._note_asked(need)
        self.waits_for_room = any(state.is_left_out for state in states)
        return tuple(needs)

    def silence_s(self, now: float) -> dict[TopicPartition, float]:
        """For how many seconds each partition that should bring records has brought no answer to a fetch."""
        return silence_s(self._assigned.states, self._buffers, now)

    def deadline(self, now: float) -> float | None:
        """When to ask ``plan`` again even if nothing happens."""
        pauses = [state.retry_at for state in self._assigned.states if state.may_need_leader]
        return min((at for at in (*pauses, self._metadata.retry_at) if at > now), default=None)

    def _note_asked(self, need: Need) -> None:
        if isinstance(need, NeedMetadata):
            return
        for state in self._assigned.known(need.fences):
            state.asked = True

    # ---- answers

    def received(
        self, fetch: Fetch, answer: SessionAnswer, arrivals: Mapping[TopicPartition, Arrival], now: float
    ) -> bool:
        """Take in what can be told of an answer before its records are decoded, and go on behind those.

        ``fetched`` or ``failed`` is still to follow; but if False is returned nothing is: the node refused the session,
        and the same is to be asked again at once.
        """
        quiet = self._underway.receive(fetch, answer, arrivals)
        for state in self._assigned.unchanged(quiet).values():
            state.asked = False
            note_no_news(state, fetch.node_id, now)
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
        astray: list[TopicPartition] = []
        rest = self._underway.end(fetch)
        arrivals = rest.arrivals
        current = self._unasked(rest.fences, but=arrivals)
        sources = {asked.partition: Source(fetch.node_id, asked.leader_epoch) for asked in fetch.positions}
        for result in results:
            state = current.pop(result.partition, None)
            if state is not None:
                if result.partition in arrivals:
                    self._meet(state, result, arrivals[result.partition])
                went_astray = state.replica.goes_astray
                if result.diverging is None or state.replica.preferred == fetch.node_id:
                    note_fetched(state, self._buffers, result, sources[result.partition], self._settings, now)
                else:
                    self._keep(note_diverging(state, result.diverging, self._assigned, self._settings, now))
                self._assigned.ask_last(state)
                astray += [state.partition] if state.replica.goes_astray and not went_astray else []
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
        for tp, state in self._answered(need).items():
            note_listed(state, offsets.get(tp), need.leader_epochs[tp], self._settings, now)

    def epoch_ends_found(self, need: NeedEpochEnds, ends: Mapping[TopicPartition, EpochEnd] | None, now: float) -> None:
        """Take in where the epochs end that were asked for; None if the broker can't be asked."""
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

    def _keep(self, lost: Truncation | None) -> None:
        self._lost += [] if lost is None else [lost]

    def metadata_refreshed(self, need: NeedMetadata, now: float) -> None:
        """The cluster image is new; a leader still missing is looked for after a pause."""
        self._metadata.answered(now)
        for state in self._assigned.unchanged(need.fences).values():
            state.stale = False

    def failed(self, need: Need, now: float) -> None:
        """The whole question failed (no connection, timeout, an error code for all of it): ask again later."""
        if isinstance(need, NeedMetadata):
            self._metadata.answered(now)
            return
        for state in self._answered(need).values():
            # The node may be gone, and another lead its partitions by now.
            state.stale = not isinstance(need, NeedCommittedOffset)
            if isinstance(need, Fetch) and need.node_id == state.replica.preferred:
                state.replica = state.replica.dropped()
            note_failure(state, self._settings, now)

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
        self, fences: Mapping[TopicPartition, int], but: Container[TopicPartition] = ()
    ) -> dict[TopicPartition, PartitionState]:
        current = self._assigned.unchanged(fences)
        for tp, state in current.items():
            state.asked = state.asked and tp in but  # asked again since it came
        return current

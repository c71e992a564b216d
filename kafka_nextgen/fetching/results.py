"""Applies answers to the fetch state.

Partitions that were stopped, repositioned with ``seek`` or assigned again since the request (``planning``) have another
fence, so their answers are dropped. A request that fails as a whole is repeated after a pause.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching.bounds import Bound
from kafka_nextgen.fetching.buffers import Buffers
from kafka_nextgen.fetching.context import FetchContext
from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.fetching.failures import (
    ErrorAction,
    action_for,
    begin_reset,
    note_error,
    note_failure,
    note_preferred,
    note_trouble,
    note_truncated,
)
from kafka_nextgen.fetching.needs import (
    Arrival,
    Fetch,
    Need,
    NeedCommittedOffset,
    NeedEpochEnds,
    NeedMetadata,
    NeedOffsetReset,
)
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.replicas import LEADER
from kafka_nextgen.fetching.resets import (
    SkippedOffsets,
    Truncation,
    note_diverging,
    note_end,
    note_listed,
    note_unknown_end,
)
from kafka_nextgen.fetching.sessions import SessionAnswer
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.requests.list_offsets import ListedOffset
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import Columns

__all__ = ["Results", "note_ends", "note_records"]


class Results:
    """The part of ``FetchState`` that receives the answers."""

    def __init__(self, context: FetchContext) -> None:
        self._context = context
        self._settings = context.settings
        self._assigned = context.assigned
        self._buffers = context.buffers
        self._underway = context.underway
        #: The truncations that moved positions since ``take_truncations``.
        self.new_truncations: list[Truncation] = []
        self._truncated: dict[TopicPartition, Truncation] = {}

    # ---- records

    def received(
        self, fetch: Fetch, answer: SessionAnswer, arrivals: Mapping[TopicPartition, Arrival], now: float
    ) -> bool:
        """Apply an answer before its records are decoded, so that the next fetch can continue after them.

        Call ``fetched`` or ``failed`` afterwards. Returns False if the node refused the session; then call neither of
        them: the same request is repeated immediately.
        """
        self._context.interrupt_steady_state()
        quiet = self._receive(fetch, answer, arrivals, now)
        if quiet:
            self._note_no_news(quiet, fetch.node_id, now)
        if arrivals:
            self._note_arrivals(arrivals, fetch)
        if answer.error != ErrorCode.NONE and answer.refuses(fetch.session):
            self._answered(fetch)
            return False
        return True

    def _receive(
        self, fetch: Fetch, answer: SessionAnswer, arrivals: Mapping[TopicPartition, Arrival], now: float
    ) -> Mapping[TopicPartition, int]:
        """Note the answer; returns the partitions that it omits, except for resting ones.

        An answer with most of its node's partitions, or that concerns them all, is visited partition by partition.
        """
        context, node = self._context, self._underway.nodes[fetch.node_id]
        if self._assigned.all_pending:
            context.wake_all()  # completes an interrupted call
        elif not fetch.is_out_of_session and 2 * len(answer.partitions) < len(fetch.fences):
            context.find_resting(node)
        quiet = self._underway.receive(fetch, answer, arrivals)
        resting = None if fetch.is_out_of_session else node.resting
        if resting is not None and resting.is_answered:
            rested = [tp for tp in answer.partitions if tp not in resting.restless]
            resting.note_silence(self._assigned.known(rested))
            resting.note_answer(now)
        if resting is not None and (not resting.is_answered or resting.is_empty):
            context.wake(node)
        return quiet

    def _note_no_news(self, fences: Mapping[TopicPartition, int], node_id: int, now: float) -> None:
        """Note that a session's answer omitted these partitions, which means that they have no new records.

        It omits a partition that was given up and assigned again during a fetch, too: the session has it at the same
        offset. Only a full request then shows where it ends.
        """
        lacks_end = False
        for state in self._assigned.answered(fences).values():  # there may be thousands
            lacks_end = lacks_end or state.end_offset < 0
            if state.failures:
                state.succeeded()
            state.drain_first = False
            state.silent_since = now
            if state.replica is not LEADER:
                state.replica = state.replica.read_from(node_id)
        if lacks_end:
            self._underway.nodes[node_id].session.begin_again()

    def _note_arrivals(self, arrivals: Mapping[TopicPartition, Arrival], fetch: Fetch) -> None:
        """Note where these records end, so that the partitions can be fetched again while they are decoded."""
        for tp, state in self._assigned.answered({tp: fetch.fences[tp] for tp in arrivals}).items():
            state.ahead = arrivals[tp]
            if state.bound is not None:
                state.bound.note(arrivals[tp])

    def fetched(self, fetch: Fetch, results: Iterable[DecodedPartition], now: float) -> tuple[TopicPartition, ...]:
        """Apply the result of a fetch. A partition that the broker omitted is requested again.

        Returns the partitions whose leader prefers unreadable replicas; requests to it now omit the rack.
        """
        self._context.interrupt_steady_state()
        redirected: list[TopicPartition] = []
        rest = self._underway.end(fetch)
        current = self._assigned.answered(rest.fences, but=rest.arrivals)  # those are already requested again
        for result in results:
            self._context.budget.note(result.fetched_bytes, 0 if result.columns is None else result.columns.nbytes)
            state = current.pop(result.partition, None)
            if state is not None:
                replica = state.replica
                self._apply(state, result, fetch, rest.arrivals.get(result.partition), now)
                self._assigned.ask_last(state.partition)
                self._assigned.note_visited(state)
                if state.replica is not replica and state.replica.is_looping and not replica.is_looping:
                    redirected.append(state.partition)
            else:
                self._note_end_only(result, fetch)
        return tuple(redirected)

    def _note_end_only(self, result: DecodedPartition, fetch: Fetch) -> None:
        """Apply the end from an answer that came too late for its records: the session will not repeat it."""
        state, asked = self._assigned.by_partition.get(result.partition), fetch.wanted.get(result.partition)
        if state is not None and asked is not None and result.columns is not None and asked.topic_id == state.topic_id:
            note_ends(state, result, self._settings)

    def _apply(
        self, state: PartitionState, result: DecodedPartition, fetch: Fetch, arrival: Arrival | None, now: float
    ) -> None:
        """Apply a partition's result: records, a diverging epoch, an error code, or corrupt records."""
        settings, columns = self._settings, result.columns
        if arrival is not None:
            self._note_decoded_end(state, result, arrival)
        if columns is not None and result.diverging is None:
            self._note_answer(state, result, columns, fetch, now)
        elif state.replica.preferred == fetch.node_id:  # the leader is queried first
            state.replica = state.replica.dropped()
            state.stale = action_for(result.error) is ErrorAction.REFRESH
        elif result.diverging is not None:
            self._keep(note_diverging(state, result.diverging, self._assigned, settings, now))
        elif result.corrupt is not None:
            note_trouble(state, result.corrupt, self._buffers.has(state.partition), settings, now)
        else:
            note_error(state, result.error, self._buffers.has(state.partition), settings, now)

    def _note_answer(
        self, state: PartitionState, result: DecodedPartition, columns: Columns, fetch: Fetch, now: float
    ) -> None:
        """Apply an answer without an error: records, or the name of the replica to read instead."""
        note_ends(state, result, self._settings)
        names_replica = result.preferred_replica >= 0
        if not names_replica or columns.next_offset != state.fetch_offset or columns.truncated:  # not only a redirect
            state.silent_since = now
            if state.replica is not LEADER:
                state.replica = state.replica.read_from(fetch.node_id)
            if columns.truncated:
                note_truncated(state, self._buffers.has(state.partition), self._settings, now)
            elif state.bound is None:
                note_records(state, self._buffers, columns)
            else:
                _note_bounded(state, state.bound, self._buffers, columns)
        if names_replica:
            note_preferred(state, result.preferred_replica, fetch, self._settings, now)

    def _note_decoded_end(self, state: PartitionState, result: DecodedPartition, arrival: Arrival) -> None:
        """Check that decoding ended where the next fetch continued."""
        if result.columns is None or result.columns.next_offset != arrival.end_offset:
            self._assigned.call_off(state)
        elif state.ahead == arrival:
            state.ahead = None

    # ---- positions

    def committed_found(
        self,
        need: NeedCommittedOffset,
        offsets: Mapping[TopicPartition, OffsetAndMetadata | None],
        now: float,
        new: Collection[TopicPartition] = (),
    ) -> None:
        """Apply the group's committed offsets; for a partition without one (None), ``auto.offset.reset`` decides.

        ``new`` contains the uncommitted partitions of topics in which the group has committed other partitions; for
        these ``auto.offset.reset.new.partitions`` decides. For a partition missing from ``offsets``, the committed
        offset is unknown at the moment. A reset would ignore a possible commit and skip or repeat records, so the
        lookup is repeated.
        """
        self._context.end_steady_state()
        for tp, state in self._answered(need).items():
            found = offsets.get(tp)
            if tp not in offsets:
                note_failure(state, self._settings, now)
            elif found is not None and found.offset >= 0:
                state.start_at(found.offset, found.leader_epoch)
                state.found = state.position
            else:
                begin_reset(state, self._settings, now, "no offset is committed", is_new=tp in new)

    def reset_found(
        self, need: NeedOffsetReset, offsets: Mapping[TopicPartition, ListedOffset], now: float
    ) -> tuple[SkippedOffsets, ...]:
        """Apply offsets by timestamp, or their errors. Returns the skipped offsets of new partitions."""
        self._context.end_steady_state()
        skipped = [
            note_listed(state, offsets.get(tp), need.leader_epochs[tp], self._settings, now)
            for tp, state in self._answered(need).items()
        ]
        return tuple(one for one in skipped if one is not None)

    def epoch_ends_found(self, need: NeedEpochEnds, ends: Mapping[TopicPartition, EpochEnd] | None, now: float) -> None:
        """Apply the end offsets of the requested epochs; None if the broker lacks the API."""
        self._context.end_steady_state()
        for tp, state in self._answered(need).items():
            question = need.questions[tp]
            if ends is None:
                note_unknown_end(state, question)
            else:
                self._keep(note_end(state, question, ends[tp], self._assigned, self._settings, now))

    def take_truncations(self) -> tuple[Truncation, ...]:
        """Return the truncations that moved positions since the last call."""
        lost, self.new_truncations = tuple(self.new_truncations), []
        return lost

    def truncations(self) -> tuple[Truncation, ...]:
        """The latest truncation of each partition that is still assigned, by partition."""
        return tuple(self._truncated[tp] for tp in sorted(self._truncated.keys() & self._assigned.partitions))

    def _keep(self, lost: Truncation | None) -> None:
        if lost is not None:
            self.new_truncations.append(lost)
            self._truncated[lost.partition] = lost

    def metadata_refreshed(self, need: NeedMetadata, now: float) -> None:
        """Note that the cluster image was refreshed; a leader still missing is looked up again after a pause."""
        self._context.end_steady_state()
        self._context.metadata.answered(now)
        for state in self._assigned.unchanged(need.fences).values():
            state.stale = False
            state.sought += 1

    def failed(self, need: Need, now: float) -> None:
        """Note that the whole request failed (no connection, timeout, a top-level error code); it is repeated later."""
        self._context.end_steady_state()
        if isinstance(need, NeedMetadata):
            self._context.metadata.answered(now)
            return
        for state in self._answered(need).values():
            # The node may be down, and another one may lead its partitions now.
            state.stale = not isinstance(need, NeedCommittedOffset)
            if isinstance(need, Fetch) and need.node_id == state.replica.preferred:
                state.replica = state.replica.dropped()
            note_failure(state, self._settings, now)

    def _answered(
        self, need: Fetch | NeedCommittedOffset | NeedOffsetReset | NeedEpochEnds
    ) -> dict[TopicPartition, PartitionState]:
        """End ``need``; returns the partitions whose fence has not changed since the request."""
        if not isinstance(need, Fetch):
            return self._assigned.answered(need.fences)
        rest = self._underway.end(need)
        current = self._assigned.answered(rest.fences)
        for tp in rest.arrivals:
            if tp in current:
                self._assigned.call_off(current[tp])
        return current


def note_ends(state: PartitionState, result: DecodedPartition, settings: FetchSettings) -> None:
    """Apply the log's start offset, and the end of its readable records."""
    state.end_offset = result.last_stable_offset if settings.read_committed else result.high_watermark
    state.log_start_offset = result.log_start_offset


def note_records(state: PartitionState, buffers: Buffers, columns: Columns) -> None:
    """Apply the intact records of a partition; fetching continues after them."""
    if state.failures:
        state.succeeded()
    state.drain_first = False
    state.fetch_offset = columns.next_offset
    if columns.end_epoch >= 0:
        state.fetch_epoch = columns.end_epoch
    if columns.offsets:
        buffers.add(columns)
    elif not buffers.has(state.partition):  # only control batches, or offsets removed by compaction
        state.position = OffsetAndMetadata(columns.next_offset, state.fetch_epoch)


def _note_bounded(state: PartitionState, bound: Bound, buffers: Buffers, columns: Columns) -> None:
    """Apply the records before the end. If there are none, the limit may be too small for one batch."""
    offset = state.fetch_offset
    note_records(state, buffers, columns.before(bound.end))
    if state.fetch_offset == offset < state.end_offset:
        bound.widen(offset, state.max_bytes)

"""Plans the next requests of fetching from the cluster image.

Every need has the fences of its partitions, and is passed to ``results`` with its answer.

A partition is *silent* as long as no fetch of it is answered. This excludes partitions that are paused, being revoked,
not yet released or fetched up to their end, and partitions with buffered records that the application does not take.

A leader is asked whether its log still matches the records that were read (KIP-320). A leader that was elected although
it lagged behind lacks some of those records, and soon has other records at the same offsets. The leader epoch of the
record before an offset tells the two logs apart.

- A position is validated when its leader has another epoch than at the last validation: after every election, and at
  the start, since a committed offset includes its epoch. The result depends on where that epoch ends in the leader's
  log (``resets``). The partition is not fetched meanwhile. Validation waits until decoding ends; buffered records may
  be handed over.
- The validated offset is the next fetch offset, not the application's position, which is before the buffered records.
- There is no validation if the partition was fetched up to its end (``bounds``), if the epoch before its position is
  unknown, or if its broker lacks the API.
- If the known leader has an earlier epoch than what was read, the metadata is stale and is refreshed first. This is
  done only once, because the epochs of a recreated topic start over.

Each fetch also contains the epoch of the record before its offset, so that a diverging log is noticed even if the
election is not (Fetch, version 12).
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.fetching.assigned import find_topic, tell_if_missing
from kafka_nextgen.fetching.context import FetchContext
from kafka_nextgen.fetching.needs import Fetch, Need, NeedEpochEnds, NeedMetadata
from kafka_nextgen.fetching.planner import (
    by_leader,
    out_of_session_at,
    plan_committed,
    plan_fetches,
    plan_metadata,
    plan_out_of_session,
    plan_resets,
)
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.replicas import LEADER
from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.requests.offset_for_leader_epoch import EpochQuestion
from kafka_nextgen.types import TopicPartition

__all__ = ["Planning"]


class Planning:
    """The part of ``FetchState`` that decides which requests go to which node."""

    def __init__(self, context: FetchContext) -> None:
        self._context = context
        self._settings = context.settings
        self._assigned = context.assigned
        self._buffers = context.buffers
        self._underway = context.underway
        #: Whether the last plan omitted partitions that may be fetched after a hand-over.
        self.waits_for_room = False

    def find_topics(self, image: ClusterImage) -> tuple[TopicPartition, ...]:
        """Find topics that were deleted or replaced; returns the partitions that therefore start over."""
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
        """The next needs, based on the cluster image; all of them count as in flight from now on.

        Call ``find_topics`` and then this after every answer, change and hand-over, and at ``deadline``.
        """
        self._context.end_steady_state()
        for state in self._assigned.states:
            if not state.may_hand_over or state.is_fetched:
                state.silent_since = None
            elif state.silent_since is None:
                state.silent_since = now
            if state.image is not image:
                state.find_leader(image)
            if not state.asked:
                if state.replica is not LEADER:
                    state.check_replica(image, now)
                _check_epoch(state)
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
        """The needs of partitions without a request in flight; usually there are none."""
        left = [state for state in self._assigned.states if not state.asked]
        self.waits_for_room = any(state.is_left_out for state in left)
        metadata = self._context.metadata
        return metadata.ask(plan_metadata(left)) if metadata.may_ask(now) else []

    def _plan_positions(self, now: float) -> list[Need]:
        """The needs of partitions that can't be fetched yet."""
        states = [state for state in self._assigned.states if state.phase is not Phase.FETCHING]
        return (
            [*plan_committed(states, now), *plan_resets(states, now), *_plan_validations(states, now)] if states else []
        )

    def _is_held_up(self, now: float) -> bool:
        """Whether buffered records that can't be taken block all fetching."""
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
        """When to call ``plan`` again even if nothing happens."""
        pauses = [state.retry_at for state in self._assigned.states if state.retry_at > now and state.has_question]
        others = (*out_of_session_at(self._context, now), self._context.metadata.retry_at)
        return min([*pauses, *[at for at in others if at > now]], default=None)

    def session_ends(self) -> dict[int, SessionRequest]:
        """The requests that end the sessions, by node."""
        ends = {node_id: session.end for node_id, session in self._underway.sessions.items()}
        return {node_id: request for node_id, request in ends.items() if request is not None}

    def silence_s(self, now: float) -> dict[TopicPartition, float]:
        """How many seconds each partition that should be fetched has been without an answer.

        0 for partitions with records waiting to be taken.
        """
        self._context.note_silence()
        return {
            state.partition: 0.0 if self._buffers.has(state.partition) else now - state.silent_since
            for state in self._assigned.states
            if state.may_hand_over and state.silent_since is not None
        }


def _check_epoch(state: PartitionState) -> None:
    """Decide whether the leader makes a validation necessary; not while a request is in flight."""
    leader_epoch = state.leader_epoch
    phase = state.phase
    if phase is Phase.FETCHING and leader_epoch not in (state.checked_epoch, -1) and not state.is_fetched:
        phase = state.phase = Phase.VALIDATING
        state.stale = state.stale or state.next_fetch_epoch > leader_epoch
    if phase is Phase.VALIDATING and state.next_fetch_epoch < 0:
        state.phase = Phase.FETCHING
        state.checked_epoch = leader_epoch


def _plan_validations(states: Iterable[PartitionState], now: float) -> list[NeedEpochEnds]:
    """One request per leader for the partitions to validate."""
    waiting = (state for state in states if state.phase is Phase.VALIDATING and state.ahead is None)
    wanted = [state for state in waiting if state.may_ask(now)]
    return [
        NeedEpochEnds(
            node_id,
            questions={state.partition: _epoch_question(state) for state in led},
            fences={state.partition: state.fence for state in led},
        )
        for node_id, led in by_leader(wanted).items()
    ]


def _epoch_question(state: PartitionState) -> EpochQuestion:
    return EpochQuestion(state.fetch_offset, state.fetch_epoch, state.leader_epoch)

"""Plans the next requests of fetching from the cluster image.

Every request contains the fencing data of its partitions, and is passed to ``results`` with its answer.

- Positions first (``position_needs``): a partition without a position is looked up among the group's committed offsets,
  or at its leader; its leader's log may have to be compared with the records that were read.
- Each node has one fetch in flight, ahead of the application, even while its last answer is being decoded
  (``underway``). The fetch requests every partition that is read from that node (its leader, or the replica that its
  leader prefers: ``replicas``), is not paused and has less buffered than its share (an equal part of
  ``fetch.buffer.bytes``). Other partitions are left out, and do not delay the rest.
- If a partition was left out, the broker may wait for new records only briefly, not for ``fetch.max.wait.ms``: the
  application may take what is buffered at any time, and the next request must include that partition again.
- A fetch requests no more than there is room for, after subtracting the answers that are still expected (``underway``).
  A broker sends the first batch in full regardless of the limit (KIP-74), so a small limit delays partitions but never
  blocks them.
- A partition that has no leader, a changed leader or a deleted topic needs metadata first.

A partition that is new to a node (assigned, resumed, repositioned with ``seek``, or previously led by another node)
need not wait for the node's long poll, which may take ``fetch.max.wait.ms``. It is fetched *out of session*:

- over another connection, since a node answers each connection in order; outside the node's session, which stays
  unchanged; and repeatedly, with a short wait.
- It begins only when the node's fetch has been open for a while: if records arrive all the time, that fetch is answered
  soon, and the next one requests all partitions.
- In the meantime, other fetches from that node have a short wait, too, so that the next one requests all partitions
  again.
- Partitions with buffered records are not fetched out of session.

A plan visits the partitions that are *pending*, and takes *resting* ones over from the last fetch (``resting``). It
visits all

- after each change that is not an answer, and for a new image of the cluster;
- if the fetches of several nodes, or a fetch that names all partitions, are to be planned: then their order matters;
- if records of paused partitions leave no room for others.

A partition is *silent* as long as no fetch for it is answered. This excludes partitions that are paused, being revoked,
not yet released or fetched up to their end, and partitions with buffered records that the application does not take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from kafka_nextgen.fetching.context import NO_LEADER, FetchContext
from kafka_nextgen.fetching.needs import Fetch, Need
from kafka_nextgen.fetching.position_needs import check_epoch, plan_positions
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.replicas import LEADER
from kafka_nextgen.fetching.resting import is_idle
from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.fetching.settings import SHORT_WAIT_MS
from kafka_nextgen.fetching.topics import TopicChanges, find_topics
from kafka_nextgen.fetching.underway import MOST_DECODING
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.requests.fetch import names_of
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["AFTER_S", "Plan", "Planning"]

#: How long (seconds) a node's fetch is open before something is fetched out of session.
AFTER_S = 0.01


class Plan(NamedTuple):
    """The requests to send now, the time to plan again even if nothing happens, and the changes of topics.

    ``topics`` is None if this image has already been searched for topic changes.
    """

    needs: tuple[Need, ...]
    deadline: float | None
    topics: TopicChanges | None


class Planning:
    """The part of ``FetchState`` that decides which requests to send to which node."""

    def __init__(self, context: FetchContext) -> None:
        self._context = context
        self._assigned = context.assigned
        self._buffers = context.buffers
        self._underway = context.underway
        #: Whether the last plan omitted partitions that may be fetched after a hand-over.
        self.waits_for_room = False

    def plan(self, image: ClusterImage, now: float) -> Plan:
        """Plan the next requests, based on the cluster image; all of them count as in flight from now on.

        Call this after every answer, change and hand-over, and at the plan's deadline.
        """
        context = self._context
        context.interrupt_steady_state()
        topics = None if image is context.searched else find_topics(context, image)
        visited, reading = self._visit(image, now)
        unsettled = [state for state in visited if state.phase is not Phase.FETCHING]
        needs: list[Need] = [*plan_positions(unsettled, now)] if unsettled else []
        fetches = _plan_fetches(context, reading, now)
        if not fetches and self._is_held_up() and any(state.may_ask(now) for state in reading):
            visited, reading = self._visit_all(image, now)
            self._give_back()
            fetches = _plan_fetches(context, reading, now)
        needs += fetches
        waiting = _waiting(context, now)
        if waiting:
            needs += _plan_out_of_session(context, waiting, now)
        left = [state for state in visited if not state.asked]
        self.waits_for_room = any(not state.asked for state in reading) or bool(_answered_nodes(context))
        context.assigned.pending = {state.partition: state for state in left if not is_idle(state, image)}
        context.assigned.all_pending = False
        needs += context.metadata.plan(left, now)
        return Plan(tuple(needs), self.deadline(now), topics)

    def _visit(self, image: ClusterImage, now: float) -> tuple[list[PartitionState], list[PartitionState]]:
        """Visit the pending partitions, or all of them if necessary; returns them, and those that must be fetched."""
        context, assigned = self._context, self._assigned
        if not assigned.all_pending:
            visited = sorted(assigned.pending.values(), key=_turn)
            assigned.pending = {state.partition: state for state in visited}
            reading = self._update(visited, image, now)
            if not self._must_visit_all(reading, now):
                woken = _wake_buffered(context)
                return visited + woken, sorted(reading + woken, key=_turn) if woken else reading
        return self._visit_all(image, now)

    def _visit_all(self, image: ClusterImage, now: float) -> tuple[list[PartitionState], list[PartitionState]]:
        context = self._context
        context.wake_all()
        visited = list(self._assigned.states)
        reading = self._update(visited, image, now)
        context.num_read = Counter([state.read_from for state in reading if state.read_from is not None])
        return visited, reading

    def _update(self, states: Iterable[PartitionState], image: ClusterImage, now: float) -> list[PartitionState]:
        """Look up leaders in a new image, and decide which replica to read and whether a log must be compared.

        Returns the partitions that must be fetched, now or later.
        """
        reading, num_read = list[PartitionState](), self._context.num_read
        for state in states:
            may_hand_over = state.may_hand_over
            if not may_hand_over or (state.bound is not None and state.is_fetched):
                state.silent_since = None
            elif state.silent_since is None:
                state.silent_since = now
            if state.image is not image:
                state.find_leader(image)
            if not state.asked:
                if state.replica is not LEADER:
                    state.check_replica(image, now)
                if state.leader_epoch != state.checked_epoch or state.phase is Phase.VALIDATING:
                    check_epoch(state)
            read_from = None
            if state.phase is Phase.FETCHING and may_hand_over and (state.bound is None or not state.is_fetched):
                reading.append(state)
                read_from = _node_of(state)
            if read_from != state.read_from:
                num_read[state.read_from] -= 1
                num_read[read_from] += 1
                state.read_from = read_from
        return reading

    def _must_visit_all(self, reading: Iterable[PartitionState], now: float) -> bool:
        """Whether the next fetches depend on the order of resting partitions, or may not contain all of them."""
        nodes, answered = self._underway.nodes, _answered_nodes(self._context)
        if not answered:
            return False
        others = {state.read_from for state in reading if state.may_ask(now)} - {None, NO_LEADER, *answered}
        num_free = len(answered) + sum([nodes[node_id].asked is None for node_id in others if node_id is not None])
        return num_free > 1 or nodes[answered[0]].session.begins or self._is_held_up()

    def _is_held_up(self) -> bool:
        """Whether buffered records that can't be taken block all fetching."""
        if self._underway.reserved_bytes or not self._buffers.total_bytes:
            return False
        return not any(state.may_hand_over for state in self._assigned.known(self._buffers.runs))

    def _give_back(self) -> None:
        """Drop the records of paused partitions, to be fetched again, so that the others need not wait for them."""
        for state in self._assigned.known(tuple(self._buffers.runs)):
            self._assigned.start_over(state)

    def deadline(self, now: float) -> float | None:
        """When to call ``plan`` again even if nothing happens."""
        context = self._context
        times = [state.retry_at for state in context.pending_states if state.retry_at > now and state.has_question]
        times += [at for node_id in _waiting(context, now) if (at := _may_begin_at(context, node_id)) is not None]
        if context.metadata.is_missed:
            times.append(context.metadata.retry_at)
        return min([at for at in times if at > now], default=None)

    def session_ends(self) -> dict[int, SessionRequest]:
        """The requests that end the sessions, by node."""
        ends = {node_id: node.session.end for node_id, node in self._underway.nodes.items()}
        return {node_id: request for node_id, request in ends.items() if request is not None}

    def silence_s(self, now: float) -> dict[TopicPartition, float]:
        """For each partition that should be fetched, the seconds since its last answer.

        The value is 0 for partitions with records that the application has not taken.
        """
        self._context.note_silence()
        return {
            state.partition: 0.0 if self._buffers.has(state.partition) else now - state.silent_since
            for state in self._assigned.states
            if state.may_hand_over and state.silent_since is not None
        }


def _plan_fetches(context: FetchContext, reading: Collection[PartitionState], now: float) -> list[Fetch]:
    """One fetch of these partitions per node that has something to fetch and no fetch in flight."""
    wanted, answered = [state for state in reading if state.may_ask(now)], _answered_nodes(context)
    if not wanted and not answered:
        return []
    settings, buffers, underway, fetches = context.settings, context.buffers, context.underway, list[Fetch]()
    share_bytes, is_little = context.share_bytes, context.is_little_waiting
    by_node, num_nodes = _by_node(wanted), context.num_nodes
    for node_id in answered:
        by_node.setdefault(node_id, [])
    for node_id, there in by_node.items():
        node = underway.nodes[node_id]
        free_bytes = context.budget.buffer_bytes - buffers.total_bytes - underway.reserved_bytes
        most_bytes = context.budget.for_fetch(free_bytes, num_nodes)
        if not most_bytes or node.asked is not None or len(node.decoding) > MOST_DECODING:
            continue
        asked = [
            state for state in there if (is_little and not state.drain_first) or _has_room(context, state, share_bytes)
        ]
        if asked or node_id in answered:
            is_all = len(asked) == len(there) and node.out_of_session is None
            wait_ms = settings.max_wait_ms if is_all else min(settings.max_wait_ms, SHORT_WAIT_MS)
            fetches.append(_begin(context, node_id, asked, min(most_bytes, settings.max_bytes), wait_ms, now))
    return fetches


def _has_room(context: FetchContext, state: PartitionState, share_bytes: int) -> bool:
    waiting_bytes = context.buffers.bytes_of(state.partition) + context.underway.bytes_of(state.partition)
    return not waiting_bytes or (not state.drain_first and waiting_bytes < share_bytes)


def _by_node(states: Iterable[PartitionState]) -> dict[int, list[PartitionState]]:
    """The partitions that have a leader, by the node they are read from: the leader, or the replica it prefers."""
    there: dict[int, list[PartitionState]] = {}
    for state in states:
        node_id = _node_of(state)
        if node_id in there:
            there[node_id].append(state)
        elif node_id != NO_LEADER:
            there[node_id] = [state]
    return there


def _node_of(state: PartitionState) -> int:
    node_id = state.leader
    if node_id is None:
        return NO_LEADER
    return node_id if state.replica is LEADER else state.replica.node_id(node_id)


def _turn(state: PartitionState) -> int:
    return state.turn


def _answered_nodes(context: FetchContext) -> list[int]:
    """The nodes whose resting partitions have to be fetched again."""
    nodes = context.underway.nodes.items()
    return [node_id for node_id, node in nodes if node.resting is not None and node.resting.is_answered]


def _wake_buffered(context: FetchContext) -> list[PartitionState]:
    """Wake the resting partitions that may have no room, since records of them are buffered; returns these."""
    woken, answered = list[PartitionState](), _answered_nodes(context)
    if not answered or context.is_little_waiting:
        return woken
    waiting = {*context.buffers.runs, *context.underway.decoded_partitions}
    for node_id in answered:
        node = context.underway.nodes[node_id]
        resting = node.resting
        assert resting is not None
        there = context.assigned.known(tp for tp in waiting if resting.has(tp))
        resting.wake(there)
        woken += there
        if resting.is_empty:
            context.wake(node)
    return woken


def _begin(
    context: FetchContext,
    node_id: int,
    asked: Collection[PartitionState],
    most_bytes: int,
    wait_ms: int,
    now: float,
    is_out_of_session: bool = False,
) -> Fetch:
    """Begin a fetch of these partitions at their next fetch offsets."""
    node = context.underway.nodes[node_id]
    resting = None if is_out_of_session or node.resting is None or not node.resting.is_answered else node.resting
    visited = {state.partition: state.next_position() for state in asked}
    positions = tuple(visited.values())
    if resting is None:
        wanted = visited
        fences: Mapping[TopicPartition, int] = {state.partition: state.fence for state in asked}
        names: Mapping[TopicId, str] = names_of(positions)
        all_max_bytes = sum([position.max_bytes for position in positions])
        session = SessionRequest.alone(positions) if is_out_of_session else node.session.ask(positions)
    else:
        wanted, fences = resting.positions_with(visited), resting.fences_with(asked)
        names, all_max_bytes = resting.names_with(asked), resting.max_bytes_with(positions)
        session = node.session.ask_again(positions, resting.dropped_without(visited))
    most_bytes = min(most_bytes, all_max_bytes)
    for state in asked:
        state.asked = True
        state.is_new_there = state.is_new_there and is_out_of_session
    fetch = Fetch(
        node_id,
        wanted,
        max_bytes=most_bytes,
        max_wait_ms=wait_ms,
        fences=fences,
        session=session,
        # A request has one rack for all of its partitions.
        sends_rack=all(state.replica.withholds_rack_until <= now for state in asked),
        set_aside_bytes=int(most_bytes * (1 + context.budget.growth)),  # memory for the frame and for its columns
        asked_at=now,
        is_out_of_session=is_out_of_session,
        names=names,
        has_ends=any(state.bound is not None for state in asked),
    )
    if resting is not None:
        assert context.searched is not None, "a plan that does not visit all partitions has searched the image"
        resting.go_on(fetch, asked, all_max_bytes, context.searched)
    return context.underway.ask(fetch)


# ---- out of session


def _waiting(context: FetchContext, now: float) -> Mapping[int, Collection[PartitionState]]:
    """The partitions that are not yet part of their node's regular fetch (of all its partitions), by node."""
    new = [state for state in context.pending_states if state.is_new_there and state.is_read and state.may_ask(now)]
    return _by_node(state for state in new if not context.buffers.has(state.partition)) if new else {}


def _plan_out_of_session(
    context: FetchContext, waiting: Mapping[int, Collection[PartitionState]], now: float
) -> list[Fetch]:
    """One fetch out of session for each node whose long poll keeps partitions waiting."""
    fetches: list[Fetch] = []
    for node_id, there in waiting.items():
        free_bytes = context.budget.buffer_bytes - context.buffers.total_bytes - context.underway.reserved_bytes
        most_bytes = context.budget.for_fetch(free_bytes, len(waiting))
        at = _may_begin_at(context, node_id)
        if at is not None and at <= now and most_bytes:
            fetches.append(_begin(context, node_id, there, most_bytes, SHORT_WAIT_MS, now, is_out_of_session=True))
    return fetches


def _may_begin_at(context: FetchContext, node_id: int) -> float | None:
    """When a fetch out of session may begin; None if one is in flight, or if the node can't be in a long poll."""
    node = context.underway.nodes[node_id]
    if node.out_of_session is not None or node.asked is None or node.asked.max_wait_ms <= SHORT_WAIT_MS:
        return None
    return node.asked.asked_at + AFTER_S

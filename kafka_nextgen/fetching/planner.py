"""Decides what to request next, and from which node.

- Positions first: a partition without a position is looked up among the group's committed offsets, or at its leader.
- Each node has one fetch in flight, ahead of the application, also while its last answer is decoded (``underway``). The
  fetch asks for every partition that is read from that node (its leader, or the replica that its leader prefers:
  ``replicas``), is not paused and has less buffered than its share (an equal part of ``fetch.buffer.bytes``). Other
  partitions are left out, and do not delay the rest.
- If a partition was left out, the broker may wait for new records only for a moment, not for ``fetch.max.wait.ms``: the
  application may take what is buffered at any time, and the next request must ask for that partition again.
- A fetch requests no more than there is room for, after subtracting the answers that other requests may still bring
  (``fetch_budget``). A broker sends its first batch whole under any limit (KIP-74), so that a small limit delays but
  never blocks.
- A partition that has no leader, a changed leader or a deleted topic needs metadata first.

A partition that is new to a node (assigned, resumed, sought, or led by another node before) need not wait for the
node's long poll, which may take ``fetch.max.wait.ms``. It is fetched *out of session*:

- over another connection, since a node answers each connection in order; outside the node's session, which stays
  unchanged; and repeatedly, with a short wait.
- Only once the node's fetch has been open for a while: if records arrive all the time, that fetch is answered at once,
  and the next one requests all partitions.
- While something is fetched out of session from a node, other fetches there have a short wait, too, so that the next
  one requests all partitions again.
- Partitions with buffered records are not fetched out of session.

These functions change nothing: they return needs, and the caller notes what was requested. Leaders must be looked up
before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kafka_nextgen.fetching.buffers import Buffers
from kafka_nextgen.fetching.context import FetchContext
from kafka_nextgen.fetching.needs import Fetch, NeedCommittedOffset, NeedMetadata, NeedOffsetReset
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.resets import question_of
from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.fetching.settings import SHORT_WAIT_MS
from kafka_nextgen.fetching.underway import Underway
from kafka_nextgen.requests.fetch import names_of

__all__ = [
    "by_leader",
    "out_of_session_at",
    "plan_committed",
    "plan_fetches",
    "plan_metadata",
    "plan_out_of_session",
    "plan_resets",
]


def plan_committed(states: Iterable[PartitionState], now: float) -> list[NeedCommittedOffset]:
    """One lookup for all partitions that need a committed offset."""
    fences = {
        state.partition: state.fence
        for state in states
        if state.phase is Phase.AWAITING_POSITION and state.may_ask(now)
    }
    return [NeedCommittedOffset(fences)] if fences else []


def plan_resets(states: Iterable[PartitionState], now: float) -> list[NeedOffsetReset]:
    """One request per leader for the partitions whose position has to be reset."""
    wanted = [state for state in states if state.phase is Phase.AWAITING_RESET and state.may_ask(now)]
    return [
        NeedOffsetReset(
            node_id,
            questions={state.partition: question_of(state) for state in led},
            leader_epochs={state.partition: state.leader_epoch for state in led},
            fences={state.partition: state.fence for state in led},
        )
        for node_id, led in by_leader(wanted).items()
    ]


def plan_metadata(states: Iterable[PartitionState]) -> list[NeedMetadata]:
    """One refresh for all topics that lack a leader or have a wrong one."""
    fences = {
        state.partition: state.fence for state in states if state.has_question and (state.stale or _lacks_leader(state))
    }
    return [NeedMetadata(frozenset(tp.topic for tp in fences), fences)] if fences else []


def plan_fetches(context: FetchContext, now: float) -> list[Fetch]:
    """One fetch per node that has something to fetch and no fetch in flight."""
    settings, buffers, underway, budget = context.settings, context.buffers, context.underway, context.budget
    active = [state for state in context.assigned.states if state.is_read]
    wanted = [state for state in active if state.may_ask(now)]
    if not wanted:
        return []
    fetches: list[Fetch] = []
    free_bytes = budget.buffer_bytes - buffers.total_bytes - underway.total_bytes
    share_bytes = settings.buffer_bytes // len(active)
    to_ask = _by_replica(wanted)
    nodes = len(to_ask if len(wanted) == len(active) else _by_replica(active))
    is_little = buffers.total_bytes + underway.decoding_bytes < share_bytes
    for node_id, there in to_ask.items():
        most_bytes = budget.for_fetch(free_bytes, nodes)
        if underway.is_busy(node_id) or not most_bytes:
            continue
        asked = [
            state
            for state in there
            if (is_little and not state.drain_first) or _has_room(state, buffers, underway, share_bytes)
        ]
        if not asked:
            continue
        most_bytes = min(most_bytes, settings.max_bytes, sum([state.most_bytes for state in asked]))
        is_all = len(asked) == len(there) and not underway.is_asked_out_of_session(node_id)
        wait_ms = settings.max_wait_ms if is_all else min(settings.max_wait_ms, SHORT_WAIT_MS)
        fetches.append(_fetch_of(node_id, asked, most_bytes, wait_ms, budget.taken_by(most_bytes), now))
        free_bytes -= fetches[-1].set_aside_bytes
    return fetches


def _fetch_of(
    node_id: int,
    asked: Collection[PartitionState],
    most_bytes: int,
    wait_ms: int,
    set_aside_bytes: int,
    now: float,
    is_out_of_session: bool = False,
) -> Fetch:
    """A fetch of these partitions at their next fetch offsets."""
    wanted = {state.partition: state.next_position() for state in asked}
    return Fetch(
        node_id,
        wanted,
        max_bytes=most_bytes,
        max_wait_ms=wait_ms,
        fences={state.partition: state.fence for state in asked},
        session=SessionRequest.alone(tuple(wanted.values())),
        # A request has one rack for all of its partitions.
        sends_rack=all(state.replica.withholds_rack_until <= now for state in asked),
        set_aside_bytes=set_aside_bytes,
        asked_at=now,
        is_out_of_session=is_out_of_session,
        names=names_of(wanted.values()),
        has_ends=any(state.bound is not None for state in asked),
    )


def _has_room(state: PartitionState, buffers: Buffers, underway: Underway, share_bytes: int) -> bool:
    waiting_bytes = buffers.bytes_of(state.partition) + underway.bytes_of(state.partition)
    return not waiting_bytes or (not state.drain_first and waiting_bytes < share_bytes)


def by_leader(states: Iterable[PartitionState]) -> dict[int, list[PartitionState]]:
    """The partitions that have a leader, by its node."""
    led: dict[int, list[PartitionState]] = {}
    for state in states:
        if state.leader is not None:
            led.setdefault(state.leader, []).append(state)
    return led


def _by_replica(states: Iterable[PartitionState]) -> dict[int, list[PartitionState]]:
    """The partitions that have a leader, by the node they are read from."""
    there: dict[int, list[PartitionState]] = {}
    for state in states:
        node_id = state.node_id
        if node_id in there:
            there[node_id].append(state)
        elif node_id is not None:
            there[node_id] = [state]
    return there


def _lacks_leader(state: PartitionState) -> bool:
    if state.gone:
        return True  # one broker may not have known the topic yet
    return state.phase is not Phase.AWAITING_POSITION and state.leader is None


#: How long (seconds) a node's fetch is open before something is fetched out of session.
AFTER_S = 0.01


def plan_out_of_session(context: FetchContext, now: float) -> list[Fetch]:
    """One fetch out of session for each node whose long poll keeps partitions waiting."""
    fetches: list[Fetch] = []
    underway, budget = context.underway, context.budget
    there = _by_replica(_waiting(context, now))
    free_bytes = budget.buffer_bytes - context.buffers.total_bytes - underway.total_bytes if there else 0
    for node_id, waiting in there.items():
        most_bytes = budget.for_fetch(free_bytes, len(there))
        at = _may_begin_at(node_id, underway)
        if at is None or at > now or not most_bytes:
            continue
        most_bytes = min(most_bytes, sum(state.most_bytes for state in waiting))
        taken_bytes = budget.taken_by(most_bytes)
        fetches.append(_fetch_of(node_id, waiting, most_bytes, SHORT_WAIT_MS, taken_bytes, now, is_out_of_session=True))
        free_bytes -= taken_bytes
    return fetches


def out_of_session_at(context: FetchContext, now: float) -> list[float]:
    """The earliest time at which there may be something to fetch out of session."""
    times = [_may_begin_at(node_id, context.underway) for node_id in _by_replica(_waiting(context, now))]
    return [at for at in times if at is not None]


def _waiting(context: FetchContext, now: float) -> list[PartitionState]:
    return [
        state
        for state in context.assigned.states
        if state.is_new_there
        and state.phase is Phase.FETCHING
        and state.may_hand_over
        and state.may_ask(now)
        and not context.buffers.has(state.partition)
    ]


def _may_begin_at(node_id: int, underway: Underway) -> float | None:
    opened_at = underway.long_poll_since(node_id)
    return None if opened_at is None or underway.is_asked_out_of_session(node_id) else opened_at + AFTER_S

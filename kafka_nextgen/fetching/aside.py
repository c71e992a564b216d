"""Fetching aside: a partition that is new to a node need not wait for the node's long poll.

A node is asked for one fetch at a time, and if there is nothing new it holds it back for ``fetch.max.wait.ms``. What
is to be read from it from now on (assigned, resumed, sought, or led by another node before) would wait as long to be
asked for, although there may be records.

- So it is fetched aside: over a connection of its own, for a node answers one connection in order; outside of the
  node's session, which goes on as it is; and held back for a moment only, again and again.
- Nothing is fetched aside before the node's fetch has been open for a while: where records come all the time it is
  answered at once, and the next one is for all.
- A fetch that goes to a node while something is fetched aside there is held back for a moment only as well. So the one
  that follows is for all again.
- What has records waiting is in no hurry.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.fetching.buffers import Buffers
from kafka_nextgen.fetching.outcomes import Fetch
from kafka_nextgen.fetching.planner import by_replica, fetch_of
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.room import Room
from kafka_nextgen.fetching.settings import SHORT_WAIT_MS
from kafka_nextgen.fetching.underway import Underway

__all__ = ["aside_at", "plan_aside"]

#: How long (seconds) a node's fetch is open before something is fetched aside.
AFTER_S = 0.01


def plan_aside(
    states: Iterable[PartitionState], buffers: Buffers, underway: Underway, room: Room, now: float
) -> list[Fetch]:
    """One fetch aside for each node whose long poll keeps partitions waiting."""
    fetches: list[Fetch] = []
    there = by_replica(_waiting(states, buffers, now))
    free_bytes = room.buffer_bytes - buffers.total_bytes - underway.total_bytes if there else 0
    for node_id, waiting in there.items():
        most_bytes = room.for_fetch(free_bytes, len(there))
        at = _may_begin_at(node_id, underway)
        if at is None or at > now or not most_bytes:
            continue
        most_bytes = min(most_bytes, sum(state.most_bytes for state in waiting))
        taken_bytes = room.taken_by(most_bytes)
        fetches.append(fetch_of(node_id, waiting, most_bytes, SHORT_WAIT_MS, taken_bytes, now, is_aside=True))
        free_bytes -= taken_bytes
    return fetches


def aside_at(states: Iterable[PartitionState], buffers: Buffers, underway: Underway, now: float) -> list[float]:
    """When there may be something to fetch aside, if there is not yet."""
    moments = [_may_begin_at(node_id, underway) for node_id in by_replica(_waiting(states, buffers, now))]
    return [at for at in moments if at is not None]


def _waiting(states: Iterable[PartitionState], buffers: Buffers, now: float) -> list[PartitionState]:
    return [
        state
        for state in states
        if state.is_new_there
        and state.phase is Phase.FETCHING
        and state.may_hand_over
        and state.may_ask(now)
        and not buffers.has(state.partition)
    ]


def _may_begin_at(node_id: int, underway: Underway) -> float | None:
    opened_at = underway.long_poll_since(node_id)
    return None if opened_at is None or underway.is_asked_aside(node_id) else opened_at + AFTER_S

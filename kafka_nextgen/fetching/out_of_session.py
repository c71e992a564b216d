"""Fetching out of session: a partition that is new to a node need not wait for the node's long poll.

A node is asked for one fetch at a time, and if there is nothing new it holds it back for ``fetch.max.wait.ms``. What
is to be read from it from now on (assigned, resumed, sought, or led by another node before) would wait as long to be
asked for, although there may be records.

- So it is fetched out of session: over a connection of its own, for a node answers one connection in order; outside of
  the node's session, which goes on as it is; and held back for a moment only, again and again.
- Nothing is fetched out of session before the node's fetch has been open for a while: where records come all the time
  it is answered at once, and the next one is for all.
- A fetch that goes to a node while something is fetched out of session there is held back for a moment only, too. So
  the one that follows is for all again.
- What has records waiting is in no hurry.
"""

from __future__ import annotations

from kafka_nextgen.fetching.context import FetchContext
from kafka_nextgen.fetching.needs import Fetch
from kafka_nextgen.fetching.planner import by_replica, fetch_of
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.settings import SHORT_WAIT_MS
from kafka_nextgen.fetching.underway import Underway

__all__ = ["out_of_session_at", "plan_out_of_session"]

#: How long (seconds) a node's fetch is open before something is fetched out of session.
AFTER_S = 0.01


def plan_out_of_session(context: FetchContext, now: float) -> list[Fetch]:
    """One fetch out of session for each node whose long poll keeps partitions waiting."""
    fetches: list[Fetch] = []
    underway, budget = context.underway, context.budget
    there = by_replica(_waiting(context, now))
    free_bytes = budget.buffer_bytes - context.buffers.total_bytes - underway.total_bytes if there else 0
    for node_id, waiting in there.items():
        most_bytes = budget.for_fetch(free_bytes, len(there))
        at = _may_begin_at(node_id, underway)
        if at is None or at > now or not most_bytes:
            continue
        most_bytes = min(most_bytes, sum(state.most_bytes for state in waiting))
        taken_bytes = budget.taken_by(most_bytes)
        fetches.append(fetch_of(node_id, waiting, most_bytes, SHORT_WAIT_MS, taken_bytes, now, is_out_of_session=True))
        free_bytes -= taken_bytes
    return fetches


def out_of_session_at(context: FetchContext, now: float) -> list[float]:
    """When there may be something to fetch out of session, if there is not yet."""
    times = [_may_begin_at(node_id, context.underway) for node_id in by_replica(_waiting(context, now))]
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

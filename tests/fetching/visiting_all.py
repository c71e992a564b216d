"""A plan of the pending partitions beside one that visits all: they are the same, and leave the same behind."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from attrs import asdict, evolve

from kafka_nextgen.fetching import Fetch, FetchState, Need
from kafka_nextgen.fetching.context import FetchContext
from kafka_nextgen.fetching.planning import Plan
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.replicas import LEADER
from kafka_nextgen.fetching.resting import is_idle
from kafka_nextgen.fetching.sessions import FetchSession
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.types import TopicPartition


def plan_both_ways(state: FetchState, image: ClusterImage, now: float) -> Plan:
    """Plan, and compare with the plan of a copy that visits all partitions."""
    context = context_of(state)
    sets_are_complete(context)
    other = copy_of(state)
    context_of(other).wake_all()
    plan, whole = state.planning.plan(image, now), other.planning.plan(image, now)
    assert [_comparable(need) for need in plan.needs] == [_comparable(need) for need in whole.needs]
    assert (plan.deadline, plan.topics) == (whole.deadline, whole.topics)
    assert state.planning.waits_for_room == other.planning.waits_for_room
    assert _all_of(state) == _all_of(other)
    sets_are_complete(context)
    return plan


def answer_both_ways(state: FetchState, fetch: Fetch, answer: Callable[[FetchState, Fetch], None]) -> None:
    """Apply an answer, and compare with a copy in which each partition is visited."""
    other = copy_of(state)
    context_of(other).wake_all()
    answer(state, fetch)
    answer(other, fetch)
    one, two = _all_of(state), _all_of(other)
    assert one | {"read": None} == two | {"read": None}
    sets_are_complete(context_of(state))


def context_of(state: FetchState) -> FetchContext:
    return state._context


def _comparable(need: Need) -> Need:
    """Without the order of what is forgotten, and with no names but those of the topics fetched."""
    if not isinstance(need, Fetch):
        return need
    forgotten = sorted(need.session.forgotten)
    return need._replace(session=need.session._replace(forgotten=tuple(forgotten)))


def _all_of(state: FetchState) -> dict[str, Any]:
    """All that a plan changes, once each partition has its own state."""
    whole = context_of(copy_of(state))
    whole.wake_all()
    return {
        "order": list(whole.assigned.by_partition),
        "states": [evolve(each, asked_for=None, error=None) for each in whole.assigned.states],
        "errors": {tp: str(each.error) for tp, each in whole.assigned.by_partition.items()},
        "sessions": {node_id: _session(node.session) for node_id, node in whole.underway.nodes.items()},
        "reserved": whole.underway.reserved_bytes,
        "read": {node_id: count for node_id, count in whole.num_read.items() if node_id is not None and count},
    }


def _session(session: FetchSession) -> tuple[object, ...]:
    return session._id, session._epoch, session._known, session._open is None


def sets_are_complete(context: FetchContext) -> None:
    """Compare the sets with what visiting all partitions finds."""
    assigned, image = context.assigned, context.searched
    if assigned.all_pending:
        return
    assert image is not None
    resting: dict[TopicPartition, PartitionState] = {}
    for node_id, node in context.underway.nodes.items():
        if node.resting is None:
            continue
        there = node.resting.resting_of(assigned.by_partition)
        for state in there:
            assert state.asked
            assert state.leader == node_id
            assert state.replica is LEADER
            assert state.may_hand_over
            assert not any((state.failures, state.stale, state.gone, state.error, state.drain_first, state.bound))
            assert not state.is_new_there
            assert state.end_offset >= 0
            assert state.partition not in assigned.pending
        resting.update({state.partition: state for state in there})
        assert node.resting.max_bytes == sum(position.max_bytes for position in node.resting.fetch.wanted.values())
        assert node.resting.is_answered == (node.asked is None)
    for state in assigned.states:
        if not state.asked and not is_idle(state, image):
            assert state.partition in assigned.pending


def copy_of(state: FetchState) -> FetchState:
    """An independent copy, but for what never changes: images, topic ids, errors and records."""
    memo: dict[int, Any] = {}
    for each in _unchanging(state):
        memo[id(each)] = each
    found = copy.deepcopy(state, memo)
    states = found.by_partition.values()
    context_of(found).assigned.states = found.handover._states = states
    return found


def _unchanging(state: FetchState) -> Iterator[object]:
    context = context_of(state)
    yield context.assigned.states  # a view, which can't be copied
    yield context.searched
    yield context.settings
    if context.steady_state is not None:
        yield context.steady_state.image
    for each in context.assigned.states:
        yield from (value for name, value in asdict(each, recurse=False).items() if name != "bound")
    for node in context.underway.nodes.values():
        yield from (node.asked, node.out_of_session, *(rest.fetch for rest in node.decoding))
        yield from (node.resting and node.resting.fetch, node.session._open)
        yield from (*node.session._known, *node.session._known.values())
    for runs in context.buffers.runs.values():
        yield from (run.columns for run in runs)

"""Fetches in sessions that have begun, answered the short way."""

from __future__ import annotations

from kafka_nextgen.fetching import (
    DecodedPartition,
    Fetch,
    Need,
    SessionAnswer,
)
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.world import World, bring

__all__ = ["LEADERS", "P0", "P1", "P2", "P3", "PARTITIONS", "SESSION", "begin", "read_on", "simple", "told"]

P0, P1, P2, P3 = PARTITIONS = [TopicPartition("orders", number) for number in range(4)]
NODES = {1: (P0, P1), 2: (P2, P3)}
LEADERS = {tp: node for node, led in NODES.items() for tp in led}
SESSION = 7


def told(*partitions: TopicPartition, error: int = 0, session_id: int = SESSION) -> SessionAnswer:
    return SessionAnswer(error, session_id, partitions)


def read_on(world: World, fetch: Fetch, *results: DecodedPartition | Columns) -> Fetch | None:
    """Answer a fetch in its session, the short way."""
    decoded = [result if isinstance(result, DecodedPartition) else bring(result) for result in results]
    head = told(*[result.partition for result in decoded])
    return world.state.read_on(fetch, head, decoded, world.image, world.now)


def begin(world: World, *partitions: TopicPartition) -> dict[int, Fetch]:
    """Read these partitions from 0 on, in sessions that have been begun; the fetches on their way, by node."""
    world.start(*partitions)
    for need in world.plan():
        assert isinstance(need, Fetch)
        world.receive(need, told(*need.wanted))
        world.state.fetched(need, [bring(Columns(tp, 0)) for tp in need.wanted], world.now)
    return {need.node_id: need for need in world.plan() if isinstance(need, Fetch)}


def simple(need: Need) -> Need:
    """Without the order in which partitions are told."""
    if not isinstance(need, Fetch):
        return need
    told_in_order = tuple(sorted(need.session.told, key=lambda each: each.partition))
    return need._replace(session=need.session._replace(told=told_in_order))

"""Ends the fetch sessions when a consumer closes, so that nodes keep nothing for it (KIP-227).

A node has room for a thousand sessions, and would keep one of a consumer that is gone for two minutes at least; while
there is no room, others have to name all their partitions in every fetch. It is a courtesy all the same, and must not
take long. A fetch that is still held back by a node would hold back everything behind it, so the end of its session is
told over the connection for general requests.
"""

from __future__ import annotations

import asyncio

from kafka_nextgen.bridge.fetch import FetchLimits, to_request
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.logs import logger_of
from kafka_nextgen.transport.cluster import ClusterClient, Node
from kafka_nextgen.transport.targets import Purpose
from kafka_nextgen.wire.apis import FETCH

__all__ = ["end_sessions"]

logger = logger_of("kafka_nextgen.fetch")

#: How long (seconds) all of this may take.
LIMIT_S = 0.1

_FOR_NOTHING = FetchLimits(max_wait_ms=0, min_bytes=0, max_bytes=0)


async def end_sessions(cluster: ClusterClient, fetches: LockedFetches) -> None:
    """Tell every node with a session of ours that it is over."""
    with fetches.locked() as state:
        ends = state.planning.session_ends()
    await asyncio.gather(*(_end(cluster, node_id, request) for node_id, request in ends.items()))


async def _end(cluster: ClusterClient, node_id: int, session: SessionRequest) -> None:
    try:
        await cluster.call(
            Node(node_id, Purpose.GENERAL),
            FETCH,
            lambda version: to_request((), _FOR_NOTHING, version, session.session_id, session.epoch),
            LIMIT_S,
        )
    except KafkaNextgenError as failure:
        logger.debug("node %d was not told that the fetch session is over: %s", node_id, failure)

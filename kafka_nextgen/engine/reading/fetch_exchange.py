"""Fetches from one node: the first fetch, those of the steady state, and the end of fetch sessions.

The steady state begins after a node has returned a few small answers in a row. Starting it iterates over all
partitions, which is not worthwhile if answers are large.

When a consumer closes, it ends its fetch sessions (KIP-227). A node has room for a thousand sessions, and would keep
those of a closed consumer for at least two minutes; without room for a session, other consumers have to name all their
partitions in every fetch. Ending sessions is best effort, and must not take long. A fetch that a node is still delaying
would block all later requests on its connection, so the request that ends the session uses the connection for general
requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from attrs import evolve

from kafka_nextgen import clocks
from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.observability.counters import FetchCounters
from kafka_nextgen.engine.reading.lent_sockets import LentSocket, LentSockets
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.fetching import DecodedPartition, Fetch, NodeFetches
from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.fetching.socket_answers import SteadySocket
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.requests.fetch import FetchLimits, to_request
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.targets import Node, Purpose
from kafka_nextgen.transport.waiting import EagerFuture
from kafka_nextgen.wire.apis import FETCH, Answer
from kafka_nextgen.wire.fetch_request import WITH_TOPIC_IDS, RawFetchRequest
from kafka_nextgen.wire.frames import client_head
from kafka_nextgen.wire.records import BinaryColumn, Columns, HeaderColumn

__all__ = ["ExchangeContext", "FetchExchange", "end_sessions"]

logger = logger_of("kafka_nextgen.fetch")

#: The number of answers in a row that the application waits for before its thread receives them.
AWAITED_BEFORE_LENT = 8

#: How long (seconds) ending all sessions may take.
ENDING_S = 0.1

_FOR_NOTHING = FetchLimits(max_wait_ms=0, min_bytes=0, max_bytes=0)


@frozen
class ExchangeContext:
    """The data shared by all fetches of a consumer. ``isolation_level`` is Kafka's number for it.

    ``sockets`` are the connections lent to the application's thread, None if this is not possible. ``is_awaited``
    returns whether the application is waiting. ``on_records`` is called after the next request has been sent, if a
    steady-state response contained records.
    """

    config: ConsumerConfig
    cluster: ClusterClient
    fetches: LockedFetches
    counters: FetchCounters
    on_records: Callable[[], None]
    isolation_level: int
    sockets: LentSockets | None
    is_awaited: Callable[[], bool]


class FetchExchange:
    """An ``Exchange`` for ``fetch``; it enters the steady state if ``may_be_steady`` is set and other conditions hold.

    The caller that starts the exchange awaits ``reply``.
    """

    def __init__(self, fetch: Fetch, context: ExchangeContext, may_be_steady: bool) -> None:
        self.reply: EagerFuture[Answer] | None = None
        self.node = Node(fetch.node_id, Purpose.FETCH_OUT_OF_SESSION if fetch.is_out_of_session else None)
        self.timeout_s = (fetch.max_wait_ms + context.config.request_timeout_ms) / 1000
        #: When the last request was made, in monotonic seconds.
        self.asked_at = 0.0
        #: The number of answers of the steady state that has ended; None if it did not begin.
        self.num_followed: int | None = None
        self._fetch = fetch
        self._context = context
        self._may_be_steady = may_be_steady and ACCELERATED
        self._steady: NodeFetches | None = None
        self._has_news = False
        self._awaited = 0  # the number of answers in a row that the application was waiting for
        self._lent: LentSocket | None = None

    def begin(self, version: int) -> RawFetchRequest:
        """Return the first request."""
        fetch, config, session = self._fetch, self._context.config, self._fetch.session
        limits = FetchLimits(
            max_wait_ms=fetch.max_wait_ms,
            min_bytes=1 if fetch.has_ends else config.fetch_min_bytes,
            max_bytes=fetch.max_bytes,
            isolation_level=self._context.isolation_level,
            rack_id=(config.client_rack or "") if fetch.sends_rack else "",
        )
        request = to_request(session.told, limits, version, session.session_id, session.epoch, session.forgotten)
        if self._may_be_steady and self._steady is None and version >= WITH_TOPIC_IDS:
            self._steady = self._context.fetches.begin_steady(
                fetch, self._context.cluster.metadata, lambda: self._make_step(version, request)
            )
        self.asked_at = clocks.monotonic()
        return request

    def follow(self, frame: memoryview, correlation_id: int) -> bytes | None:
        """Return the next request; None unless the state is steady and the fast path can handle the answer."""
        if self._steady is None:
            return None
        now, context = clocks.monotonic(), self._context
        taken = context.fetches.take_steady(self._steady, context.cluster.metadata, frame, correlation_id, now)
        if taken is None:
            return None
        request, decoded = taken
        context.counters.latency.note(now - self.asked_at, now)
        context.counters.count_records(decoded)
        self._has_news = bool(decoded)
        self.asked_at = now
        return request

    def sent(self) -> None:
        """Wake the application now that this thread has finished; woken earlier, it would have to wait for the GIL."""
        if self._has_news:
            self._awaited = self._awaited + 1 if self._context.is_awaited() else 0
            self._context.on_records()

    @property
    def wants_lending(self) -> bool:
        """Whether the application waits for each answer, so that its thread should receive them."""
        return self._awaited >= AWAITED_BEFORE_LENT

    def lend(
        self,
        fd: int,
        correlation_id: int,
        asked_at: float,
        take_back: Callable[[], None],
        is_throttled: Callable[[], bool],
        count_traffic: Callable[[], None],
    ) -> SteadySocket | None:
        """Let the application's thread receive the answers on this socket; None if it can't."""
        sockets, steady = self._context.sockets, self._steady
        self._awaited = 0
        if sockets is None or steady is None or not sockets.has_room:
            return None
        socket = self._context.fetches.lend_steady(
            steady, lambda step: accelerator.SteadySocket(step, fd, correlation_id, asked_at)
        )
        if socket is not None:
            self._lent = LentSocket(socket, fd, take_back, is_throttled, count_traffic)
            sockets.add(self._lent)
            self._context.on_records()  # the application waits again, now on the socket
        return socket

    def note_answers(self, count: int, total_s: float, longest_s: float) -> None:
        """Count answers that the application's thread has received."""
        self._context.counters.latency.note(total_s, clocks.monotonic(), count, longest_s)

    def take_back(self) -> None:
        """Receive the answers on the I/O thread again."""
        lent, steady, sockets = self._lent, self._steady, self._context.sockets
        assert lent is not None
        assert steady is not None
        assert sockets is not None
        self._lent = None
        lent.socket.stop()  # first: no thread begins to watch it from now on
        sockets.remove(lent)
        self._context.fetches.take_back_steady(steady)
        self.asked_at = lent.socket.asked_at

    def end(self) -> Fetch:
        """End the steady state, and return the fetch that was answered last or has failed."""
        if self._steady is not None:
            self._fetch = self._context.fetches.end_steady(self._steady)
            self.num_followed = self._steady.settled_answers
            self._steady = None
        return self._fetch

    def _make_step(self, version: int, request: RawFetchRequest) -> accelerator.SteadyFetch[DecodedPartition]:
        """Create the object that produces the requests after the first one."""
        session = self._fetch.session
        places = [
            (tp, at.topic_id.bytes, tp.partition, at.leader_epoch, at.offset, at.last_epoch, at.max_bytes)
            for tp, at in self._fetch.wanted.items()
            if at.topic_id is not None
        ]
        return accelerator.SteadyFetch(
            version,
            session.session_id,
            session.epoch,
            client_head(self._context.config.client_id),
            request.limits(version),
            evolve(request, forgotten=()).rest(version),
            places,
            self._context.config.check_crcs,
            DecodedPartition,
            (Columns, BinaryColumn, HeaderColumn),
        )


async def end_sessions(cluster: ClusterClient, fetches: LockedFetches) -> None:
    """Inform every node with a session of this consumer that the session has ended."""
    with fetches as state:
        ends = state.planning.session_ends()
    await asyncio.gather(*(_end(cluster, node_id, request) for node_id, request in ends.items()))


async def _end(cluster: ClusterClient, node_id: int, session: SessionRequest) -> None:
    try:
        await cluster.call(
            Node(node_id, Purpose.GENERAL),
            FETCH,
            lambda version: to_request((), _FOR_NOTHING, version, session.session_id, session.epoch),
            ENDING_S,
        )
    except KafkaNextgenError as failure:
        logger.debug("node %d could not be informed of the end of the fetch session: %s", node_id, failure)

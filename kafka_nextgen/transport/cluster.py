"""The client of one cluster: sends requests to any broker, to one by its id, or to the coordinator of a group.

``call`` finds the broker, connects, negotiates the version and waits for the answer, all within one time limit. It
repeats only what is idempotent: connecting, metadata requests and FindCoordinator. The caller decides whether a request
that was already sent may be sent again. ``run_exchange`` and ``try_exchange`` are for callers that send one broker many
requests in a row.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Mapping
from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kafka_nextgen.errors import (
    AuthenticationError,
    BrokerError,
    DecodeError,
    DisconnectedError,
    NoBrokersError,
    OutageError,
    RequestTimeoutError,
    TransportError,
)
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.requests.api_versions import MeantBroker
from kafka_nextgen.transport.background import OnFailure, log_failure
from kafka_nextgen.transport.coordinators import Coordinators
from kafka_nextgen.transport.known_brokers import KnownBrokers
from kafka_nextgen.transport.metadata import ClusterMetadata
from kafka_nextgen.transport.pool import ConnectionPool
from kafka_nextgen.transport.retrying import FailureLog
from kafka_nextgen.transport.targets import ANY, AnyBroker, Coordinator, Node, Purpose, Target, purpose_of
from kafka_nextgen.transport.throttling import ThrottledError, throttle_in
from kafka_nextgen.transport.waiting import ClosedError, Deadline, EagerFuture
from kafka_nextgen.wire.apis import Answer, Api, Question, negotiate

if TYPE_CHECKING:
    from kafka_nextgen.requests.cluster_image import Broker, ClusterImage
    from kafka_nextgen.transport.concurrency import SendQueue
    from kafka_nextgen.transport.connection import Connection
    from kafka_nextgen.transport.pipeline import Exchange
    from kafka_nextgen.transport.settings import TransportSettings
    from kafka_nextgen.transport.traffic import Traffic
    from kafka_nextgen.types import TopicId

__all__ = ["ANY", "AnyBroker", "ClusterClient", "Coordinator", "Node", "Target"]

logger = logger_of(__name__)

T = TypeVar("T")


class _Call(NamedTuple):
    """The description of a call, formatted only for an error: there may be a thousand calls a second."""

    api: Api
    target: Target

    def __str__(self) -> str:
        return f"{self.api} to {self.target}"


class _Route(NamedTuple):
    """The connection and version for an API and a node, valid as long as ``brokers`` are the known brokers."""

    brokers: Mapping[int, ServerAddress]
    connection: Connection
    version: int


class ClusterClient:
    """Metadata, coordinators and connections of one cluster, on the running event loop.

    ``chance`` returns numbers in [0, 1) for jitter and for choosing among equals. ``on_failure`` gets unexpected
    exceptions of background tasks. ``traffic`` counts over all connections.
    """

    def __init__(
        self,
        settings: TransportSettings,
        *,
        chance: Callable[[], float] = random.random,
        on_failure: OnFailure = log_failure,
    ) -> None:
        self._settings = settings
        self._chance = chance
        self._closed = False
        self._now = asyncio.get_running_loop().time  # from any thread
        self._pool = ConnectionPool(
            settings,
            chance,
            on_lost=lambda address: self._metadata.request_update(),
            node_of=lambda address: self._brokers.id_at(address),
        )
        self.traffic: Traffic = self._pool.traffic
        self._brokers = KnownBrokers(settings, self._pool, chance)
        self._metadata = ClusterMetadata(settings, self._brokers, chance, on_failure)
        self._coordinators = Coordinators(settings, self._brokers, chance)
        self._routes: dict[tuple[int, Purpose | None, int], _Route] = {}
        if settings.checks_cluster and settings.rebootstraps:
            self._pool.meant_at = self._meant_at
            self._pool.on_wrong_broker = self._rebootstrap

    def _meant_at(self, address: ServerAddress) -> MeantBroker | None:
        """The broker expected at this address; None if unknown, or if several brokers are behind a proxy there."""
        nodes = [node_id for node_id, each in self._brokers.by_id.items() if each == address]
        cluster_id = self._metadata.image.cluster_id
        return None if len(nodes) != 1 or cluster_id is None else MeantBroker(cluster_id, nodes[0])

    def _rebootstrap(self) -> None:
        if self._brokers.by_id:
            self._brokers.rebootstrap()
            self._metadata.request_update()

    @property
    def metadata(self) -> ClusterImage:
        """The newest image of the cluster; empty before ``start``."""
        return self._metadata.image

    def retry_backoff_s(self, failures: int) -> float:
        """Seconds to wait before a retry after this many failures in a row."""
        return self._settings.retry_backoff.delay_s(failures, self._chance())

    def on_metadata(self, callback: Callable[[ClusterImage], None]) -> None:
        """Call ``callback`` on the event loop with each image that differs from the previous one."""
        self._metadata.on_change.append(callback)

    def on_refused(self, callback: Callable[[AuthenticationError], None]) -> None:
        """Call ``callback`` once, not at each retry, when a broker refuses our credentials or is not trusted."""
        self._pool.refusals.on_refused = callback

    @property
    def refusal(self) -> AuthenticationError | None:
        """Why a broker refused this client in its last attempt. May be called from any thread."""
        return self._pool.refusals.newest(self._now())

    def track_topics(self, needed: Callable[[], Collection[str]]) -> None:
        """Refresh the metadata of the topics that ``needed`` returns; ``needed`` is called for each request."""
        self._metadata.topics.needed = needed

    def allow_topic_creation(self, names: Collection[str]) -> None:
        """Request these topics soon; with ``allow.auto.create.topics`` a broker may create missing ones."""
        self._metadata.topics.allow_creation(names)
        self._metadata.request_update()

    @property
    def throttle(self) -> str | None:
        """The current long throttle: which broker, and until when. May be called from any thread."""
        throttle = self._pool.throttles.find_long(self._now())
        return None if throttle is None else str(throttle)

    def lift_throttles(self) -> None:
        """Immediately send requests that are waiting for a throttle to end, because this client is about to close."""
        self._pool.lift_throttles()

    async def start(self, *, keep_trying: bool = False) -> None:
        """Connect to a first broker and discover the others; from then on the metadata is kept fresh.

        Tries every bootstrap server once or, with ``keep_trying``, retries like ``refresh_metadata``. Raises
        ``NoBrokersError``, after which ``start`` may be called again, or ``AuthenticationError``.
        """
        try:
            if keep_trying:
                await self.refresh_metadata(topics=())
            else:
                await self._metadata.refresh((), None, self._deadline("metadata", None))
        except NoBrokersError:
            raise
        except (OutageError, DecodeError, BrokerError) as failure:
            throttle = self._throttle_in(failure)
            raise NoBrokersError(str(throttle) if throttle else f"no broker could be reached: {failure}") from failure
        self._metadata.start()

    async def close(self) -> None:
        """Close every connection. Waiting calls, and all later ones, raise ``DisconnectedError``."""
        self._closed = True
        await self._metadata.close()
        await self._coordinators.close()
        await self._pool.close()

    async def refresh_metadata(
        self,
        topics: Collection[str] | None = None,
        topic_ids: Collection[TopicId] | None = None,
        timeout_s: float | None = None,
    ) -> None:
        """Request these topics, or all tracked ones if both are None; ``metadata`` then contains the result.

        Retries, with backoff, if the answer is invalid or omits a topic that was requested by name. Raises
        ``TransportError`` or ``BrokerError``, or ``NoBrokersError`` if no broker can be reached for ten seconds.
        ``timeout_s`` is in seconds, None for ``default.api.timeout.ms``.
        """
        await self._retry(lambda deadline: self._metadata.refresh(topics, topic_ids, deadline), timeout_s)

    async def all_topics(self, timeout_s: float | None = None) -> ClusterImage:
        """An image with all topics of the cluster; ``metadata`` is unchanged.

        Raises the same errors as ``refresh_metadata``.
        """
        return await self._retry(self._metadata.all_topics, timeout_s)

    async def _retry(self, ask: Callable[[Deadline], Awaitable[T]], timeout_s: float | None) -> T:
        """Repeat a metadata request for a while if no broker can be reached or the answer is invalid."""
        deadline, failures = self._deadline("metadata", timeout_s), 0
        last: Exception | None = None
        unreachable = Deadline(self._settings.unreachable_timeout_s, "metadata")
        failure_log = FailureLog(logger, "connecting to a broker")
        while True:
            try:
                answer = await ask(deadline)
            except (NoBrokersError, DecodeError) as failure:
                failures += 1
                pause_s = self.retry_backoff_s(failures)
                is_unreachable = isinstance(failure, NoBrokersError)
                if is_unreachable and (self._closed or pause_s >= min(unreachable.left_s(), deadline.left_s())):
                    raise
                last = failure
                failure_log.failed(failure)
                await deadline.pause(pause_s, failure)
            except RequestTimeoutError as failure:
                if self.refusal is not None:  # the backoff of a refusal exceeds the time limit
                    raise self.refusal.with_traceback(None) from None
                cause = self._throttle_in(failure) or (last if failure.__cause__ is None else None)
                if cause is None:
                    raise
                raise deadline.missed(cause) from cause
            else:
                failure_log.recovered()
                return answer

    def _throttle_in(self, failure: Exception) -> ThrottledError | None:
        """The throttle that caused a failure. A timeout without a cause is attributed to a current long throttle."""
        has_no_cause = isinstance(failure, RequestTimeoutError) and failure.__cause__ is None
        return ThrottledError(self.throttle) if has_no_cause and self.throttle is not None else throttle_in(failure)

    async def call(
        self,
        target: Target,
        api: Api,
        build: Callable[[int], Question],
        timeout_s: float | None = None,
        *,
        also_requires: Api | None = None,
        queue: SendQueue | None = None,
        connect_timeout_s: float = inf,
    ) -> Answer:
        """Send one request and return its answer; ``build`` receives the version to use.

        The broker must support ``also_requires`` too, or nothing is sent. Requests with the same ``queue`` are sent in
        the order of their calls. ``timeout_s`` (seconds, None for ``request.timeout.ms``) covers everything;
        ``connect_timeout_s`` limits the time spent on finding the broker and connecting to it. Raises
        ``TransportError``, ``DecodeError``, ``UnsupportedProtocolError``, and ``GroupAuthorizationError`` if this
        client may not look up the coordinator. The caller handles error codes in the answer.
        """
        if timeout_s is None:
            timeout_s = self._settings.request_timeout_s
        deadline = self._deadline(_Call(api, target), timeout_s)
        connect_deadline = self._deadline(_Call(api, target), min(connect_timeout_s, timeout_s))

        async def begin() -> EagerFuture[Answer]:
            connection = await self._connect(target, api, connect_deadline)
            version = negotiate(api, connection.ranges)
            if also_requires is not None:
                negotiate(also_requires, connection.ranges)
            return connection.send(api, version, build(version), deadline)

        try:
            return await (queue.send(begin, deadline) if queue else await begin())
        except TransportError:
            if isinstance(target, Coordinator):
                self._coordinators.forget(target.group_id)
            raise

    async def run_exchange(self, node: Node, api: Api, exchange: Exchange, timeout_s: float) -> Answer:
        """Run an exchange and return its last answer.

        ``timeout_s`` applies to each request; for the first one, it includes the connection setup. Raises the same
        errors as ``call``.
        """
        deadline = self._deadline(_Call(api, node), timeout_s)
        connection = await self._connect(node, api, deadline)
        version = negotiate(api, connection.ranges)
        return await connection.send(api, version, exchange.begin(version), deadline, exchange=exchange)

    def try_exchange(self, node: Node, api: Api, exchange: Exchange, timeout_s: float) -> EagerFuture[Answer] | None:
        """Send the first request of an exchange immediately, and return a future of the last answer.

        Returns None if no connection to that broker is open.
        """
        route = self._routes.get((node.node_id, node.purpose, api.key))
        if route is None or route.brokers is not self._brokers.by_id or not route.connection.is_open:
            route = self._find_route(node, api)
        if route is None:
            return None
        first, deadline = exchange.begin(route.version), Deadline(timeout_s, _Call(api, node))
        return route.connection.send(api, route.version, first, deadline, exchange=exchange)

    def _find_route(self, node: Node, api: Api) -> _Route | None:
        brokers = self._brokers.by_id
        address = brokers.get(node.node_id)
        connection = None if address is None else self._pool.get_open(address, purpose_of(node, api))
        key = node.node_id, node.purpose, api.key
        if connection is None:
            self._routes.pop(key, None)
            return None
        route = self._routes[key] = _Route(brokers, connection, negotiate(api, connection.ranges))
        return route

    async def supports(self, extension: Api, target: Target, api: Api, timeout_s: float) -> bool:
        """Whether the broker that receives requests of ``api`` supports ``extension``.

        Raises the same errors as ``call``.
        """
        connection = await self._connect(target, api, self._deadline(_Call(api, target), timeout_s))
        return extension.key in connection.ranges

    async def find_coordinator(self, group_id: str, timeout_s: float | None = None) -> Broker:
        """The coordinator of a group, looked up unless it is known; the group need not exist.

        ``timeout_s`` is in seconds, None for ``default.api.timeout.ms``. Raises ``TransportError``, or
        ``GroupAuthorizationError``.
        """
        return await self._coordinators.find(group_id, self._deadline(f"the coordinator of {group_id}", timeout_s))

    def coordinator_trouble(self, group_id: str) -> str | None:
        """Why the last attempt to reach the coordinator of a group failed; None if it succeeded."""
        failure = self._coordinators.failures.get(group_id)
        return None if failure is None else str(failure)

    def forget_coordinator(self, group_id: str) -> None:
        """Look up the coordinator of a group again before the next call to it."""
        self._coordinators.forget(group_id)

    def _deadline(self, what: object, timeout_s: float | None) -> Deadline:
        if self._closed:
            raise ClosedError(f"{what}: this client is closed")
        return Deadline(self._settings.default_timeout_s if timeout_s is None else timeout_s, what)

    async def _connect(self, target: Target, api: Api, deadline: Deadline) -> Connection:
        if isinstance(target, Coordinator):
            return await self._connect_to_coordinator(target, api, deadline)
        if isinstance(target, Node):
            return await self._pool.get(self._address_of(target), purpose_of(target, api), deadline)
        return await self._brokers.connect_to_any(deadline)

    async def _connect_to_coordinator(self, target: Coordinator, api: Api, deadline: Deadline) -> Connection:
        """Connect to the coordinator, looking it up again while it can't be reached: it may have moved."""
        failures = 0
        while True:
            broker = await self._coordinators.find(target.group_id, deadline)
            try:
                address = ServerAddress(broker.host, broker.port)
                connection = await self._pool.get(address, purpose_of(target, api), deadline)
            except ClosedError:
                raise
            except (OutageError, DecodeError) as failure:
                self._coordinators.note_failure(target.group_id, failure)
                if deadline.left_s() <= 0:
                    raise
                failures += 1
                await deadline.pause(self.retry_backoff_s(failures), failure)
            else:
                self._coordinators.note_reached(target.group_id)
                return connection

    def _address_of(self, node: Node) -> ServerAddress:
        address = self._brokers.by_id.get(node.node_id)
        if address is None:
            self._metadata.request_update()
            raise DisconnectedError(f"{node} is not among the known brokers: {sorted(self._brokers.by_id) or 'none'}")
        return address

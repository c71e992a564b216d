"""The cluster as the rest of the library sees it: one object to call any broker through.

``call`` finds the broker, connects, agrees on a version, sends once and waits, all within one time limit. What is safe
to repeat is repeated inside (connecting, asking for metadata, looking up a coordinator); a request that went out is
not, because only its owner knows whether it may be sent twice. ``exchange`` and ``begin`` are for who asks the same
broker again and again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from math import inf
from typing import NamedTuple, TypeVar

from kafka_nextgen.bridge.brokers import Broker
from kafka_nextgen.bridge.cluster_image import ClusterImage
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
from kafka_nextgen.properties import ServerAddress
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.coordinators import Coordinators
from kafka_nextgen.transport.deadline import ClosedError, Deadline
from kafka_nextgen.transport.exchange import Exchange
from kafka_nextgen.transport.metadata import MetadataKeeper
from kafka_nextgen.transport.outage import Outage
from kafka_nextgen.transport.pool import Pool
from kafka_nextgen.transport.reach import Reach
from kafka_nextgen.transport.reply import Reply
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.supervision import OnFailure, log_failure
from kafka_nextgen.transport.targets import ANY, AnyBroker, Coordinator, Node, Purpose, Target, purpose_of
from kafka_nextgen.transport.throttling import ThrottledError, throttle_in
from kafka_nextgen.transport.traffic import Traffic
from kafka_nextgen.transport.turns import Turns
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.apis import Answer, Api, Question, negotiate

__all__ = ["ANY", "AnyBroker", "ClusterClient", "Coordinator", "Node", "Target"]

logger = logger_of(__name__)

T = TypeVar("T")


class _Call(NamedTuple):
    """What is asked of whom. A text is made of it only if it fails: there may be a thousand a second."""

    api: Api
    target: Target

    def __str__(self) -> str:
        return f"{self.api} to {self.target}"


class _Line(NamedTuple):
    """What carries an API to a node, for as long as nobody has told of other ``brokers``, and in which version."""

    brokers: Mapping[int, ServerAddress]
    connection: Connection
    version: int


class ClusterClient:
    """Metadata, coordinators and connections of one cluster, on the event loop it is made in.

    ``chance`` gives numbers in [0, 1) for jitter and for choosing among equals. ``on_failure`` is told of
    unexpected exceptions in the background.
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
        self._pool = Pool(
            settings, chance, on_lost=lambda address: self._keeper.urge(), node_of=lambda at: self._reach.node_at(at)
        )
        self._reach = Reach(settings, self._pool, chance)
        self._keeper = MetadataKeeper(settings, self._reach, chance, on_failure)
        self._coordinators = Coordinators(settings, self._reach, chance)
        self._lines: dict[tuple[int, Purpose | None, int], _Line] = {}

    @property
    def metadata(self) -> ClusterImage:
        """What is known of the cluster; empty until ``start`` is through."""
        return self._keeper.image

    @property
    def traffic(self) -> Traffic:
        """What goes over all connections, counted."""
        return self._pool.traffic

    def retry_pause_s(self, failures: int) -> float:
        """How long to pause, in seconds, after so many failures in a row."""
        return self._settings.retry_backoff.delay_s(failures, self._chance())

    def on_metadata(self, callback: Callable[[ClusterImage], None]) -> None:
        """Have ``callback`` told of every image that differs from the one before, on the event loop."""
        self._keeper.on_change.append(callback)

    def on_refused(self, callback: Callable[[AuthenticationError], None]) -> None:
        """Have ``callback`` told when a broker refuses who we are, or is not who it should be: nothing helps then."""
        self._pool.on_refused = callback

    def keep_topics(self, needed: Callable[[], Collection[str]]) -> None:
        """Keep the metadata of these topics fresh, which are asked for each time; others are forgotten in time."""
        self._keeper.interest.needed = needed

    def let_create_topics(self, names: Collection[str]) -> None:
        """Look for these topics soon; a broker may create those missing, if ``allow.auto.create.topics`` says so."""
        self._keeper.interest.let_create(names)
        self._keeper.urge()

    @property
    def throttle(self) -> str | None:
        """Which broker asked to be left alone for long, and until when; may be read from any thread."""
        return self._pool.throttle(time.monotonic())

    def lift_throttles(self) -> None:
        """Send at once what waits for a throttle: this client is about to be closed."""
        self._pool.lift_throttles()

    async def start(self, *, patiently: bool = False) -> None:
        """Reach a first broker and learn of the others; from then on the metadata keeps itself fresh.

        Tries every bootstrap server once, or ``patiently`` as ``refresh_metadata`` does. Raises ``NoBrokersError``;
        ``start`` may then be called again. Raises ``AuthenticationError`` if one refuses us.
        """
        try:
            if patiently:
                await self.refresh_metadata(topics=())
            else:
                await self._keeper.refresh((), None, self._deadline("metadata", None))
        except NoBrokersError:
            raise
        except (OutageError, DecodeError, BrokerError) as failure:
            throttle = self._throttle_in(failure)
            raise NoBrokersError(str(throttle) if throttle else f"no broker could be reached: {failure}") from failure
        self._keeper.start()

    async def close(self) -> None:
        """Close every connection. Whoever waits gets ``DisconnectedError``, and so does every later call."""
        self._closed = True
        await self._keeper.close()
        await self._coordinators.close()
        await self._pool.close()

    async def refresh_metadata(
        self,
        topics: Collection[str] | None = None,
        topic_ids: Collection[TopicId] | None = None,
        timeout_s: float | None = None,
    ) -> None:
        """Ask for these topics, or for those of interest if none are given; ``metadata`` has the answer.

        An answer that makes no sense, or leaves out a topic that was asked for by name, is asked for again after a
        pause. Raises ``TransportError`` or ``BrokerError``, ``NoBrokersError`` if none can be reached for ten seconds.
        ``timeout_s`` is in seconds, None for ``default.api.timeout.ms``.
        """
        await self._patiently(lambda deadline: self._keeper.refresh(topics, topic_ids, deadline), timeout_s)

    async def all_topics(self, timeout_s: float | None = None) -> ClusterImage:
        """An image of all topics there are; ``metadata`` stays with those that somebody asked for.

        Raises as ``refresh_metadata`` does.
        """
        return await self._patiently(self._keeper.all_topics, timeout_s)

    async def _patiently(self, ask: Callable[[Deadline], Awaitable[T]], timeout_s: float | None) -> T:
        """Ask again for a while if no broker can be reached: a connection may be cut, and the next one succeed."""
        deadline, failures = self._deadline("metadata", timeout_s), 0
        last: Exception | None = None
        patience = Deadline(self._settings.patience_s, "metadata")
        outage = Outage(logger, "reaching a broker")
        while True:
            try:
                answer = await ask(deadline)
            except (NoBrokersError, DecodeError) as failure:
                failures += 1
                pause_s = self.retry_pause_s(failures)
                is_unreachable = isinstance(failure, NoBrokersError)
                if is_unreachable and (self._closed or pause_s >= min(patience.left_s(), deadline.left_s())):
                    raise
                last = failure
                outage.failed(failure)
                await deadline.pause(pause_s, failure)
            except RequestTimeoutError as failure:
                cause = self._throttle_in(failure) or (last if failure.__cause__ is None else None)
                if cause is None:
                    raise
                raise deadline.missed(cause) from cause
            else:
                outage.over()
                return answer

    def _throttle_in(self, failure: Exception) -> ThrottledError | None:
        """The throttle that caused a failure; where nothing else did but a time limit, a long one that is there."""
        is_bare = isinstance(failure, RequestTimeoutError) and failure.__cause__ is None
        return ThrottledError(self.throttle) if is_bare and self.throttle is not None else throttle_in(failure)

    async def call(
        self,
        target: Target,
        api: Api,
        build: Callable[[int], Question],
        timeout_s: float | None = None,
        *,
        beside: Api | None = None,
        turns: Turns | None = None,
        way_s: float = inf,
    ) -> Answer:
        """Send one request and return its answer; ``build`` gets the version that both sides speak.

        With ``beside`` only a broker that has that API, too, is sent anything. With ``turns`` this is sent behind those
        that were called before it with the same ones. ``timeout_s`` is for everything, in seconds; None is
        ``request.timeout.ms``. Of these, finding and reaching the broker may take ``way_s``. Raises ``TransportError``,
        ``DecodeError``, ``UnsupportedProtocolError``, and for a coordinator that may not be asked for
        ``GroupAuthorizationError``. Error codes inside the answer are the caller's business.
        """
        if timeout_s is None:
            timeout_s = self._settings.request_timeout_s
        deadline = self._deadline(_Call(api, target), timeout_s)
        way = self._deadline(_Call(api, target), min(way_s, timeout_s))

        async def begin() -> Reply[Answer]:
            connection = await self._connect(target, api, way)
            version = negotiate(api, connection.ranges)
            if beside is not None:
                negotiate(beside, connection.ranges)
            return connection.send(api, version, build(version), deadline)

        try:
            return await (turns.take(begin, deadline) if turns else await begin())
        except TransportError:
            if isinstance(target, Coordinator):
                self._coordinators.forget(target.group_id)
            raise

    async def exchange(self, node: Node, api: Api, exchange: Exchange, timeout_s: float) -> Answer:
        """Begin an exchange and return its last answer.

        ``timeout_s`` is for each request, and for connecting besides the first. Raises as ``call`` does.
        """
        deadline = self._deadline(_Call(api, node), timeout_s)
        connection = await self._connect(node, api, deadline)
        version = negotiate(api, connection.ranges)
        return await connection.send(api, version, exchange.begin(version), deadline, exchange=exchange)

    def begin(self, node: Node, api: Api, exchange: Exchange, timeout_s: float) -> Reply[Answer] | None:
        """Send the first request of an exchange at once; awaiting what is returned is as awaiting ``exchange``.

        None if there is no connection to that broker now.
        """
        line = self._lines.get((node.node_id, node.over, api.key))
        if line is None or line.brokers is not self._reach.brokers or not line.connection.is_open:
            line = self._find_line(node, api)
        if line is None:
            return None
        first, deadline = exchange.begin(line.version), Deadline(timeout_s, _Call(api, node))
        return line.connection.send(api, line.version, first, deadline, exchange=exchange)

    def _find_line(self, node: Node, api: Api) -> _Line | None:
        address = self._reach.brokers.get(node.node_id)
        connection = None if address is None else self._pool.known(address, purpose_of(node, api))
        key = node.node_id, node.over, api.key
        if connection is None:
            self._lines.pop(key, None)
            return None
        line = self._lines[key] = _Line(self._reach.brokers, connection, negotiate(api, connection.ranges))
        return line

    async def speaks(self, extension: Api, target: Target, api: Api, timeout_s: float) -> bool:
        """Whether the broker that ``api`` is going to has ``extension``, too. Raises as ``call`` does."""
        connection = await self._connect(target, api, self._deadline(_Call(api, target), timeout_s))
        return extension.key in connection.ranges

    async def find_coordinator(self, group_id: str, timeout_s: float | None = None) -> Broker:
        """The broker that coordinates a group, whether or not there is such a group; asked for if it is not known.

        ``timeout_s`` is in seconds, None for ``default.api.timeout.ms``. Raises ``TransportError``, or
        ``GroupAuthorizationError``.
        """
        return await self._coordinators.find(group_id, self._deadline(f"the coordinator of {group_id}", timeout_s))

    def coordinator_trouble(self, group_id: str) -> str | None:
        """What keeps the coordinator of a group from being reached; None if nothing is known to."""
        failure = self._coordinators.failures.get(group_id)
        return None if failure is None else str(failure)

    def forget_coordinator(self, group_id: str) -> None:
        """Look the coordinator of a group up again before the next call to it."""
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
        return await self._reach.connect(deadline)

    async def _connect_to_coordinator(self, target: Coordinator, api: Api, deadline: Deadline) -> Connection:
        """Ask again while the coordinator that brokers tell of can't be reached: it may just have moved."""
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
                await deadline.pause(self._settings.retry_backoff.delay_s(failures, self._chance()), failure)
            else:
                self._coordinators.note_reached(target.group_id)
                return connection

    def _address_of(self, node: Node) -> ServerAddress:
        address = self._reach.brokers.get(node.node_id)
        if address is None:
            self._keeper.urge()
            raise DisconnectedError(f"{node} is not among the brokers known: {sorted(self._reach.brokers) or 'none'}")
        return address

"""The newest cluster metadata, and how it is kept fresh.

Only one metadata request is in flight at a time. Calls made in the meantime share the next request, which contains the
topics of all of them. In the background the image is refreshed when it is older than ``metadata.max.age.ms`` or
``request_update`` was called, with backoff until an answer arrives. A refresh requests the topics of ``MetadataTopics``
and forgets all others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable

from attrs import evolve

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.errors import BrokerError, DecodeError, KafkaNextgenError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.requests import metadata as messages
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.transport.background import OnFailure, keep_running
from kafka_nextgen.transport.known_brokers import KnownBrokers
from kafka_nextgen.transport.retrying import FailureLog
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.waiting import ClosedError, Deadline, wait_for_event
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.apis import METADATA
from kafka_nextgen.wire.messages import MetadataResponse
from kafka_nextgen.wire.schema import Message

__all__ = ["ClusterMetadata", "MetadataTopics"]

logger = logger_of(__name__)

_FIRST_WITH_IDS = 12  # the first version that can request topics by id


class MetadataTopics:
    """Which topics metadata is requested for, and which of them a broker may create.

    ``needed`` returns the topics that are subscribed to or assigned. Other topics that a caller requested are kept for
    ``max_age_s`` after that, since the caller may request them again soon. With ``auto_create`` a broker may create
    topics that ``allow_creation`` names, but only until they have been seen once: a topic that is deleted later must
    stay deleted.
    """

    def __init__(self, max_age_s: float, auto_create: bool) -> None:
        self.needed: Callable[[], Collection[str]] = frozenset
        self._max_age_s = max_age_s
        self._auto_create = auto_create
        self._asked_at: dict[str, float] = {}
        self._to_create: set[str] = set()

    def allow_creation(self, names: Iterable[str]) -> None:
        """Let a broker create these if they are missing and ``auto_create`` is set."""
        if self._auto_create:
            self._to_create.update(names)

    def names(self, now: float) -> frozenset[str]:
        """The topics that a refresh requests."""
        self._asked_at = {name: at for name, at in self._asked_at.items() if now - at < self._max_age_s}
        return frozenset(self.needed()) | self._asked_at.keys()

    def creates(self, names: Collection[str]) -> bool:
        """Whether a request for these may create topics."""
        return not self._to_create.isdisjoint(names)

    def note_answer(
        self, answer: ClusterImage, names: Collection[str], topic_ids: Collection[TopicId], now: float
    ) -> None:
        """Note the answer to a caller that requested these topics."""
        for topic in answer.topics_by_name.values():
            if topic.name in names or topic.topic_id in topic_ids:
                self._asked_at[topic.name] = now
            if topic.error == ErrorCode.NONE:
                self._to_create.discard(topic.name)


@frozen
class _Wanted:
    """The topics of the next request; ``refresh`` adds all ``MetadataTopics``."""

    names: frozenset[str] = frozenset()
    topic_ids: frozenset[TopicId] = frozenset()
    refresh: bool = False

    def plus(self, other: _Wanted) -> _Wanted:
        return _Wanted(self.names | other.names, self.topic_ids | other.topic_ids, self.refresh or other.refresh)


class ClusterMetadata:
    """``image`` is the newest state of the cluster; ``on_change`` callbacks get each image that has changed."""

    def __init__(
        self, settings: TransportSettings, brokers: KnownBrokers, chance: Callable[[], float], on_failure: OnFailure
    ) -> None:
        self.image = ClusterImage()
        self.on_change: list[Callable[[ClusterImage], None]] = []
        self.topics = MetadataTopics(settings.metadata_max_age_s, settings.auto_create_topics)
        self._settings = settings
        self._brokers = brokers
        self._chance = chance
        self._on_failure = on_failure
        self._failure_log = FailureLog(logger, "refreshing the metadata")
        self._wanted = _Wanted()
        self._next: asyncio.Future[None] | None = None
        self._update_requested = asyncio.Event()
        self._asking: asyncio.Task[None] | None = None
        self._keeping_fresh: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start keeping the image fresh."""
        if self._keeping_fresh is None:
            work = keep_running(self._keep_fresh, self._on_failure)
            self._keeping_fresh = asyncio.get_running_loop().create_task(work)

    def request_update(self) -> None:
        """Refresh soon, because the image turned out to be wrong."""
        self._update_requested.set()

    async def refresh(
        self, names: Collection[str] | None, topic_ids: Collection[TopicId] | None, deadline: Deadline
    ) -> None:
        """Request topics by name and id, or all ``MetadataTopics`` if both are None.

        Raises ``TransportError``, ``DecodeError`` or ``BrokerError``.
        """
        wanted = _Wanted(frozenset(names or ()), frozenset(topic_ids or ()), names is None and topic_ids is None)
        self._wanted = self._wanted.plus(wanted)
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
        if self._asking is None or self._asking.done():
            self._asking = asyncio.get_running_loop().create_task(self._ask_while_wanted())
        await deadline.wait(self._next)

    async def all_topics(self, deadline: Deadline) -> ClusterImage:
        """An image with all topics of the cluster; ``image`` does not change."""
        return messages.from_response(await self._ask(lambda version: messages.to_request(None), deadline))

    async def close(self) -> None:
        """Stop sending requests; waiting callers get ``ClosedError``."""
        tasks = [task for task in (self._keeping_fresh, self._asking) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        future, self._next = self._next, None
        if future is not None:
            _resolve(future, ClosedError("metadata: closed by this client"))

    async def _ask_while_wanted(self) -> None:
        while self._next is not None:
            future, self._next = self._next, None
            wanted, self._wanted = self._wanted, _Wanted()
            try:
                await self._learn(wanted)
            except Exception as failure:  # includes a callback's error: otherwise the callers would wait forever
                _resolve(future, failure)
            except asyncio.CancelledError:
                _resolve(future, ClosedError("metadata: closed by this client"))
                raise
            else:
                _resolve(future, None)

    async def _learn(self, wanted: _Wanted) -> None:
        now = asyncio.get_running_loop().time()
        names = wanted.names | (self.topics.names(now) if wanted.refresh else frozenset())
        creates = self.topics.creates(names)

        def build(version: int) -> Message:
            if wanted.topic_ids and version < _FIRST_WITH_IDS:
                return messages.to_request(None)  # all topics, the only way to find ids
            return messages.to_request(names, wanted.topic_ids, creates)

        message = await self._ask(build, Deadline(self._settings.request_timeout_s, "metadata"))
        answer = messages.from_response(message)
        asked_for_all = bool(wanted.topic_ids) and message.version < _FIRST_WITH_IDS
        left_out = frozenset[str]() if asked_for_all else names - answer.topics_by_name.keys()
        self.topics.note_answer(answer, wanted.names, wanted.topic_ids, now)
        self._apply(answer, forget_others=wanted.refresh and not left_out)
        if left_out:  # the broker broke the protocol: topics that do not exist have an error code in the answer
            raise DecodeError(f"the Metadata answer lacks topic {', '.join(sorted(left_out))}")

    async def _ask(self, build: Callable[[int], Message], deadline: Deadline) -> MetadataResponse:
        message = await self._brokers.request_any(METADATA, build, deadline)
        assert isinstance(message, MetadataResponse)
        if message.error_code == ErrorCode.REBOOTSTRAP_REQUIRED and self._settings.rebootstraps:
            self._brokers.rebootstrap()
        if message.error_code != ErrorCode.NONE:
            code = message.error_code
            raise BrokerError(f"metadata was refused ({name_of(code)})", code=code, retriable=True)
        return message

    def _apply(self, answer: ClusterImage, *, forget_others: bool) -> None:
        known, image = self.image, messages.merged(self.image, answer)
        if forget_others:
            answered = image.topics_by_name.keys() & answer.topics_by_name.keys()
            image = evolve(image, topics_by_name={name: image.topics_by_name[name] for name in answered})
        self._brokers.by_id = {each.node_id: ServerAddress(each.host, each.port) for each in image.brokers.values()}
        self.image = image
        if image != known:
            for callback in self.on_change:
                callback(image)

    async def _keep_fresh(self) -> None:
        while True:
            await wait_for_event(self._update_requested, self._settings.metadata_max_age_s)
            self._update_requested.clear()
            failures = 0
            while not await self._refreshed():
                failures += 1
                await asyncio.sleep(self._settings.retry_backoff.delay_s(failures, self._chance()))
            # Changes reach one broker after the other, so an immediate request might return the old state.
            await asyncio.sleep(self._settings.retry_backoff.delay_s(1, self._chance()))

    async def _refreshed(self) -> bool:
        try:
            await self.refresh(None, None, Deadline(self._settings.default_timeout_s, "metadata"))
        except KafkaNextgenError as failure:
            self._failure_log.failed(failure)
            return False
        self._failure_log.recovered()
        return True


def _resolve(future: asyncio.Future[None], failure: Exception | None) -> None:
    if failure is None:
        future.set_result(None)
    else:
        future.set_exception(failure)
        future.exception()  # without this, asyncio would log the exception if the callers have left

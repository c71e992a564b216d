"""What is known of the cluster, and keeping it fresh.

Questions are put one after the other; whoever wants to know something while one is out is answered by the next, which
asks for everything that was wanted meanwhile. On its own the keeper asks when what it has is older than
``metadata.max.age.ms`` or was found wrong (``urge``), and goes on asking, with growing pauses, until it is told. It
asks for the topics of interest then (``interest``), and forgets all others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from attrs import evolve, frozen

from kafka_nextgen.bridge import metadata as bridge
from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.errors import BrokerError, DecodeError, KafkaNextgenError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties import ServerAddress
from kafka_nextgen.transport.deadline import ClosedError, Deadline, set_within
from kafka_nextgen.transport.interest import Interest
from kafka_nextgen.transport.outage import Outage
from kafka_nextgen.transport.reach import Reach
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.supervision import OnFailure, keep_running
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.apis import METADATA
from kafka_nextgen.wire.messages import MetadataResponse
from kafka_nextgen.wire.schema import Message

__all__ = ["MetadataKeeper"]

logger = logger_of(__name__)

_WITH_IDS = 12  # the first version that looks topics up by id


@frozen
class _Wanted:
    """What the next question is to ask for; ``everything`` is all topics of interest."""

    names: frozenset[str] = frozenset()
    topic_ids: frozenset[TopicId] = frozenset()
    everything: bool = False

    def plus(self, other: _Wanted) -> _Wanted:
        everything = self.everything or other.everything
        return _Wanted(self.names | other.names, self.topic_ids | other.topic_ids, everything)


class MetadataKeeper:
    """Holds the newest image; ``on_change`` callbacks get every new one that differs."""

    def __init__(
        self, settings: TransportSettings, reach: Reach, chance: Callable[[], float], on_failure: OnFailure
    ) -> None:
        self.image = ClusterImage()
        self.on_change: list[Callable[[ClusterImage], None]] = []
        self.interest = Interest(settings.metadata_max_age_s, settings.auto_create_topics)
        self._settings = settings
        self._reach = reach
        self._chance = chance
        self._on_failure = on_failure
        self._outage = Outage(logger, "refreshing the metadata")
        self._wanted = _Wanted()
        self._next: asyncio.Future[None] | None = None
        self._urged = asyncio.Event()
        self._asking: asyncio.Task[None] | None = None
        self._keeping: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Keep the image fresh from now on."""
        if self._keeping is None:
            self._keeping = asyncio.get_running_loop().create_task(keep_running(self._keep_fresh, self._on_failure))

    def urge(self) -> None:
        """Something did not fit the image: ask soon."""
        self._urged.set()

    async def refresh(
        self, names: Collection[str] | None, topic_ids: Collection[TopicId] | None, deadline: Deadline
    ) -> None:
        """Ask for topics by name and id; for those of interest if neither is given.

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
        """An image of every topic there is; what is kept stays as it is."""
        return bridge.from_response(await self._ask(lambda version: bridge.to_request(None), deadline))

    async def close(self) -> None:
        """Stop asking; whoever waits gets ``DisconnectedError``."""
        tasks = [task for task in (self._keeping, self._asking) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        future, self._next = self._next, None
        if future is not None:
            _settle(future, ClosedError("metadata: closed by this client"))

    async def _ask_while_wanted(self) -> None:
        while self._next is not None:
            future, self._next = self._next, None
            wanted, self._wanted = self._wanted, _Wanted()
            try:
                await self._learn(wanted)
            except Exception as failure:  # a callback's, too: whoever waits must not wait for nothing
                _settle(future, failure)
            except asyncio.CancelledError:
                _settle(future, ClosedError("metadata: closed by this client"))
                raise
            else:
                _settle(future, None)

    async def _learn(self, wanted: _Wanted) -> None:
        now = asyncio.get_running_loop().time()
        of_interest = self.interest.names(now) if wanted.everything else frozenset[str]()
        names = wanted.names | of_interest
        creating = self.interest.creates(names)

        def build(version: int) -> Message:
            if wanted.topic_ids and version < _WITH_IDS:
                return bridge.to_request(None)  # the only way to see ids; names asked for are among all there are
            return bridge.to_request(names, wanted.topic_ids, creating)

        deadline = Deadline(self._settings.request_timeout_s, "metadata")
        message = await self._ask(build, deadline)
        answer = bridge.from_response(message)
        asked_for_all = bool(wanted.topic_ids) and message.version < _WITH_IDS
        left_out = frozenset[str]() if asked_for_all else names - answer.topics_by_name.keys()
        self.interest.note_answer(answer, wanted.names, wanted.topic_ids, now)
        self._take(answer, forgetting=wanted.everything and not left_out)
        if left_out:  # which says nothing of them: a topic that does not exist is answered with an error code
            raise DecodeError(f"Metadata was answered without topic {', '.join(sorted(left_out))}")

    async def _ask(self, build: Callable[[int], Message], deadline: Deadline) -> MetadataResponse:
        message = await self._reach.ask(METADATA, build, deadline)
        assert isinstance(message, MetadataResponse)
        if message.error_code == ErrorCode.REBOOTSTRAP_REQUIRED and self._settings.rebootstraps:
            self._reach.start_over()
        if message.error_code != ErrorCode.NONE:
            code = message.error_code
            raise BrokerError(f"metadata was refused ({name_of(code)})", code=code, retriable=True)
        return message

    def _take(self, answer: ClusterImage, *, forgetting: bool) -> None:
        known, image = self.image, bridge.merged(self.image, answer)
        if forgetting:
            answered = image.topics_by_name.keys() & answer.topics_by_name.keys()
            image = evolve(image, topics_by_name={name: image.topics_by_name[name] for name in answered})
        self._reach.brokers = {
            broker.node_id: ServerAddress(broker.host, broker.port) for broker in image.brokers.values()
        }
        self.image = image
        if image != known:
            for callback in self.on_change:
                callback(image)

    async def _keep_fresh(self) -> None:
        while True:
            await self._due()
            self._urged.clear()
            failures = 0
            while not await self._refreshed():
                failures += 1
                await asyncio.sleep(self._settings.retry_backoff.delay_s(failures, self._chance()))
            # Brokers learn of a change one after the other: asking at once again would hear the old story.
            await asyncio.sleep(self._settings.retry_backoff.delay_s(1, self._chance()))

    async def _due(self) -> None:
        """Wait until the image is old, or urged on."""
        await set_within(self._urged, self._settings.metadata_max_age_s)

    async def _refreshed(self) -> bool:
        try:
            await self.refresh(None, None, Deadline(self._settings.default_timeout_s, "metadata"))
        except KafkaNextgenError as failure:
            self._outage.failed(failure)
            return False
        self._outage.over()
        return True


def _settle(future: asyncio.Future[None], failure: Exception | None) -> None:
    if failure is None:
        future.set_result(None)
    else:
        future.set_exception(failure)
        future.exception()  # whoever waits raises it; nobody may

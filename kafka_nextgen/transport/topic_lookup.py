"""Looks up topics in fresh metadata: the details that assignors need, and which topics match a pattern.

Assignors know topics by id. Brokers before Kafka 2.8 have none (KIP-516); a topic then gets an id derived from its
name, which is the same for every member.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from uuid import NAMESPACE_URL, uuid5

from kafka_nextgen.assignors.spec import TopicMetadata
from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.errors import BrokerError, KafkaNextgenError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.patterns import matching
from kafka_nextgen.requests.cluster_image import ClusterImage, TopicInfo
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.io_thread import TaskSet
from kafka_nextgen.types import TopicId

__all__ = ["PatternWatch", "describe_topics", "id_of", "topic_metadata"]

#: The error codes that mean that a topic does not exist for this member.
_ABSENT = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    }
)


async def describe_topics(
    cluster: ClusterClient, names: frozenset[str], pattern: str | None
) -> tuple[Mapping[str, TopicMetadata], frozenset[str], Mapping[str, TopicId]]:
    """The topics of ``names`` that exist, the names of all that match ``pattern``, and the ids of these topics.

    Kafka's own topics match no pattern. Raises ``TransportError``, ``DecodeError``, ``ConfigError`` for a pattern that
    can't be read, and ``BrokerError`` for a topic that can't be described at the moment.
    """
    if names:
        await cluster.refresh_metadata(topics=names)
    image = cluster.metadata if pattern is None else await cluster.all_topics()
    topics = {name: topic_metadata(image, topic) for name in names if (topic := _existing(image, name)) is not None}
    ids = {name: id_of(image, name) for name in topics}
    return topics, frozenset() if pattern is None else _matching(image, pattern), ids


def id_of(image: ClusterImage, name: str) -> TopicId:
    """The topic id that assignors use."""
    topic = image.topics_by_name.get(name)
    known = topic.topic_id if topic is not None else None
    return known or uuid5(NAMESPACE_URL, f"kafka-topic:{name}")


def _matching(image: ClusterImage, pattern: str) -> frozenset[str]:
    known = [topic.name for topic in image.topics_by_name.values() if not topic.is_internal]
    return frozenset(matching(pattern, known))


def _existing(image: ClusterImage, name: str) -> TopicInfo | None:
    topic = image.topics_by_name.get(name)
    if topic is None or topic.error in _ABSENT:
        return None
    if topic.error != ErrorCode.NONE:
        text = f"topic {name} can't be described at the moment ({name_of(topic.error)})"
        raise BrokerError(text, code=topic.error, retriable=True)
    return topic


def topic_metadata(image: ClusterImage, topic: TopicInfo) -> TopicMetadata:
    """The topic as assignors see it; a replica has no rack if its broker has none or is offline."""
    return TopicMetadata(
        topic.name,
        len(topic.partitions),
        tuple(
            tuple(sorted(_racks_of(image, topic.partitions[number].replicas))) for number in sorted(topic.partitions)
        ),
    )


def _racks_of(image: ClusterImage, replicas: Iterable[int]) -> set[str]:
    brokers = (image.brokers.get(node_id) for node_id in replicas)
    return {broker.rack for broker in brokers if broker is not None and broker.rack}


logger = logger_of("kafka_nextgen.member")


class PatternWatch:
    """Calls ``on_names`` with the pattern and its matching topics, first at the start and then on each change.

    Runs on the I/O thread.
    """

    def __init__(
        self, cluster: ClusterClient, tasks: TaskSet, max_age_s: float, on_names: Callable[[str, frozenset[str]], None]
    ) -> None:
        self._cluster = cluster
        self._tasks = tasks
        self.max_age_s = max_age_s
        self._on_names = on_names
        self._watching: asyncio.Task[None] | None = None

    def start(self, pattern: str) -> bool:
        """Start watching; returns False if already started. Raises ConfigError if the pattern can't be matched here."""
        if self._watching is not None:
            return False
        matching(pattern, ())
        self._watching = self._tasks.keep(lambda: self._watch(pattern))
        return True

    def stop(self) -> None:
        """Stop watching; ``on_names`` is not called after this."""
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    async def _watch(self, pattern: str) -> None:
        told: frozenset[str] | None = None
        while True:
            names = await self._look_up(pattern)
            if names != told:
                logger.info("pattern %r matches %s", pattern, ", ".join(sorted(names)) or "no topic")
                told = names
                self._on_names(pattern, names)
            await asyncio.sleep(self.max_age_s)

    async def _look_up(self, pattern: str) -> frozenset[str]:
        failures = 0
        while True:
            try:
                return _matching(await self._cluster.all_topics(), pattern)
            except KafkaNextgenError as transient:
                logger.info("pattern %r can't be matched at the moment: %s", pattern, transient)
                failures += 1
            await asyncio.sleep(self._cluster.retry_backoff_s(failures))

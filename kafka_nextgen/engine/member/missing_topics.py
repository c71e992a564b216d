"""Reports topics that are subscribed to by name and do not exist, because a misspelt name would silently read nothing.

- A topic may be about to be created, by a broker or by another client. So it is looked up a few times, with increasing
  pauses, before it is reported.
- It is reported once as a WARNING, and by ``health()`` as a problem until it exists. Deleted topics are not reported
  here: ``Health.gone`` contains their partitions until these are revoked.
- After that it is looked up no more often than other metadata: the coordinator assigns a new topic without this
  client's help.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from collections.abc import Set as AbstractSet

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.io_thread import TaskSet

__all__ = ["MissingTopics"]

logger = logger_of("kafka_nextgen.member")

#: How many times a topic is looked up before it counts as missing.
ATTEMPTS = 4


class MissingTopics:
    """Watches the subscription of ``group_id`` on the I/O thread; ``names`` can be read from any thread."""

    def __init__(self, group_id: str, cluster: ClusterClient, tasks: TaskSet) -> None:
        self.names: tuple[str, ...] = ()
        self._group_id = group_id
        self._cluster = cluster
        self._tasks = tasks
        self._subscribed: frozenset[str] = frozenset()
        self._looking: asyncio.Task[None] | None = None
        cluster.on_metadata(lambda image: self._note(_missing(image, self.names)))

    def watch(self, subscribed: frozenset[str]) -> None:
        """Watch exactly these topics."""
        if self._looking is not None:
            self._looking.cancel()
        self._subscribed = subscribed
        self._note(subscribed.intersection(self.names))
        fresh = subscribed.difference(self.names)
        self._looking = self._tasks.keep(lambda: self._look_for(fresh)) if fresh else None

    async def _look_for(self, fresh: frozenset[str]) -> None:
        attempts = 0
        while attempts < ATTEMPTS:
            try:
                await self._cluster.refresh_metadata(topics=fresh)
            except KafkaNextgenError as transient:
                logger.debug("group %s: looking up the topics failed; retrying: %s", self._group_id, transient)
            else:
                attempts += 1
                if not _missing(self._cluster.metadata, fresh):
                    break
            await asyncio.sleep(self._cluster.retry_backoff_s(max(attempts, 1)))
        self._note(_missing(self._cluster.metadata, fresh.union(self.names)))

    def _note(self, now: AbstractSet[str]) -> None:
        """Store the missing topics and log the changes."""
        before = set(self.names)
        self.names = tuple(sorted(now))
        for name in sorted(now - before):
            text = "group %s: topic %s does not exist yet; waiting for it. Is the name right?"
            logger.warning(text, self._group_id, name)
        for name in sorted((before - now) & self._subscribed):
            logger.info("group %s: topic %s exists now", self._group_id, name)


def _missing(image: ClusterImage, names: Collection[str]) -> set[str]:
    """Return the topics that are missing from the cached metadata."""
    known = ((name, image.topics_by_name.get(name)) for name in names)
    return {name for name, topic in known if topic is not None and topic.error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}

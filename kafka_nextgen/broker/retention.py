"""Records that are older than ``retention.ms`` go, looked for every ``log.retention.check.interval.ms``.

Age is counted from the latest timestamp of a batch and all before it, so that a batch with a wrong time far ahead keeps
those before it, as a segment of Kafka's is kept by its latest record. A topic that is compacted and nothing else keeps
everything.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.broker.topic import Topic
from kafka_nextgen.broker.topics import Topics
from kafka_nextgen.errors import StorageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.transport.timers import Timer

__all__ = ["Retention", "drop_expired"]

_log = logger_of(__name__)


def drop_expired(topic: Topic, now_ms: int) -> None:
    """Drop what is too old at ``now_ms`` (since the epoch). Raises ``StorageError``."""
    kept_ms = topic.settings.retention_ms
    if kept_ms is not None:
        for partition in topic.partitions:
            partition.log.drop_older(now_ms - kept_ms)


class Retention:
    """The clock of retention, on the event loop; ``now_ms`` gives the time since the epoch."""

    def __init__(self, topics: Topics, interval_s: float, now_ms: Callable[[], int]) -> None:
        self._topics = topics
        self._interval_s = interval_s
        self._now_ms = now_ms
        self._timer = Timer(self._look)

    def start(self) -> None:
        """Look every interval from now on."""
        self._timer.set_after(self._interval_s)

    def close(self) -> None:
        """Stop."""
        self._timer.set_after(None)

    def _look(self) -> None:
        for topic in self._topics.all():
            try:
                drop_expired(topic, self._now_ms())
            except StorageError as error:
                _log.error("what is too old of topic %s stays: %s", topic.name, error)
        self.start()

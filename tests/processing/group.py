"""What the tests with a real group share: a cluster, watched listeners, and who handled what."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence

from kafka_nextgen import Consumer, RebalanceConsumer, RebalanceListener, Record, StopHandle, TopicPartition
from tests.support.clients import produce, unique
from tests.support.waiting import GUARD_S

__all__ = ["PARTITIONS", "PATIENCE_S", "Diary", "Member", "Watched", "fill", "member_config"]

PARTITIONS = 4
PATIENCE_S = GUARD_S

BROKER = {
    "group.consumer.assignment.interval.ms": 0,
    "group.consumer.heartbeat.interval.ms": 100,
    "group.consumer.min.heartbeat.interval.ms": 100,
}


def member_config(servers: str, group: str, **more: object) -> dict[str, object]:
    return {
        "bootstrap_servers": servers,
        "group_id": group,
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
        "auto_commit_interval_ms": 50,
        "retry_backoff_ms": 1,
        **more,
    }


def fill(servers: str, count: int, topic: str | None = None, first: int = 0) -> str:
    """Produce records ``first`` up to before ``first + count``, and return the topic."""
    name = topic or unique("orders")
    produce(servers, name, count, partitions=PARTITIONS, first=first)
    return name


class Diary:
    """Counts how often each record was handled, and says when there are enough."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.handled: Counter[int] = Counter()

    def note(self, record: Record) -> None:
        assert isinstance(record.value, bytes)
        with self._changed:
            self.handled[int(record.value)] += 1
            self._changed.notify_all()

    def wait_for(self, count: int) -> None:
        """Return once ``count`` different records were handled."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.handled) >= count, PATIENCE_S), (
                f"{len(self.handled)} of {count} records were handled in {PATIENCE_S} s"
            )


class Watched(Consumer):
    """A consumer whose rebalances can be waited for."""

    def __init__(self, **config: object) -> None:
        super().__init__(config)
        self.has_partitions = threading.Event()
        self.is_revoking = threading.Event()
        self.has_revoked = threading.Event()

    def subscribe(self, topics: Collection[str], listener: RebalanceListener | None = None) -> None:
        super().subscribe(topics, None if listener is None else _WatchedListener(self, listener))


class _WatchedListener(RebalanceListener):
    def __init__(self, watched: Watched, listener: RebalanceListener) -> None:
        self._watched = watched
        self._listener = listener

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._listener.on_partitions_assigned(consumer, partitions)
        if partitions:
            self._watched.has_partitions.set()

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._watched.is_revoking.set()
        self._listener.on_partitions_revoked(consumer, partitions)
        self._watched.has_revoked.set()


class Member:
    """A member of a group whose ``run`` has a thread of its own; leaving the block stops it and says what it raised."""

    def __init__(
        self, servers: str, group: str, topic: str, handler: Callable[[Record], object], **options: object
    ) -> None:
        self.consumer = Watched(**member_config(servers, group))
        self.handle = StopHandle()
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(topic, handler, options))

    def _run(self, topic: str, handler: Callable[[Record], object], options: dict[str, object]) -> None:
        try:
            self.consumer.run(handler, [topic], stop=self.handle, **options)  # type: ignore[arg-type]
        except BaseException as error:
            self.error = error
        finally:
            self.consumer.close()

    def __enter__(self) -> Member:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.handle.stop()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), "run() did not end"
        if self.error is not None:
            raise self.error

"""What the tests with a real group share: records, members with a thread of their own, and who handled what."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

from kafka_nextgen import Consumer, Record, StopHandle
from tests.support.clients import create_topic, produce, stored_offsets
from tests.support.waiting import GUARD_S

PARTITIONS, COUNT = 4, 400
#: What is committed once all records are handled.
EVERYTHING = dict.fromkeys(range(PARTITIONS), COUNT // PARTITIONS)

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


def filled_topic(servers: str, count: int = COUNT) -> str:
    """Return a topic with records 0 up to before ``count``."""
    topic = create_topic(servers, "orders", PARTITIONS)
    produce(servers, topic, count, partitions=PARTITIONS)
    return topic


def progress(servers: str, group: str) -> dict[int, int]:
    """Return the offsets that were committed, by partition; 0 is left out.

    ``run`` commits the position of a partition, too, of which it has handled nothing yet. Whether that becomes due
    depends on how fast the machine is.
    """
    return {partition: offset for partition, offset in stored_offsets(servers, group).items() if offset}


class Diary:
    """Counts how often each record was handled; stops a run, or ends a wait, when there are enough."""

    def __init__(self, enough: int = COUNT) -> None:
        self.stop = StopHandle()
        self.handled: Counter[int] = Counter()
        self._changed = threading.Condition()
        self._enough = enough

    def note(self, record: Record) -> None:
        assert isinstance(record.value, bytes)
        with self._changed:
            self.handled[int(record.value)] += 1
            self._changed.notify_all()
        if len(self.handled) == self._enough:
            self.stop.stop()

    async def note_async(self, record: Record) -> None:
        self.note(record)

    def wait_for(self, count: int) -> None:
        """Return once ``count`` different records were handled."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.handled) >= count, GUARD_S), (
                f"{len(self.handled)} of {count} records were handled in {GUARD_S} s"
            )


class Member:
    """A member of a group whose ``run`` has a thread of its own; leaving the block stops it and says what it raised."""

    def __init__(
        self, servers: str, group: str, topic: str, handler: Callable[[Record], object], **options: object
    ) -> None:
        self.consumer = Consumer(member_config(servers, group))
        self._handle = StopHandle()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(topic, handler, options))

    def _run(self, topic: str, handler: Callable[[Record], object], options: dict[str, object]) -> None:
        try:
            with self.consumer:
                self.consumer.run(handler, [topic], stop=self._handle, **options)  # type: ignore[arg-type]
        except BaseException as error:
            self._error = error

    def __enter__(self) -> Member:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.stop()
        self._thread.join(GUARD_S)
        assert not self._thread.is_alive(), "run() did not end"
        if self._error is not None:
            raise self._error

"""The queue between the threads that write events and the thread that stores them.

Writing must never block, even in a signal handler that interrupted a ``write`` of the same thread. So nothing here
waits for a lock: ``SimpleQueue.put`` is reentrant, and the holder of the lock also counts what others dropped.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from queue import Empty, SimpleQueue

from kafka_nextgen.history.events import EVENTS_DROPPED, Event, EventKind

__all__ = ["EventQueue"]

_Key = tuple[str, str, str]


class EventQueue:
    """Queues about ``capacity`` events from any thread for one thread that takes them, and counts dropped ones."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._queue: SimpleQueue[Event | None] = SimpleQueue()
        self._uncounted: deque[tuple[Event, bool]] = deque()
        self._counting = threading.Lock()
        self._count = 0
        self._unreported: dict[_Key, tuple[int, Event]] = {}

    def put(self, event: Event) -> None:
        """Add the event, or drop it if the queue is full. Never blocks."""
        if self._queue.qsize() < self._capacity:
            self._queue.put(event)
        else:
            self.drop([event])

    def wake(self) -> None:
        """Make ``wait`` return."""
        self._queue.put(None)

    def wait(self, timeout_s: float) -> Event | None:
        """Return the next event; None after ``timeout_s`` seconds or after ``wake``."""
        try:
            return self._queue.get(timeout=timeout_s)
        except Empty:
            return None

    def take(self, most: int) -> list[Event]:
        """Return at most ``most`` waiting events."""
        events: list[Event] = []
        while len(events) < most:
            try:
                event = self._queue.get_nowait()
            except Empty:
                break
            if event is not None:
                events.append(event)
        return events

    @property
    def dropped(self) -> int:
        """The number of events dropped so far."""
        return self._count + len(self._uncounted)

    def drop(self, events: Sequence[Event], *, is_reported: bool = True) -> None:
        """Count events that are not stored. With ``is_reported``, an event in the log reports them. Never blocks."""
        self._uncounted.extend((event, is_reported) for event in events)
        if self._counting.acquire(blocking=False):
            try:
                self._count_dropped()
            finally:
                self._counting.release()

    def take_drop_reports(self) -> list[Event]:
        """Return an event for each source and group that reports what was dropped since the last call."""
        if not (self._uncounted or self._unreported) or not self._counting.acquire(blocking=False):
            return []  # the next call returns them
        try:
            self._count_dropped()
            unreported, self._unreported = self._unreported, {}
        finally:
            self._counting.release()
        return [_drop_report(count, last) for count, last in unreported.values()]

    def _count_dropped(self) -> None:
        while self._uncounted:
            event, is_reported = self._uncounted.popleft()
            self._count += 1
            if is_reported and isinstance(event, Event) and event.cause != EVENTS_DROPPED:
                key = (event.source, event.cluster, event.group)
                count, last = self._unreported.get(key, (0, event))
                self._unreported[key] = (count + 1, event if event.seq >= last.seq else last)


def _drop_report(count: int, last: Event) -> Event:
    """Return the event that replaces the last dropped one, and so reuses its ``seq``."""
    return Event(
        at=last.at,
        seq=last.seq,
        source=last.source,
        cluster=last.cluster,
        group=last.group,
        protocol=last.protocol,
        kind=EventKind.ERROR,
        cause=EVENTS_DROPPED,
        reason=f"{count} events of this source were dropped before this point",
    )

"""The queue between the threads that write events and the thread that stores them.

Writing must never block, even in a signal handler that interrupted a ``write`` of the same thread. So nothing here
waits for a lock: ``SimpleQueue.put`` is reentrant, and the holder of the counter's lock also counts what others left.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from queue import Empty, SimpleQueue

from kafka_nextgen.history.events import EVENTS_DROPPED, Event, EventKind

__all__ = ["EventQueue"]

_Key = tuple[str, str, str]


class _DropCounter:
    """Counts dropped events, and reports them as one event for each source and group. Never blocks."""

    def __init__(self) -> None:
        self._pending: deque[tuple[Event, bool]] = deque()
        self._lock = threading.Lock()
        self._count = 0
        self._unreported: dict[_Key, tuple[int, Event]] = {}

    @property
    def count(self) -> int:
        """The number of events dropped so far."""
        return self._count + len(self._pending)

    def add(self, event: Event, *, is_reported: bool = True) -> None:
        """Count this event. With ``is_reported``, an event in the log reports the loss."""
        self._pending.append((event, is_reported))
        if self._lock.acquire(blocking=False):
            try:
                self._count_pending()
            finally:
                self._lock.release()

    def take(self) -> list[Event]:
        """Return the events that report what was dropped since the last call."""
        if not (self._pending or self._unreported) or not self._lock.acquire(blocking=False):
            return []  # the next call returns them
        try:
            self._count_pending()
            unreported, self._unreported = self._unreported, {}
        finally:
            self._lock.release()
        return [_drop_event(count, last) for count, last in unreported.values()]

    def _count_pending(self) -> None:
        while self._pending:
            event, is_reported = self._pending.popleft()
            self._count += 1
            if is_reported and isinstance(event, Event) and event.cause != EVENTS_DROPPED:
                key = (event.source, event.cluster, event.group)
                count, last = self._unreported.get(key, (0, event))
                self._unreported[key] = (count + 1, event if event.seq >= last.seq else last)


def _drop_event(count: int, last: Event) -> Event:
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
        reason=f"{count} events of this source were dropped up to here",
    )


class EventQueue:
    """Queues about ``capacity`` events from any thread for one thread that takes them."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._queue: SimpleQueue[Event | None] = SimpleQueue()
        self.drops = _DropCounter()

    def put(self, event: Event) -> None:
        """Add the event, or drop it if the queue is full. Never blocks."""
        if self._queue.qsize() < self._capacity:
            self._queue.put(event)
        else:
            self.drops.add(event)

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
        """Return up to ``most`` waiting events."""
        events: list[Event] = []
        while len(events) < most:
            try:
                event = self._queue.get_nowait()
            except Empty:
                break
            if event is not None:
                events.append(event)
        return events

    def drop(self, events: Sequence[Event], *, is_reported: bool = True) -> None:
        """Count events that were taken but could not be stored."""
        for event in events:
            self.drops.add(event, is_reported=is_reported)

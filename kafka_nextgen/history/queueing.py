"""The queue between those who write events and the thread that puts them down.

To write must never block, also in a signal handler that interrupted a ``write`` of the same thread. So nothing here
waits for a lock: ``SimpleQueue.put`` is reentrant, and if the tally's lock is taken, its holder finds a note.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from queue import Empty, SimpleQueue

from kafka_nextgen.history.events import EVENTS_DROPPED, Event, Kind

__all__ = ["DropTally", "EventQueue"]

_Key = tuple[str, str, str]


class DropTally:
    """Counts dropped events, and makes one event of them for each source and group. Never blocks."""

    def __init__(self) -> None:
        self._notes: deque[tuple[Event, bool]] = deque()
        self._lock = threading.Lock()
        self._count = 0
        self._untold: dict[_Key, tuple[int, Event]] = {}

    @property
    def count(self) -> int:
        """How many events were dropped so far."""
        return self._count + len(self._notes)

    def add(self, event: Event, *, is_told: bool = True) -> None:
        """Count this event. With ``is_told`` its loss shows in the log."""
        self._notes.append((event, is_told))
        if self._lock.acquire(blocking=False):
            try:
                self._count_notes()
            finally:
                self._lock.release()

    def take(self) -> list[Event]:
        """What is to be written in place of dropped events, each time only those since the last call."""
        if not (self._notes or self._untold) or not self._lock.acquire(blocking=False):
            return []  # the next call has them
        try:
            self._count_notes()
            untold, self._untold = self._untold, {}
        finally:
            self._lock.release()
        return [_told(count, last) for count, last in untold.values()]

    def _count_notes(self) -> None:
        while self._notes:
            event, is_told = self._notes.popleft()
            self._count += 1
            if is_told and isinstance(event, Event) and event.cause != EVENTS_DROPPED:
                key = (event.source, event.cluster, event.group)
                count, last = self._untold.get(key, (0, event))
                self._untold[key] = (count + 1, event if event.seq >= last.seq else last)


def _told(count: int, last: Event) -> Event:
    """It takes the place of the last one that was dropped, so its ``seq`` is that of no other event."""
    return Event(
        at=last.at,
        seq=last.seq,
        source=last.source,
        cluster=last.cluster,
        group=last.group,
        protocol=last.protocol,
        kind=Kind.ERROR,
        cause=EVENTS_DROPPED,
        reason=f"{count} events of this source were dropped up to here",
    )


class EventQueue:
    """About ``capacity`` events, from any thread, to one that takes them."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._queue: SimpleQueue[Event | None] = SimpleQueue()
        self.tally = DropTally()

    def put(self, event: Event) -> None:
        """Add the event, or drop it if there is no room. Never blocks."""
        if self._queue.qsize() < self._capacity:
            self._queue.put(event)
        else:
            self.tally.add(event)

    def wake(self) -> None:
        """Let ``wait`` return."""
        self._queue.put(None)

    def wait(self, timeout_s: float) -> Event | None:
        """The next event; None if there is none within ``timeout_s`` seconds, or after ``wake``."""
        try:
            return self._queue.get(timeout=timeout_s)
        except Empty:
            return None

    def take(self, most: int) -> list[Event]:
        """Up to ``most`` events that are there."""
        events: list[Event] = []
        while len(events) < most:
            try:
                event = self._queue.get_nowait()
            except Empty:
                break
            if event is not None:
                events.append(event)
        return events

    def give_up(self, events: Sequence[Event], *, is_told: bool = True) -> None:
        """Count events as dropped that were taken and could not be written."""
        for event in events:
            self.tally.add(event, is_told=is_told)

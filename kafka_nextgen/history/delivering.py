"""A sink with a thread of its own: what a file and a topic of events have in common.

The thread takes events in batches and hands them to a *target*. While the target fails, the batch waits and is tried
again; the queue behind it fills, and what finds it full is dropped and counted.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from kafka_nextgen.history.events import Event
from kafka_nextgen.history.queueing import EventQueue
from kafka_nextgen.logs import logger_of

__all__ = ["CAPACITY", "CLOSING_S", "Delivered", "QueuedSink", "Target"]

logger = logger_of(__name__)

#: So many events wait at most: some 10 MB.
CAPACITY = 20_000
#: How long (seconds) ``close`` takes at most by default.
CLOSING_S = 5.0
#: The thread lets events gather for so long (seconds), so that it wakes up a hundred times a second at most.
GATHER_S = 0.01
#: It looks for dropped events as often (seconds) when no others come.
LOOK_S = 1.0
#: A failure is tried again after so long (seconds), and while closing after so long.
RETRY_S, LAST_RETRY_S = 1.0, 0.05
BATCH = 1_000


@frozen
class Delivered:
    """What became of a batch: the first ``written`` events are put down, the next ``refused`` never can be.

    ``error`` is why the rest was not put down yet; it is tried again.
    """

    written: int
    refused: int = 0
    error: Exception | None = None


class Target(Protocol):
    """Where events are put down. Used by one thread; may block."""

    def deliver(self, events: Sequence[Event]) -> Delivered:
        """Put the events down, in their order. What can fail is told by the result, not raised."""
        ...

    def interrupt(self) -> None:
        """Let ``deliver`` end soon if it is waiting; called from another thread."""
        ...

    def close(self) -> None:
        """Let go of what is open; nothing comes after that."""
        ...


class QueuedSink:
    """Puts events down at ``target``, which errors call ``name``. See ``Sink`` for what it promises.

    Events that wait are written before ``close`` returns, and when Python exits without it, as long as ``CLOSING_S``
    suffices. A process that was forked off needs a sink of its own: this one drops its events.
    """

    def __init__(
        self,
        target: Target,
        name: str,
        *,
        capacity: int = CAPACITY,
        gather_s: float = GATHER_S,
        retry_s: float = RETRY_S,
    ) -> None:
        if capacity < 1:
            raise ValueError(f"{name}: capacity must be 1 or more, not {capacity}")
        self._target = target
        self._name = name
        self._gather_s = gather_s
        self._retry_s = retry_s
        self._queue = EventQueue(capacity)
        self._written = 0
        self._is_failing = False
        self._closing = threading.Event()
        self._is_closed = False
        self._give_up_at = float("inf")
        self._pid = os.getpid()
        self._thread = threading.Thread(target=self._run, name=f"kafka_nextgen history {name}", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    @property
    def dropped(self) -> int:
        """How many events were not put down, for want of room or because they can't be."""
        return self._queue.tally.count

    @property
    def written(self) -> int:
        """How many events were put down, among them those that tell of dropped ones."""
        return self._written

    def write(self, event: Event) -> None:
        """Hand over an event; any thread and signal handler may. Never blocks and never raises."""
        if self._is_closed or os.getpid() != self._pid:
            self._queue.tally.add(event, is_told=False)
        else:
            self._queue.put(event)

    def close(self, timeout_s: float = CLOSING_S) -> None:
        """Write what waits, for up to ``timeout_s`` seconds; the rest is dropped. May be called more than once."""
        if os.getpid() != self._pid:
            return
        atexit.unregister(self.close)
        self._is_closed = True
        self._give_up_at = time.monotonic() + timeout_s
        self._closing.set()
        self._queue.wake()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)
            self._target.interrupt()
            self._thread.join(2 * LAST_RETRY_S)
            self._drop_rest()

    # ---- the thread

    def _run(self) -> None:
        while not self._closing.is_set():
            self._put_down(self._next_batch())
        while batch := self._queue.tally.take() + self._queue.take(BATCH):
            self._put_down(batch)
        self._target.close()

    def _next_batch(self) -> list[Event]:
        first = self._queue.wait(LOOK_S)
        if first is None:
            return self._queue.tally.take()
        self._closing.wait(self._gather_s)
        events = [first, *self._queue.take(BATCH - 1)]
        return events + self._queue.tally.take()

    def _put_down(self, events: list[Event]) -> None:
        while events:
            delivered = self._deliver(events)
            done = delivered.written + delivered.refused
            self._written += delivered.written
            self._queue.give_up(events[delivered.written : done])
            events = events[done:]
            self._note(delivered.error)
            if delivered.error is not None and not self._may_try_again():
                self._queue.give_up(events, is_told=False)
                self._drop_rest()
                return

    def _deliver(self, events: Sequence[Event]) -> Delivered:
        try:
            return self._target.deliver(events)
        except Exception as failure:  # a defect; without these events it may go on
            logger.error("%s: %d events are lost: %s", self._name, len(events), failure, exc_info=failure)
            return Delivered(0, refused=len(events))

    def _drop_rest(self) -> None:
        while rest := self._queue.take(BATCH):
            self._queue.give_up(rest, is_told=False)

    def _may_try_again(self) -> bool:
        """Wait a little; False if the time of ``close`` is over."""
        if self._closing.is_set():
            time.sleep(LAST_RETRY_S)
        else:
            self._closing.wait(self._retry_s)
        return time.monotonic() < self._give_up_at

    def _note(self, error: Exception | None) -> None:
        """Log a failure when it begins and when it is over."""
        if error is not None and not self._is_failing:
            logger.warning("%s: events can't be written, and are tried again: %s", self._name, error)
        elif error is None and self._is_failing:
            logger.warning("%s: events are written again; %d were dropped so far", self._name, self.dropped)
        self._is_failing = error is not None

"""A sink with its own thread: the common part of sinks for files and topics.

The thread takes events in batches and hands them to a *target*. If the target fails, the thread retries the batch.
Meanwhile the queue fills; when it is full, new events are dropped and counted.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from kafka_nextgen import clocks
from kafka_nextgen.history.event_queue import EventQueue
from kafka_nextgen.history.events import Event
from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.logs import logger_of

__all__ = ["CLOSE_TIMEOUT_S", "QUEUE_CAPACITY", "CallbackSink", "DeliveryResult", "QueuedSink", "Sink", "SinkTarget"]

logger = logger_of(__name__)

#: The maximum number of waiting events: about 10 MB.
QUEUE_CAPACITY = 20_000
#: The default time limit of ``close``.
CLOSE_TIMEOUT_S = 5.0
#: How long events are collected into a batch, so that the thread wakes up at most a hundred times a second.
LINGER_S = 0.01
#: How often the thread reports dropped events when there are no others.
DROP_CHECK_S = 1.0
#: The pause before a retry, normally and while closing.
RETRY_S, CLOSING_RETRY_S = 1.0, 0.05
MAX_BATCH = 1_000


class Sink(Protocol):
    """Takes events from any thread, including a consumer's I/O thread."""

    @property
    def dropped(self) -> int:
        """The number of events that were not stored."""

    @property
    def written(self) -> int:
        """The number of events that were stored."""

    def write(self, event: Event) -> None:
        """Enqueue an event. Never blocks and never raises; signal handlers may call it."""

    def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        """Store waiting events for up to ``timeout_s`` seconds; later events are dropped."""


@define
class CallbackSink:
    """A ``Sink`` that calls a function immediately."""

    tell: Callable[[Event], None]
    written: int = 0
    dropped: int = 0

    def write(self, event: Event) -> None:
        """Pass the event on."""
        self.written += 1
        self.tell(event)

    def close(self, timeout_s: float = 0) -> None:
        """Do nothing: no event waits."""


@frozen
class DeliveryResult:
    """The result of a batch: the first ``written`` events are stored, the next ``rejected`` never can be.

    ``error`` says why the rest is not stored yet; it is retried.
    """

    written: int
    rejected: int = 0
    error: Exception | None = None


class SinkTarget(Protocol):
    """Stores events. One thread uses it; it may block."""

    def deliver(self, events: Sequence[Event]) -> DeliveryResult:
        """Store the events in order. Expected failures are in the result, not raised."""

    def interrupt(self) -> None:
        """Let a waiting ``deliver`` return soon; called from another thread."""

    def close(self) -> None:
        """Release resources; no other method is called afterwards."""


class QueuedSink:
    """Stores events at ``target``, which log messages call ``name``. Implements ``Sink``.

    Waiting events are stored before ``close`` returns or Python exits, within ``CLOSE_TIMEOUT_S``. A forked process
    needs its own sink: this one drops its events there.
    """

    def __init__(
        self,
        target: SinkTarget,
        name: str,
        *,
        capacity: int = QUEUE_CAPACITY,
        linger_s: float = LINGER_S,
        retry_s: float = RETRY_S,
    ) -> None:
        if capacity < 1:
            raise ValueError(f"{name}: capacity must be 1 or more, not {capacity}")
        self._target = target
        self._name = name
        self._linger_s = linger_s
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
        """The number of events dropped because the queue was full or the target rejected them."""
        return self._queue.dropped

    @property
    def written(self) -> int:
        """The number of events stored, including those that report dropped ones."""
        return self._written

    def write(self, event: Event) -> None:
        """Enqueue an event; any thread or signal handler may call this. Never blocks and never raises."""
        if self._is_closed or os.getpid() != self._pid:
            self._queue.drop([event], is_reported=False)
        else:
            self._queue.put(event)

    def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        """Store waiting events for up to ``timeout_s`` seconds, and drop the rest. May be called more than once."""
        if os.getpid() != self._pid:
            return
        atexit.unregister(self.close)
        self._is_closed = True
        self._give_up_at = clocks.monotonic() + timeout_s
        self._closing.set()
        self._queue.wake()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)
            self._target.interrupt()
            self._thread.join(2 * CLOSING_RETRY_S)
            self._drop_rest()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._deliver_all(self._next_batch())
        while batch := self._queue.take_drop_reports() + self._queue.take(MAX_BATCH):
            self._deliver_all(batch)
        self._target.close()

    def _next_batch(self) -> list[Event]:
        first = self._queue.wait(DROP_CHECK_S)
        if first is None:
            return self._queue.take_drop_reports()
        self._closing.wait(self._linger_s)
        events = [first, *self._queue.take(MAX_BATCH - 1)]
        return events + self._queue.take_drop_reports()

    def _deliver_all(self, events: list[Event]) -> None:
        while events:
            delivered = self._deliver(events)
            done = delivered.written + delivered.rejected
            self._written += delivered.written
            self._queue.drop(events[delivered.written : done])
            events = events[done:]
            self._log_failure(delivered.error)
            if delivered.error is not None and not self._wait_to_retry():
                self._queue.drop(events, is_reported=False)
                self._drop_rest()
                return

    def _deliver(self, events: Sequence[Event]) -> DeliveryResult:
        try:
            return self._target.deliver(events)
        except Exception as failure:  # a bug in the target; skip these events and continue
            logger.error("%s: %d events are lost: %s", self._name, len(events), failure, exc_info=failure)
            return DeliveryResult(0, rejected=len(events))

    def _drop_rest(self) -> None:
        while rest := self._queue.take(MAX_BATCH):
            self._queue.drop(rest, is_reported=False)

    def _wait_to_retry(self) -> bool:
        """Pause; return False if the time limit of ``close`` has expired."""
        if self._closing.is_set():
            time.sleep(CLOSING_RETRY_S)
        else:
            self._closing.wait(self._retry_s)
        return clocks.monotonic() < self._give_up_at

    def _log_failure(self, error: Exception | None) -> None:
        """Log when a failure begins and when it ends."""
        if error is not None and not self._is_failing:
            logger.warning("%s: events can't be written; retrying: %s", self._name, error)
        elif error is None and self._is_failing:
            logger.warning("%s: writing events works again; %d were dropped so far", self._name, self.dropped)
        self._is_failing = error is not None

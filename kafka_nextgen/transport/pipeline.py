"""The requests of one connection, in order, without I/O.

A broker answers the requests of a connection in order, so the next answer belongs to the oldest request. A request
keeps its position after its caller has left: its answer still arrives, and is discarded.

Requests wait while too many are in flight or the broker is throttling this client. While a login is renewed (KIP-368),
only login requests are sent.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from math import inf
from typing import Protocol

from attrs import field

from kafka_nextgen.errors import DecodeError, DisconnectedError, KafkaNextgenError
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.transport.waiting import Deadline, EagerFuture
from kafka_nextgen.wire.apis import Answer, Api, Question

__all__ = ["Exchange", "LogIn", "PendingRequest", "Pipeline", "Reauthentication"]

_INT32_MAX = 2**31 - 1

#: Logs in again; raises ``KafkaNextgenError`` if that fails.
LogIn = Callable[[], Coroutine[object, object, None]]


class ServedSocket(Protocol):
    """A socket on which another thread continues an exchange."""

    #: When the request in flight was sent, in monotonic seconds.
    asked_at: float

    def end(self) -> tuple[bytes, bytes, int]:
        """End the other thread's exchange.

        Returns the bytes received but not used, those yet to be sent, and the id of the last request.
        """
        ...

    def traffic(self) -> tuple[int, int, int, float, float]:
        """Return what is new: answers, bytes received, bytes sent, total and longest time (s) until an answer."""
        ...


class Exchange(Protocol):
    """A series of requests; each is sent as soon as the previous one is answered, without waking the waiting task.

    At a thousand answers a second, waking a task for each costs more than the request itself. The task gets the first
    answer for which ``follow`` has no next request, or the error that ended the connection. Methods run on the event
    loop and must not block. The time limit applies to each request separately.
    """

    def begin(self, version: int) -> Question:
        """The first request, in a version that both sides support. May be called again before it is answered."""
        ...

    def follow(self, frame: memoryview, correlation_id: int) -> bytes | None:
        """The next request as a frame with its length, with this correlation id.

        ``frame`` is the answer without its length. Returns None, without changing state, if the task has to read the
        answer. An exception ends the exchange.
        """
        ...

    def sent(self) -> None:
        """The next request was sent, or queued behind a throttle. Must not raise."""
        ...

    @property
    def wants_lending(self) -> bool:
        """Whether another thread should continue the exchange."""
        ...

    def lend(
        self,
        fd: int,
        correlation_id: int,
        asked_at: float,
        take_back: Callable[[], None],
        is_throttled: Callable[[], bool],
        count_traffic: Callable[[], None],
    ) -> ServedSocket | None:
        """Let another thread continue from the request in flight, on this socket; None if it can't.

        ``take_back`` is to be called on the event loop when the other thread is done; it may be called again.
        If ``is_throttled`` returns True, take the socket back. ``count_traffic`` is to be called now and then, on any
        thread.
        """
        ...

    def note_answers(self, count: int, total_s: float, longest_s: float) -> None:
        """Count answers that the other thread has received, and how long they took."""
        ...

    def take_back(self) -> None:
        """Continue on the event loop; the other thread's work has ended."""
        ...


@define(eq=False)
class PendingRequest:
    """A request, and the reply that its caller waits for; the reply is already done if the caller has left.

    ``for_login`` is set for login requests. ``timeout_s`` is how long the connection waits for the answer. Each request
    of an exchange has its own id, frame and time.
    """

    api: Api
    version: int
    deadline: Deadline
    reply: EagerFuture[Answer]
    for_login: bool = False
    exchange: Exchange | None = None
    correlation_id: int = -1
    frame: bytes = field(default=b"", repr=False)  # may contain a password
    timeout_s: float = 0.0
    sent_at: float = 0.0
    due_at: float = 0.0


class Pipeline:
    """Requests in flight, at most ``max_in_flight``, and those waiting to be sent."""

    def __init__(self, max_in_flight: int) -> None:
        self._max_in_flight = max_in_flight
        self._in_flight: deque[PendingRequest] = deque()
        self.waiting: deque[PendingRequest] = deque()
        #: Set while a login is renewed.
        self.on_hold = False
        #: The correlation id of the next request. A connection's ids have no gaps.
        self.next_id = 0

    def __len__(self) -> int:
        return len(self._in_flight) + sum(not pending.reply.done() for pending in self.waiting)

    @property
    def oldest(self) -> PendingRequest | None:
        """The request that the next answer belongs to."""
        return self._in_flight[0] if self._in_flight else None

    def add(self, pending: PendingRequest) -> None:
        """Number a request with ``next_id``, and queue it; login requests go first."""
        pending.correlation_id, self.next_id = self.next_id, (self.next_id + 1) & _INT32_MAX
        if pending.for_login:
            self.waiting.appendleft(pending)
        else:
            self.waiting.append(pending)

    @property
    def only(self) -> PendingRequest | None:
        """The only request, if it is in flight and nothing else is waiting."""
        return self._in_flight[0] if len(self._in_flight) == 1 and not self.waiting else None

    def renumber(self, pending: PendingRequest, correlation_id: int, sent_at: float) -> None:
        """Record that this request, the only one, now has this id, and was sent at ``sent_at`` (the loop's clock)."""
        pending.correlation_id, self.next_id = correlation_id, (correlation_id + 1) & _INT32_MAX
        pending.sent_at, pending.due_at = sent_at, sent_at + pending.timeout_s
        pending.deadline.restart(sent_at)

    @property
    def may_send(self) -> bool:
        """Whether a waiting request may be sent now."""
        while self.waiting and self.waiting[0].reply.done():
            self.waiting.popleft()
        if not self.waiting or len(self._in_flight) >= self._max_in_flight:
            return False
        return not self.on_hold or self.waiting[0].for_login

    def to_send(self, now: float) -> Iterator[PendingRequest]:
        """Take the requests that may be sent now, in order."""
        while self.may_send:
            pending = self.waiting.popleft()
            pending.sent_at, pending.due_at = now, now + pending.timeout_s
            self._in_flight.append(pending)
            yield pending

    def answered(self, correlation_id: int) -> PendingRequest:
        """Take the request that this answer belongs to. Raises ``DecodeError`` unless it is the oldest."""
        if not self._in_flight:
            raise DecodeError(f"an answer with correlation id {correlation_id} does not belong to any request")
        oldest = self._in_flight[0]
        if oldest.correlation_id != correlation_id:
            raise DecodeError(
                f"an answer with correlation id {correlation_id} arrived instead of {oldest.correlation_id} "
                f"({oldest.api} v{oldest.version})"
            )
        return self._in_flight.popleft()

    def fail_all(self, error: Exception) -> None:
        """Fail all requests."""
        for pending in (*self._in_flight, *self.waiting):
            if not pending.reply.done():
                pending.reply.set_exception(error)
        self._in_flight.clear()
        self.waiting.clear()


class Reauthentication:
    """Renews a connection's login when that is due, before the next request is sent (KIP-368).

    No other request is in flight during the renewal. ``on_end`` gets the error if the login fails, or None.
    """

    def __init__(self, pipeline: Pipeline, on_end: Callable[[KafkaNextgenError | None], object]) -> None:
        #: When it is due, on the loop's clock.
        self.at = inf
        self._pipeline = pipeline
        self._on_end = on_end
        self._log_in: LogIn | None = None
        self._task: asyncio.Task[None] | None = None

    def schedule(self, at: float, log_in: LogIn) -> None:
        """Call ``log_in`` once, before the first send after ``at``."""
        self.at, self._log_in = at, log_in

    def begin(self) -> None:
        """Hold requests back if one is waiting and a renewal is due; start it when nothing is in flight."""
        if self._pipeline.may_send:
            self._pipeline.on_hold = True
        if self._pipeline.on_hold and self._task is None and self._pipeline.oldest is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        assert self._log_in is not None
        log_in, self._log_in, self.at = self._log_in, None, inf
        failure: KafkaNextgenError | None = None
        try:
            await log_in()
        except KafkaNextgenError as error:
            failure = error
        except Exception as error:  # waiting callers need an error; another connection may succeed
            failure = DisconnectedError(f"renewing the login failed with an unexpected {type(error).__name__}")
            failure.__cause__ = error
        finally:
            self._task, self._pipeline.on_hold = None, False
        self._on_end(failure)

    def cancel(self) -> None:
        """Cancel a login in progress, unless the login itself calls this."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()

    async def wait(self) -> None:
        """Wait until a login in progress has ended."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

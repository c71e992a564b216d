"""The requests of one connection in their order, without the connection.

A broker answers a connection's requests in the order it got them, so the next answer belongs to the oldest request.
Any other correlation id means that one side has lost count, and nothing after it can be trusted. A caller that has
gone away leaves its place in the order: its answer is still to come, and is thrown away. An answered request may be
followed by the next of its ``exchange``, behind those that wait.

Only so many requests are out at once, and none goes out while the broker is to be left alone (``throttling``); the
others wait here, and those whose callers left are never sent. While the pipeline is on hold, for a login to be renewed
(KIP-368), only what belongs to the login goes out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from attrs import define, field

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.transport.exchange import Exchange
from kafka_nextgen.transport.reply import Reply
from kafka_nextgen.wire.apis import Answer, Api

__all__ = ["Pending", "Pipeline"]

_INT32_MAX = 2**31 - 1


@define(eq=False)
class Pending:
    """One request: what it is, who waits for its answer, and by when the answer has to be here once it is out."""

    api: Api
    version: int
    deadline: Deadline
    reply: Reply[Answer]
    through_hold: bool = False
    exchange: Exchange | None = None
    correlation_id: int = -1
    frame: bytes = field(default=b"", repr=False)  # a login's has a password in it
    patience_s: float = 0.0
    due_at: float = 0.0

    def put(self, correlation_id: int, frame: bytes, patience_s: float) -> None:
        """Make this its question."""
        self.correlation_id, self.frame, self.patience_s = correlation_id, frame, patience_s

    @property
    def sent_at(self) -> float:
        """When it went out."""
        return self.due_at - self.patience_s

    @property
    def is_wanted(self) -> bool:
        """Whether somebody still waits for the answer."""
        return not self.reply.done()


class Pipeline:
    """What is out and what waits to be; ``max_in_flight`` bounds the former."""

    def __init__(self, max_in_flight: int) -> None:
        self._max_in_flight = max_in_flight
        self._out: deque[Pending] = deque()
        self._waiting: deque[Pending] = deque()
        #: The number that the next request will have.
        self.upcoming_correlation_id = 0
        self.on_hold = False

    def __len__(self) -> int:
        return len(self._out) + sum(pending.is_wanted for pending in self._waiting)

    @property
    def oldest(self) -> Pending | None:
        """The request whose answer is the next to come."""
        return self._out[0] if self._out else None

    @property
    def waits(self) -> bool:
        """Whether something waits to be sent, or for all answers to be here."""
        return self.on_hold or bool(self._waiting)

    def next_correlation_id(self) -> int:
        """Take the number of the next request."""
        number, self.upcoming_correlation_id = (
            self.upcoming_correlation_id,
            (self.upcoming_correlation_id + 1) & _INT32_MAX,
        )
        return number

    def add(self, pending: Pending) -> None:
        """Queue a request, or put it in front if it goes out in spite of a hold."""
        if pending.through_hold:
            self._waiting.appendleft(pending)
        else:
            self._waiting.append(pending)

    @property
    def may_send(self) -> bool:
        """Whether requests wait, and not for answers to others."""
        while self._waiting and not self._waiting[0].is_wanted:
            self._waiting.popleft()
        return self._has_next()

    def _has_next(self) -> bool:
        if not self._waiting or len(self._out) >= self._max_in_flight:
            return False
        return not self.on_hold or self._waiting[0].through_hold

    def to_send(self, now: float) -> Iterator[Pending]:
        """The requests that may go out now, in order."""
        while self._has_next():
            pending = self._waiting.popleft()
            if pending.is_wanted:
                self._goes(pending, now)
                yield pending

    def goes_at_once(self, pending: Pending, now: float) -> bool:
        """Note that a request goes out, if nothing is in its way; else it has to be added."""
        if self._waiting or self.on_hold or len(self._out) >= self._max_in_flight:
            return False
        self._goes(pending, now)
        return True

    def _goes(self, pending: Pending, now: float) -> None:
        pending.due_at = now + pending.patience_s
        self._out.append(pending)

    def answered(self, correlation_id: int) -> Pending:
        """The request that an answer with this id belongs to. Raises ``DecodeError`` if it can't be."""
        if not self._out:
            raise DecodeError(f"an answer with correlation id {correlation_id} came to no request")
        if self._out[0].correlation_id != correlation_id:
            oldest = self._out[0]
            raise DecodeError(
                f"an answer with correlation id {correlation_id} came where {oldest.correlation_id} "
                f"({oldest.api} v{oldest.version}) was due"
            )
        return self._out.popleft()

    def fail_all(self, error: Exception) -> None:
        """Give everybody who waits this error."""
        for pending in (*self._out, *self._waiting):
            if pending.is_wanted:
                pending.reply.set_exception(error)
        self._out.clear()
        self._waiting.clear()

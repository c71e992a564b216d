"""One connection to one broker, on asyncio's ``BufferedProtocol``.

All callers get the error that ended the connection: ``DisconnectedError`` if the peer or the network ended it,
``RequestTimeoutError`` if the oldest request was not answered in time, ``DecodeError`` if an answer did not match it.
An ended connection is never reopened.

If a caller is cancelled or times out, the others are not affected: its answer is discarded on arrival. A request that
stays unanswered for ``request.timeout.ms`` ends the connection, since all answers behind it would be late as well.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from math import inf
from typing import cast

from kafka_nextgen.errors import DecodeError, DisconnectedError, KafkaNextgenError, RequestTimeoutError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.transport.connection_errors import connection_lost_error
from kafka_nextgen.transport.frame_reader import FrameReader, Receive, receiver_of
from kafka_nextgen.transport.pipeline import Exchange, LogIn, PendingRequest, Pipeline, Reauthentication, ServedSocket
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.throttling import Throttle, ThrottledError, throttle_time_s
from kafka_nextgen.transport.traffic import Traffic
from kafka_nextgen.transport.waiting import Deadline, EagerFuture, LazyTimer
from kafka_nextgen.wire import frames
from kafka_nextgen.wire.apis import API_VERSIONS, FETCH, Answer, Api, Question, VersionRange

__all__ = ["Connection"]

logger = logger_of(__name__)


class Connection(asyncio.BufferedProtocol):
    """Sends requests and receives answers. ``ranges`` are the broker's versions of each API, once known.

    ``throttle`` may be shared with other connections. ``was_lost`` is False if this side closed the connection.
    """

    def __init__(self, address: ServerAddress, settings: TransportSettings, traffic: Traffic) -> None:
        self.address = address
        self.ranges: Mapping[int, VersionRange] = {}
        self.throttle = Throttle(address)
        self.on_closed: Callable[[Connection, KafkaNextgenError], None] | None = None
        self.was_lost = True
        #: Whether requests can be sent.
        self.is_open = False
        self._settings = settings
        self._traffic = traffic
        self._reader = FrameReader(settings.receive_max_bytes)
        self._pipeline = Pipeline(settings.max_in_flight)
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._receive: Receive | None = None
        self._timer = LazyTimer(self._on_timer)
        self._idle_since = self._loop.time()
        self._has_answered = False  # any request except ApiVersions
        self._reauthentication = Reauthentication(self._pipeline, self._on_reauthenticated)
        self._ended: KafkaNextgenError | None = None
        self._lent: tuple[Exchange, ServedSocket] | None = None  # while another thread receives the answers
        self._socket_closed = self._loop.create_future()

    @property
    def load(self) -> int:
        """How many requests are waiting for an answer."""
        return len(self._pipeline)

    def send(
        self,
        api: Api,
        version: int,
        message: Question,
        deadline: Deadline,
        *,
        for_login: bool = False,
        exchange: Exchange | None = None,
    ) -> EagerFuture[Answer]:
        """Send a request as soon as possible, and return its reply; ``for_login`` requests go before all others.

        With an ``exchange``, this is its first request, the reply is its last answer, and the deadline restarts with
        each request. Raises the error that ended the connection. Awaiting the reply raises that too,
        ``RequestTimeoutError`` at the deadline, or ``DecodeError``.
        """
        self._take_back()
        if not self.is_open:
            raise self._ended or DisconnectedError(f"{self.address}: not connected")
        reply: EagerFuture[Answer] = EagerFuture(loop=self._loop)
        pending = PendingRequest(api, version, deadline, reply, for_login, exchange)
        frame = frames.encode_request(message, version, self._pipeline.next_id, self._settings.client_id)
        self._submit(pending, frame, self._loop.time())
        return reply

    def limit_frames(self, max_bytes: int, rule: str) -> None:
        """From now on, refuse longer frames; the error names ``rule``."""
        self._reader.limit(max_bytes, rule)

    def reauthenticate_at(self, at: float, log_in: LogIn) -> None:
        """Call ``log_in`` once, before the first send after ``at`` (the loop's clock)."""
        self._reauthentication.schedule(at, log_in)

    def send_waiting(self) -> None:
        """Send the waiting requests after a throttle was lifted."""
        self._take_back()
        if self.is_open:
            self._pump(self._loop.time())

    async def close(self) -> None:
        """End the connection and wait until its socket is closed; requests fail with ``DisconnectedError``."""
        self.was_lost = False
        self._end(DisconnectedError(f"{self.address}: closed by this client"))
        await self.wait_closed()

    async def wait_closed(self) -> None:
        """Wait until the socket is closed, if there was one."""
        await self._reauthentication.wait()
        if self._transport is not None:
            await asyncio.shield(self._socket_closed)

    # ---- called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is connected."""
        # uvloop's transport has the same methods, but a different class.
        self._transport = cast(asyncio.Transport, transport)
        self._receive = receiver_of(self._transport)
        if self._ended is not None:  # closed while the socket was being connected
            self._transport.abort()
        else:
            self.is_open = True
            self._idle_since = self._loop.time()
            self._timer.fire_by(self._due_at())

    def get_buffer(self, sizehint: int) -> memoryview:
        """The buffer to receive into."""
        return self._reader.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        """asyncio has received this many bytes into the buffer."""
        if self._ended is not None:
            return
        try:
            self._read(nbytes)
            if self._receive is not None and (rest := self._reader.rest()) is not None and self.is_open:
                self._read(self._receive(rest))
        except DecodeError as error:
            self._end(self._with_address(error))
        if self.is_open:
            if self._pipeline.waiting:
                self._pump(self._loop.time())
            else:
                self._timer.fire_by(self._due_at())
            pending = self._pipeline.only
            if pending is not None and pending.exchange is not None and pending.exchange.wants_lending:
                self._lend(pending, pending.exchange)

    # ---- while another thread serves the socket

    def _lend(self, pending: PendingRequest, exchange: Exchange) -> None:
        """Let another thread continue an exchange, unless anything else is going on."""
        assert self._transport is not None
        is_plain = self._receive is not None and self._reauthentication.at == inf
        is_quiet = self._reader.is_empty and not self._transport.get_write_buffer_size() and not pending.reply.done()
        if not (is_plain and is_quiet and self.throttle.until <= self._loop.time()):
            return
        fd = self._transport.get_extra_info("socket").fileno()
        self._transport.pause_reading()
        socket = exchange.lend(
            fd, pending.correlation_id, pending.sent_at, self._take_back, self._is_throttled, self._count_traffic
        )
        if socket is None:
            self._transport.resume_reading()
        else:
            self._lent = exchange, socket
            pending.reply.cancel_timeout()  # the connection's own timer knows how late the answers are

    def _take_back(self) -> None:
        """Receive the answers here again, beginning with what the other thread has received and not used."""
        if self._lent is None:
            return
        assert self._transport is not None
        received = self._end_lending()
        self._transport.resume_reading()
        if received:
            self._reader.buffer()[: len(received)] = received
            self._traffic.bytes_in -= len(received)  # the other thread has counted them
            self.buffer_updated(len(received))

    def _end_lending(self) -> bytes:
        assert self._lent is not None
        assert self._transport is not None
        exchange, socket = self._lent
        pending = self._pipeline.only
        assert pending is not None, "everything else takes the socket back first"
        try:
            exchange.take_back()
        finally:
            received, unsent, number = socket.end()
            self._note_traffic(exchange, socket)
            self._lent = None
            self._pipeline.renumber(pending, number, socket.asked_at)
            if unsent:
                self._transport.write(unsent)
        return received

    def _is_throttled(self) -> bool:
        return self.throttle.until > self._loop.time()

    def _count_traffic(self) -> None:
        """Count what the other thread has received."""
        lent = self._lent
        if lent is not None:
            self._note_traffic(*lent)

    def _note_traffic(self, exchange: Exchange, socket: ServedSocket) -> None:
        answers, bytes_in, bytes_out, total_s, longest_s = socket.traffic()
        if answers:
            self._traffic.note_answers(answers, bytes_in, bytes_out)
            self._traffic.latency.note(total_s, self._loop.time(), answers, longest_s)
            exchange.note_answers(answers, total_s, longest_s)
        self._idle_since = socket.asked_at

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is closed."""
        untested = None if self._has_answered else self._settings.security
        self._end(connection_lost_error(self.address, exc, untested))
        if not self._socket_closed.done():
            self._socket_closed.set_result(None)

    # ---- answers

    def _read(self, nbytes: int) -> None:
        self._traffic.bytes_in += nbytes
        for frame in self._reader.received(nbytes):
            self._on_answer(frame)

    def _on_answer(self, frame: memoryview) -> None:
        pending = self._pipeline.answered(frames.peek_correlation_id(frame))
        now = self._idle_since = self._loop.time()
        self._traffic.answers += 1
        self._traffic.latency.note(now - pending.sent_at, now)
        self._has_answered = self._has_answered or pending.api is not API_VERSIONS
        if pending.reply.done():
            return
        try:
            if pending.exchange is not None and self._follow(pending, pending.exchange, frame, now):
                return
            # The message of a Fetch answer contains views of the frame.
            frame = self._reader.kept(frame) if pending.api.key == FETCH.key else frame
            _, message = frames.decode_response(pending.api, pending.version, frame)
        except DecodeError as error:
            pending.reply.set_exception(self._with_address(error))
            raise
        except Exception as bug:  # a bug in the reader, or out of memory: the other requests continue
            pending.reply.set_exception(bug)
            return
        if getattr(message, "throttle_time_ms", 0) > 0:
            self._extend_throttle(throttle_time_s(message))
        pending.reply.set_result(message)

    def _follow(self, pending: PendingRequest, exchange: Exchange, frame: memoryview, now: float) -> bool:
        """Send the next request of an exchange, if the answer that arrived ``now`` leads to one."""
        following = exchange.follow(frame, self._pipeline.next_id)
        if following is None:
            return False
        pending.deadline.restart(now)
        pending.reply.cancel_timeout()
        self._submit(pending, following, now)
        exchange.sent()
        return True

    def _extend_throttle(self, throttle_s: float) -> None:
        self._traffic.throttled_ms += round(throttle_s * 1000)
        now = self._loop.time()
        if self.throttle.extend(now + throttle_s, now):
            logger.log(logging.WARNING if self.throttle.is_long else logging.INFO, "%s", self.throttle)

    def _with_address(self, error: DecodeError) -> DecodeError:
        return type(error)(f"{self.address}: {error}")

    # ---- requests

    def _submit(self, pending: PendingRequest, frame: bytes, now: float) -> None:
        """Queue a request, and send it now if that is allowed."""
        left_s = max(0.0, pending.deadline.at - now)
        pending.frame, pending.timeout_s = frame, max(self._settings.request_timeout_s, left_s)
        self._pipeline.add(pending)
        self._idle_since = now
        self._pump(now)
        if pending.timeout_s > left_s or self._pipeline.oldest is not pending:  # else the connection's timer suffices
            pending.deadline.limit(pending.reply, self._throttled_error)

    def _throttled_error(self) -> ThrottledError | None:
        return ThrottledError(str(self.throttle)) if self.throttle.until > self._loop.time() else None

    def _pump(self, now: float) -> None:
        """Send the requests that may be sent now, and set the timer for the next deadline."""
        assert self._transport is not None
        if now >= self._reauthentication.at:
            self._reauthentication.begin()
        for pending in self._pipeline.to_send(now) if now >= self.throttle.until else ():
            self._transport.write(pending.frame)
            self._traffic.requests += 1
            self._traffic.bytes_out += len(pending.frame)
        self._timer.fire_by(self._due_at())

    def _on_reauthenticated(self, failure: KafkaNextgenError | None) -> None:
        if failure is not None:
            self._end(failure)
        elif self.is_open:
            self._pump(self._loop.time())

    # ---- time, and the end

    def _due_at(self) -> float:
        """The next deadline: an answer is late, the connection is idle too long, or a request's throttle ends."""
        oldest = self._pipeline.oldest
        if self._lent is not None and oldest is not None:
            return self._lent[1].asked_at + oldest.timeout_s
        due_at = self._idle_since + self._settings.max_idle_s if oldest is None else oldest.due_at
        if self._pipeline.waiting and self.throttle.until < due_at and self._pipeline.may_send:
            return self.throttle.until
        return due_at

    def _on_timer(self, now: float) -> None:
        if now < self._due_at():
            self._timer.fire_by(self._due_at())
            return
        self._take_back()
        if now < self._due_at():
            self._timer.fire_by(self._due_at())
        elif self._pipeline.may_send and self.throttle.until <= now:
            self._pump(self._loop.time())
        else:
            self._time_out()

    def _time_out(self) -> None:
        oldest = self._pipeline.oldest
        if oldest is None:
            self.was_lost = False
            self._end(DisconnectedError(f"{self.address}: closed after being idle"))
        else:
            late = f"{oldest.api} v{oldest.version} was not answered within {oldest.timeout_s:g} s"
            self._end(RequestTimeoutError(f"{self.address}: {late}"))

    def _end(self, error: KafkaNextgenError) -> None:
        if self._ended is not None:
            return
        self._ended, self.is_open = error, False
        if self._lent is not None:
            self._end_lending()
        logger.debug("%s", error)
        self._timer.stop()
        if self._transport is not None:
            self._transport.abort()
        self._pipeline.fail_all(error)
        self._reauthentication.cancel()
        if self.on_closed is not None:
            self.on_closed(self, error)

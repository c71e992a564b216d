"""One connection to one broker, on asyncio's ``BufferedProtocol``: bytes arrive where they are read from.

How it ends decides what its callers get, all of them the same: ``DisconnectedError`` if the peer or the network
ended it, ``RequestTimeoutError`` if the oldest request was not answered in its time, ``DecodeError`` if what came
was not an answer to it. A connection that ended stays ended; whoever needs one opens another.

A caller that stops waiting, cancelled or out of time, does not harm the others: the answer it no longer wants is
thrown away when it comes. Only an answer that stays out for its whole patience, at least ``request.timeout.ms``,
ends the connection, because all answers behind it would be late as well.

The next request of an ``exchange`` is sent as soon as one is answered, for the same caller.

A login that holds for a time only is renewed between two requests (``renewal``); if that fails, the connection ends
with that error.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

from kafka_nextgen.errors import DecodeError, DisconnectedError, KafkaNextgenError, RequestTimeoutError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties import ServerAddress
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.transport.endings import why_closed
from kafka_nextgen.transport.exchange import Exchange
from kafka_nextgen.transport.frame_reader import FrameReader
from kafka_nextgen.transport.frame_rest import Receive, receiver_of
from kafka_nextgen.transport.lookout import Lookout
from kafka_nextgen.transport.pipeline import Pending, Pipeline
from kafka_nextgen.transport.renewal import Renew, Renewal
from kafka_nextgen.transport.reply import Reply
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.throttling import Mute, ThrottledError, throttle_time_s
from kafka_nextgen.transport.traffic import Traffic
from kafka_nextgen.wire import frames
from kafka_nextgen.wire.apis import API_VERSIONS, Answer, Api, Question, VersionRange

__all__ = ["Connection"]

logger = logger_of(__name__)


class Connection(asyncio.BufferedProtocol):
    """Requests out, answers in. ``ranges`` are the versions the broker speaks, once negotiated.

    ``mute`` says until when nothing may be sent; other connections to the same broker may share it.
    """

    def __init__(self, address: ServerAddress, settings: TransportSettings, traffic: Traffic) -> None:
        self.address = address
        self.ranges: Mapping[int, VersionRange] = {}
        self.mute = Mute(address)
        self.on_closed: Callable[[Connection, KafkaNextgenError], None] | None = None
        self._settings = settings
        self._traffic = traffic
        self._reader = FrameReader(settings.receive_max_bytes)
        self._pipeline = Pipeline(settings.max_in_flight)
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._receive: Receive | None = None
        self._lookout = Lookout(self._look)
        self._quiet_since = self._loop.time()
        self.was_lost = True  # unless this side ends it without need
        self._has_answered = False  # anything but what it speaks
        self._renewal = Renewal(self._pipeline, self._renewal_ended)
        self._ended: KafkaNextgenError | None = None
        self._lost = self._loop.create_future()

    @property
    def is_open(self) -> bool:
        """Whether requests can be sent."""
        return self._transport is not None and self._ended is None

    @property
    def load(self) -> int:
        """How many requests wait for an answer."""
        return len(self._pipeline)

    async def request(
        self, api: Api, version: int, message: Question, deadline: Deadline, *, through_hold: bool = False
    ) -> Answer:
        """Send a request and wait for its answer; ``through_hold`` is for what belongs to a login.

        Raises ``RequestTimeoutError`` when the deadline passes, and what ended the connection if that ends first.
        """
        return await self.send(api, version, message, deadline, through_hold=through_hold)

    def send(
        self,
        api: Api,
        version: int,
        message: Question,
        deadline: Deadline,
        *,
        through_hold: bool = False,
        exchange: Exchange | None = None,
    ) -> Reply[Answer]:
        """Send a request as soon as that may be; awaiting what is returned brings its answer, or raises as ``request``.

        If it begins an exchange, that is the last answer; the deadline begins anew with each request. Raises what
        ended the connection if it has ended.
        """
        if not self.is_open:
            raise self._ended or DisconnectedError(f"{self.address}: not connected")
        pending = Pending(api, version, deadline, Reply(self._loop), through_hold, exchange)
        number = self._pipeline.next_correlation_id()
        frame = frames.encode_request(message, version, number, self._settings.client_id)
        self._ask(pending, number, frame, self._loop.time())
        return pending.reply

    def limit_frames(self, max_bytes: int, rule: str) -> None:
        """Refuse frames longer than this from here on; ``rule`` says in the error why."""
        self._reader.limit(max_bytes, rule)

    def renew_at(self, at: float, renew: Renew) -> None:
        """Do this, once, before anything is sent after that moment of the loop's clock, with nothing else under way."""
        self._renewal.arrange(at, renew)

    def send_what_waits(self) -> None:
        """Look anew at what may be sent: the mute was lifted."""
        if self.is_open and self._pipeline.waits:
            self._pump()

    async def close(self) -> None:
        """End the connection and wait until its socket is closed; whoever waits gets ``DisconnectedError``."""
        self.was_lost = False
        self._end(DisconnectedError(f"{self.address}: closed by this client"))
        await self.wait_lost()

    async def wait_lost(self) -> None:
        """Wait until the socket is closed, if there ever was one."""
        await self._renewal.wait()
        if self._transport is not None:
            await asyncio.shield(self._lost)

    # ---- asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._receive = receiver_of(transport)
        if self._ended is not None:  # given up while the socket was being connected
            transport.abort()
        else:
            self._quiet_since = self._loop.time()
            self._lookout.by(self._due_at())

    def get_buffer(self, sizehint: int) -> memoryview:
        """Called by asyncio: where to receive."""
        return self._reader.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        """Called by asyncio: so much was received."""
        self._received(nbytes)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by asyncio: the socket is closed."""
        self._end(why_closed(self.address, exc, None if self._has_answered else self._settings.security))
        if not self._lost.done():
            self._lost.set_result(None)

    # ---- inside

    def _received(self, nbytes: int) -> None:
        if self._ended is not None:
            return
        try:
            self._take(nbytes)
            rest = self._reader.rest()
            if rest is not None and self._receive is not None and self.is_open:
                self._take(self._receive(rest))
        except DecodeError as error:
            self._end(self._at(error))
        else:
            self._go_on()

    def _take(self, nbytes: int) -> None:
        self._traffic.bytes_in += nbytes
        for frame in self._reader.received(nbytes):
            self._answer(frame)

    def _answer(self, frame: memoryview) -> None:
        pending = self._pipeline.answered(frames.peek_correlation_id(frame))
        self._quiet_since = self._loop.time()
        self._traffic.note_answer(pending.sent_at, self._quiet_since)
        self._has_answered = self._has_answered or pending.api is not API_VERSIONS
        if not pending.is_wanted:
            return
        try:
            if pending.exchange is not None and self._follow(pending, pending.exchange, frame):
                return
            # What a reader of our own returns looks into the frame.
            frame = frame if pending.api.read is None else self._reader.kept(frame)
            _, message = frames.read_response(pending.api, pending.version, frame)
        except DecodeError as error:
            pending.reply.set_exception(self._at(error))
            raise
        except Exception as bug:  # of whoever reads it, or no memory; all others go on
            pending.reply.set_exception(bug)
            return
        throttle_s = throttle_time_s(message)
        if throttle_s > 0:
            self._be_quiet(throttle_s)
        pending.reply.set_result(message)

    def _follow(self, pending: Pending, exchange: Exchange, frame: memoryview) -> bool:
        """Send the next request of an exchange, if it follows from this answer."""
        number = self._pipeline.upcoming_correlation_id
        following = exchange.follow(frame, number)
        if following is None:
            return False
        self._pipeline.next_correlation_id()
        now = self._loop.time()
        pending.deadline.begin_anew(now)
        pending.reply.fail_never()
        self._ask(pending, number, following, now)
        exchange.sent()
        return True

    def _ask(self, pending: Pending, number: int, frame: bytes, now: float) -> None:
        """Send a request: at once, or when those in front of it are out."""
        left_s = pending.deadline.left_s(now)
        pending.put(number, frame, max(self._settings.request_timeout_s, left_s))
        is_free = now < self._renewal.at and now >= self.mute.until
        if is_free and self._pipeline.goes_at_once(pending, now):
            self._write(pending)
            self._quiet_since = now
            if pending.due_at < self._lookout.at:
                self._lookout.by(self._due_at())
        else:
            self._pipeline.add(pending)
            self._pump()
        if pending.patience_s > left_s or self._pipeline.oldest is not pending:  # else this looks at the time
            pending.deadline.limit(pending.reply, self._throttle)

    def _be_quiet(self, throttle_s: float) -> None:
        self._traffic.note_throttling(throttle_s)
        now = self._loop.time()
        if self.mute.extend(now + throttle_s, now):
            logger.log(logging.WARNING if self.mute.is_long else logging.INFO, "%s", self.mute)

    def _throttle(self) -> ThrottledError | None:
        """Why requests wait to be sent, if it is for a throttle."""
        return ThrottledError(str(self.mute)) if self.mute.until > self._loop.time() else None

    def _at(self, error: DecodeError) -> DecodeError:
        return type(error)(f"{self.address}: {error}")

    def _go_on(self) -> None:
        """After what came: mostly nothing waits to be sent, and the next request is out already."""
        oldest = self._pipeline.oldest
        if self._pipeline.waits:
            self._pump()
        elif oldest is None or oldest.due_at < self._lookout.at:
            self._lookout.by(self._due_at())

    def _pump(self) -> None:
        now = self._loop.time()
        self._renewal.begin_if_due(now)
        self._quiet_since = now
        for pending in self._pipeline.to_send(now) if now >= self.mute.until else ():
            self._write(pending)
        self._lookout.by(self._due_at())

    def _write(self, pending: Pending) -> None:
        assert self._transport is not None
        self._transport.write(pending.frame)
        self._traffic.note_request(pending.frame)

    def _renewal_ended(self, failed: KafkaNextgenError | None) -> None:
        if failed is not None:
            self._end(failed)
        elif self.is_open:
            self._pump()

    def _due_at(self) -> float:
        """Until when an answer has to be here, or a request to be sent; or this has been idle for too long."""
        oldest = self._pipeline.oldest
        due_at = self._quiet_since + self._settings.max_idle_s if oldest is None else oldest.due_at
        if self._pipeline.waits and self.mute.until < due_at and self._pipeline.may_send:
            return self.mute.until
        return due_at

    def _look(self, looked_at: float) -> None:
        if looked_at < self._due_at():
            self._lookout.by(self._due_at())
        elif self._pipeline.may_send and self.mute.until <= looked_at:
            self._pump()
        else:
            self._time_passed()

    def _time_passed(self) -> None:
        oldest = self._pipeline.oldest
        if oldest is None:
            self.was_lost = False
            self._end(DisconnectedError(f"{self.address}: closed after being idle"))
        else:
            late = f"{oldest.api} v{oldest.version} was not answered within {oldest.patience_s:g} s"
            self._end(RequestTimeoutError(f"{self.address}: {late}"))

    def _end(self, error: KafkaNextgenError) -> None:
        if self._ended is not None:
            return
        self._ended = error
        logger.debug("%s", error)
        self._lookout.end()
        if self._transport is not None:
            self._transport.abort()
        self._pipeline.fail_all(error)
        self._renewal.cancel()
        if self.on_closed is not None:
            self.on_closed(self, error)

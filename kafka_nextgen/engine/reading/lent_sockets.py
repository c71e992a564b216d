"""Lends connections to the application's thread while it waits for every single answer.

Handing an answer from the I/O thread to the application costs two wakeups and, for each of them, the GIL. While records
arrive one by one, that is most of the work. So the I/O thread lends the connections: the application's thread waits on
their sockets, receives the answers and sends the next requests, in C (``SteadySocket``, ``ArrivingRows``). The I/O
thread takes a connection back

- after anything that is not a plain answer, and before anything changes the fetches;
- when it needs the connection: to send something else, to close it, because an answer is late, or because the broker
  throttles this client;
- when the application has not waited for ``AWAY_S``, because records should arrive while it processes others.

TLS needs Python code for each answer, so these connections are never lent, nor those that have to log in again.
Nothing is lent on Windows or without the C extension.

Only the thread that waits serves a socket, and any thread may end that: each is one step of C code under the GIL.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import define, frozen

from kafka_nextgen import clocks
from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.engine.application.record_run import TIMESTAMP_TYPES
from kafka_nextgen.fetching.socket_answers import SteadySocket
from kafka_nextgen.types import Record

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.wakeup import AsyncWakeup, ThreadWakeup

__all__ = ["AWAY_S", "CAN_LEND", "AsyncLentSockets", "LentSocket", "LentSockets"]

#: After how long (seconds) without a wait the I/O thread receives again; checked this often.
AWAY_S = 0.05

#: How often (seconds) the traffic of lent connections is counted, unless metrics are requested.
COUNT_S = 1.0

#: Whether this platform can do this: Windows can't.
CAN_LEND = ACCELERATED and hasattr(accelerator, "SteadySocket")

#: The most connections that are lent at a time; ``ArrivingRows`` can't wait for more.
MOST_LENT = 64

Rows: TypeAlias = "accelerator.ArrivingRows[Record[Any, Any]]"


@define(eq=False)
class LentSocket:
    """A lent connection.

    ``take_back`` is called on the I/O thread; calling it again does nothing. ``is_throttled`` returns whether the
    broker throttles this client. ``count_traffic`` counts what the socket has received and sent, on any thread. Once
    ``is_reported``, the I/O thread will take it back.
    """

    socket: SteadySocket
    fd: int
    take_back: Callable[[], None]
    is_throttled: Callable[[], bool]
    count_traffic: Callable[[], None]
    is_reported: bool = False


class _Waker:
    """Ends a wait on sockets. ``release`` may be called from any thread, and from a signal handler."""

    _sockets: tuple[socket.socket, ...] = ()  # none, too, if there are no descriptors left, or a signal handler raises

    def __init__(self) -> None:
        self._sockets = self._receiver, self._sender = socket.socketpair()
        self._receiver.setblocking(False)
        self._sender.setblocking(False)
        self.fd = self._receiver.fileno()

    def release(self) -> None:
        with suppress(OSError):  # full, so that the wait ends anyway
            self._sender.send(b"\0")

    def __del__(self) -> None:
        for each in self._sockets:
            each.close()


@frozen(eq=False)
class _Watched:
    """A lent connection that ``loop`` watches, under the number ``own_fd``."""

    lent: LentSocket
    own_fd: int
    loop: asyncio.AbstractEventLoop


class LentSockets:
    """The lent connections of one consumer. ``call_soon`` schedules a call on the I/O thread."""

    def __init__(self, call_soon: Callable[[Callable[[], None]], None]) -> None:
        #: The lent connections, by the numbers of their sockets; replaced on each change.
        self.by_fd: Mapping[int, LentSocket] = MappingProxyType({})
        #: The rows being handed over as they arrive, if any.
        self.rows: Rows | None = None
        self._call_soon = call_soon
        self._waited = self._waited_seen = 0.0
        self._counted_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._is_possible = True

    # ---- on the I/O thread

    @property
    def has_room(self) -> bool:
        """Whether one more connection may be lent."""
        return self._is_possible and len(self.by_fd) < MOST_LENT

    def add(self, lent: LentSocket) -> None:
        """Lend this connection, too."""
        self.by_fd = {**self.by_fd, lent.fd: lent}
        if self._timer is None:
            self._look_later()

    def remove(self, lent: LentSocket) -> None:
        """Forget a connection that is taken back."""
        self.by_fd = {fd: each for fd, each in self.by_fd.items() if each is not lent}

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(AWAY_S, self._look)

    def _look(self) -> None:
        """Take all connections back if the application has not waited since the last look.

        A connection that stopped serving, or whose broker throttles this client, is taken back, too. The traffic is
        counted once a second: that takes longer than everything else here.
        """
        self._timer = None
        rows = self.rows
        waited = self._waited + (rows.waited_s if rows is not None else 0.0)
        is_away = waited == self._waited_seen and not self._is_awaited()
        self._waited_seen = waited
        for lent in tuple(self.by_fd.values()):
            if is_away or lent.socket.is_over or lent.is_throttled():
                lent.take_back()
        now = clocks.monotonic()
        if now - self._counted_at >= COUNT_S:
            self._counted_at = now
            self.count_traffic()
        if self.by_fd:
            self._look_later()

    def _is_awaited(self) -> bool:
        rows = self.rows
        return rows is not None and bool(rows.is_waiting)

    # ---- on any thread

    def count_traffic(self) -> None:
        """Count what the sockets have received and sent since the last time."""
        for lent in tuple(self.by_fd.values()):
            lent.count_traffic()

    def close(self) -> None:
        """Close what only waits need; no thread may wait after that."""

    def stop(self) -> None:
        """Stop receiving. The I/O thread can still take the connections back."""
        for lent in self.by_fd.values():
            lent.socket.stop()

    # ---- on the application's thread

    def _begin(self, waker_fd: int, until: float) -> Rows | None:
        served = [lent for lent in self.by_fd.values() if not self._reports(lent)]
        sockets = tuple([lent.socket for lent in served])
        if not sockets or (self.rows is not None and self.rows.is_running):  # another thread waits for them
            return None
        self.rows = accelerator.ArrivingRows(sockets, Record, TIMESTAMP_TYPES, waker_fd, until)
        return self.rows

    def _end(self) -> None:
        rows, self.rows = self.rows, None
        if rows is not None:
            rows.end()
            self._waited += rows.waited_s
        for lent in self.by_fd.values():
            self._reports(lent)

    def _reports(self, lent: LentSocket) -> bool:
        """Whether the socket can no longer be served; the I/O thread is then told to take it back.

        No thread may try to wait for such a socket: each wait would return immediately, and keep the GIL from the I/O
        thread, which needs it several times to take the connection back.
        """
        if lent.socket.is_over and not lent.is_reported:
            self._call_soon(lent.take_back)
            lent.is_reported = True  # second: a signal handler may raise in between
        return bool(lent.socket.is_over)


class ThreadLentSockets(LentSockets):
    """For a thread, which waits in C code."""

    def __init__(self, wakeup: ThreadWakeup, call_soon: Callable[[Callable[[], None]], None]) -> None:
        super().__init__(call_soon)
        self._wakeup = wakeup
        self._waker: _Waker | None = None

    def begin_rows(self, count: int, until: float) -> Rows | None:
        """Return the records that arrive until the wakeup has more than ``count`` notifications, or until ``until``.

        None if no connection is lent. Call ``end_rows`` after that.
        """
        if self._waker is None:
            self._waker = _Waker()
        rows = self._begin(self._waker.fd, until)
        if rows is not None:
            self._wakeup.waiters.append(self._waker)
            if self._wakeup.count != count:
                rows.end()
        return rows

    def end_rows(self) -> None:
        """End the rows, and have connections taken back that can no longer be served."""
        self._end()
        self._leave_waiters()

    def _leave_waiters(self) -> None:
        if self._waker is not None:
            with suppress(ValueError):  # ``notify`` has removed it
                self._wakeup.waiters.remove(self._waker)

    def close(self) -> None:
        self._leave_waiters()
        self._waker = None

    def wait(self, count: int, until: float) -> bool:
        """Wait for an answer, or until the wakeup has more than ``count`` notifications, or until ``until``.

        Returns False, without waiting, if no connection is lent.
        """
        rows = self.begin_rows(count, until)
        if rows is None:
            return False
        try:
            rows.offer(until, 0)  # offers none: the poll finds these records like all others
        finally:
            self.end_rows()
        return True


class AsyncLentSockets(LentSockets):
    """For an event loop, which watches the sockets.

    The loop watches a duplicate of each socket's number: the I/O thread may close a socket at any time, and the number
    may then be that of another one.
    """

    def __init__(self, wakeup: AsyncWakeup, call_soon: Callable[[Callable[[], None]], None]) -> None:
        super().__init__(call_soon)
        self._wakeup = wakeup
        self._watched: dict[int, _Watched] = {}  # by the number of the socket
        self._all_watched: Mapping[int, LentSocket] | None = None  # ``by_fd`` if the loop watches all of these

    def watch(self) -> None:
        """Have the running loop watch all lent sockets; called before each wait."""
        by_fd = self.by_fd
        if self._all_watched is by_fd:
            for lent in by_fd.values():
                if lent.socket.is_over:
                    break
            else:
                return
        for watched in tuple(self._watched.values()):
            if by_fd.get(watched.lent.fd) is not watched.lent:
                self._forget(watched.lent)
        for lent in by_fd.values():
            if not self._reports(lent) and lent.fd not in self._watched:
                self._begin_watching(lent)
        self._all_watched = by_fd if len(self._watched) == len(by_fd) else None

    def _begin_watching(self, lent: LentSocket) -> None:
        try:
            own = os.dup(lent.fd)
        except OSError:  # there are too many, or the I/O thread is closing the socket
            self._give_back(lent)
            return
        loop = asyncio.get_running_loop()
        self._watched[lent.fd] = _Watched(lent, own, loop)
        try:
            loop.add_reader(own, self._serve, lent)
        except NotImplementedError:  # this event loop can't watch sockets
            self._is_possible = False
            self._give_back(lent)
        except BaseException:  # a signal handler has raised
            self._forget(lent)
            raise
        if lent.socket.is_over:  # the I/O thread has taken it back, possibly before it was in ``_watched``
            self._forget(lent)

    def _give_back(self, lent: LentSocket) -> None:
        lent.socket.stop()
        self._forget(lent)
        self._reports(lent)

    def _forget(self, lent: LentSocket) -> None:
        """Watch this connection no longer; called on the loop that watches it, or when that loop is closed."""
        watched = self._watched.get(lent.fd)
        if watched is None or watched.lent is not lent:
            return
        self._all_watched = None
        del self._watched[lent.fd]
        with suppress(RuntimeError, NotImplementedError):  # the loop is closed, or can't watch sockets
            watched.loop.remove_reader(watched.own_fd)
        os.close(watched.own_fd)

    def remove(self, lent: LentSocket) -> None:
        """Forget a connection that is taken back, or closed: the duplicate would keep it open."""
        super().remove(lent)
        watched = self._watched.get(lent.fd)
        if watched is None:
            return
        try:
            watched.loop.call_soon_threadsafe(self._forget, lent)
        except RuntimeError:  # the loop is closed
            self._forget(lent)

    def _serve(self, lent: LentSocket) -> None:
        """Receive what has arrived, if anyone waits for it; called by the loop."""
        if not (lent.socket.is_over or self._is_awaited()):
            self._forget(lent)  # until the next wait
            return
        self._waited += 1.0
        has_answered = 0
        try:
            has_answered = lent.socket.serve()
        finally:
            if lent.socket.is_over:
                self._give_back(lent)
                if self.rows is not None:
                    self.rows.end()
            if has_answered:
                self._wakeup.end_waits()

    def _is_awaited(self) -> bool:
        return self._wakeup.is_awaited

    def begin_rows(self, count: int, until: float) -> Rows | None:
        """Return the records that arrive from now on; see ``ThreadLentSockets``. They never wait."""
        rows = self._begin(-1, until)
        if rows is not None and self._wakeup.count != count:
            rows.end()
        return rows

    def end_rows(self) -> None:
        """End the rows, and have connections taken back that can no longer be served."""
        self._end()

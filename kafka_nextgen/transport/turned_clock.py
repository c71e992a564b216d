"""A simulated clock for tests, and its followers: this library's event loops, and applications in a waiting call.

``Clock.advance`` steps from one due timer to the next. After each step it waits until the followers are *at rest*:
every event loop sleeps with nothing to receive and no thread working for it, and no application is about to call again.
So an hour passes with all its heartbeats and fetches in order, as fast as they can be processed. A follower says when
it may have come to rest: to check all the time would take the processor from those that work.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from numbers import Real
from typing import NamedTuple, Protocol
from weakref import WeakSet

from kafka_nextgen import clocks
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.transport.loopback import is_anything_under_way

__all__ = ["ApplicationWait", "Clock", "Follower", "clock_of", "seconds_to_advance"]

#: How long (real seconds) ``advance`` waits for the followers to become idle before it raises.
REST_LIMIT_S = 120.0
#: For how long (real seconds) a woken application is expected to call its consumer again.
RETURN_S = 0.5
#: How long (real seconds) until the followers are checked again although none has said that it came to rest: at first,
#: and at most. An application that no longer calls its consumer says nothing.
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.002, 0.05

#: Held while the parts of a reading are taken or changed, so that no thread sees a clock step back.
_reading = threading.RLock()


def seconds_to_advance(seconds: object) -> float:
    """Check the argument of ``advance``, and that it may block this thread; see ``Clock.advance``."""
    if not isinstance(seconds, Real):
        raise TypeError(f"advance() takes a number of seconds, not {seconds!r}")
    if not 0 <= float(seconds) < math.inf:
        raise ValueError(f"advance() takes 0 seconds or more, not {seconds}")
    if asyncio._get_running_loop() is not None:  # noqa: SLF001  (that does not raise)
        raise MisuseError("advance() blocks this thread's event loop: await asyncio.to_thread(advance, seconds)")
    return float(seconds)


class Follower(Protocol):
    """An object with timers on a simulated clock."""

    @property
    def turns(self) -> int:
        """A counter that changes whenever the follower becomes active."""

    @property
    def due_at(self) -> float:
        """When its next timer is due (monotonic seconds of the clock)."""

    def descriptors(self) -> Iterable[int]:
        """The sockets that the follower is waiting for."""

    def is_at_rest(self, turning_since: float) -> bool:
        """Whether it appears to do nothing until ``due_at``; ``turning_since`` is in real seconds."""

    def wake(self) -> None:
        """Make the follower read the clock. May be called from any thread."""

    def has_end(self, host: str, port: int) -> bool:
        """Whether it has opened a connection from this address, which is still open."""


class _Rest(NamedTuple):
    """A moment at which all followers were at rest: when the next timer is due, and the turns of each follower."""

    due_at: float
    turns: list[int]


class Clock:
    """A clock that runs like the system's, and that a test can advance: ``Cluster(clock=Clock())``, ``advance``.

    The cluster uses it, and each ``Consumer`` or ``AsyncConsumer`` of this process whose ``bootstrap.servers`` name one
    of the cluster's listeners. Other clients and other processes do not; they seem silent to the cluster while time is
    moved forward. Several clusters may share a clock. ``advanced_s`` counts the seconds of all calls of ``advance``.
    """

    def __init__(self) -> None:
        self.advanced_s = 0.0
        self._turned_for_s = 0.0  # real seconds during which it stood still; see _reading
        self._stands_at: tuple[float, float] | None = None  # the system's monotonic seconds and time of day meanwhile
        self._lock = threading.Lock()
        self._turning = threading.Lock()
        self._followers: WeakSet[Follower] = WeakSet()
        self._listed: tuple[Follower, ...] | None = None  # the followers, unless they have changed
        self._turning_since = math.inf
        self._has_rested = threading.Lock()  # locked until a follower may have come to rest

    def monotonic(self) -> float:
        """Monotonic seconds; the difference between two readings is the time that has passed on this clock."""
        with _reading:
            system_s = clocks.real_monotonic() if self._stands_at is None else self._stands_at[0]
            return system_s - self._turned_for_s + self.advanced_s

    def time(self) -> float:
        """Seconds since the Unix epoch."""
        with _reading:
            system_s = clocks.real_time() if self._stands_at is None else self._stands_at[1]
            return system_s - self._turned_for_s + self.advanced_s

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass, as fast as the cluster and its consumers can do the work of that period.

        Guarantees, for everything that uses this clock:

        - Everything due within ``seconds`` (timers, time limits, retries, intervals) happens in time order, each at its
          own time: all messages sent at one moment are received and answered before the clock moves forward.
        - So a live member keeps its session regardless of how far the clock moves, because its heartbeats are sent in
          time. A member that has stopped, or does not use this clock, expires at its session timeout.
        - When this returns, everything that was due is done, and no message is in transit.
        - A call that waits (``poll``, a loop) in another thread returns at its time. If that thread calls its consumer
          again within half a second of real time, its call counts as made at that moment, so a poll loop stays within
          ``max.poll.interval.ms``; an application that is busy for longer is not waited for.

        Between two calls the clock continues with real time; the real time that a call takes does not count, so a busy
        machine does not change what happens. Wall-clock times (of records, commits, retention) advance likewise.
        Only the system's clock applies to an application's own sleeps, to retries of ``run``, to ``GroupAdmin``, and to
        timeouts of ``close``.

        Raises: TypeError: ``seconds`` is not a number. ValueError: it is negative, infinite or NaN. MisuseError: this
        thread runs an event loop, which would block: use ``await asyncio.to_thread(...)``. TimeoutError: a client kept
        the cluster busy for two minutes of real time, so the followers never came to rest.
        """
        step_s = seconds_to_advance(seconds)
        with self._turning:
            try:
                self._stand_still()
                self._step_through(step_s)
            finally:
                self._continue()
                for follower in self._all():
                    follower.wake()
                self._listed = None  # a follower may be garbage-collected now

    def _stand_still(self) -> None:
        with _reading:
            self._stands_at = clocks.real_monotonic(), clocks.real_time()
            self._turning_since = self._stands_at[0]

    def _continue(self) -> None:
        with _reading:
            if self._stands_at is not None:
                self._turned_for_s += clocks.real_monotonic() - self._stands_at[0]
            self._stands_at, self._turning_since = None, math.inf

    def _step_through(self, left_s: float) -> None:
        while True:
            rest = self._rest()
            if left_s <= 0:
                return
            step_s = min(left_s, max(0.0, rest.due_at - self.monotonic()))
            with _reading:
                self.advanced_s += step_s
            left_s -= step_s
            followers = self._all()
            if rest.turns == [follower.turns for follower in followers]:  # none has sent anything since then
                self._wake_late(followers)

    def _rest(self) -> _Rest:
        """Wait until all followers are at rest."""
        give_up_at = clocks.real_monotonic() + REST_LIMIT_S
        pause_s = _FIRST_PAUSE_S
        while (rest := self._check()) is None:
            if clocks.real_monotonic() > give_up_at:
                why = f"the followers did not become idle within {REST_LIMIT_S:.0f} s"
                raise TimeoutError(f"the clock was not advanced further: {why}")
            self._has_rested.acquire(timeout=pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return rest

    def _check(self) -> _Rest | None:
        """Return the rest if all followers were at rest at one moment; wakes those that are late.

        Each follower is checked twice. If none has become active since its first check, all were idle from the end of
        the first round on. So the second round can't have missed a message, unless the kernel has not delivered it.
        """
        followers, turns = self._all(), list[int]()
        for follower in followers:
            turns.append(follower.turns)
            if not follower.is_at_rest(self._turning_since):
                return None
        if not all(follower.is_at_rest(self._turning_since) for follower in followers):
            return None
        if is_anything_under_way(each for follower in followers for each in follower.descriptors()):
            return None
        has_woken = self._wake_late(followers)
        if has_woken or turns != [follower.turns for follower in followers] or followers is not self._all():
            return None
        return _Rest(min((follower.due_at for follower in followers), default=math.inf), turns)

    def _wake_late(self, followers: Iterable[Follower]) -> bool:
        """Wake the followers that have something to do by now; return whether there were any."""
        late = [follower for follower in followers if follower.due_at <= self.monotonic()]
        for follower in late:
            follower.wake()
        return bool(late)

    def _all(self) -> tuple[Follower, ...]:
        with self._lock:
            if self._listed is None:
                self._listed = tuple(self._followers)
            return self._listed

    @property
    def is_turning(self) -> bool:
        """Whether a thread is in ``advance``."""
        return self._turning_since < math.inf

    def note_rest(self) -> None:
        """Have the followers checked, since one may have come to rest. A signal handler may interrupt this."""
        if self.is_turning:
            with suppress(RuntimeError):  # that is already known
                self._has_rested.release()

    def has_end(self, host: str, port: int) -> bool:
        """Whether a follower has opened a connection from this address, so that its client goes by the clock."""
        with self._lock:
            followers = list(self._followers)
        return any(follower.has_end(host, port) for follower in followers)

    def add(self, follower: Follower) -> None:
        """Wait for ``follower`` from now on, until it is garbage-collected."""
        with self._lock:
            if follower not in self._followers:
                self._followers.add(follower)
                self._listed = None

    def remove(self, follower: Follower) -> None:
        """Stop waiting for ``follower``."""
        with self._lock:
            self._followers.discard(follower)
            self._listed = None
        self.note_rest()


class ApplicationWait:
    """A consumer's application as a follower; ``count`` returns the number of notifications by ``notify``.

    It follows the clock only while it waits, and after a wait that ended while the clock was turned. So consumers of
    earlier tests do not have to be checked, whether or not they were closed.
    """

    def __init__(self, clock: Clock, count: Callable[[], int], notify: Callable[[], None]) -> None:
        self._clock = clock
        self._count = count
        self._notify = notify
        self._seen: int | None = None  # while it waits
        self._thread = threading.current_thread()
        self._left_at = -math.inf
        self.turns = 0
        self.due_at = math.inf

    @contextmanager
    def until(self, seen: int, timeout_s: float) -> Iterator[None]:
        """Mark that the block waits for more than ``seen`` notifications, at most ``timeout_s`` seconds."""
        self._thread = threading.current_thread()
        self.due_at = self._clock.monotonic() + timeout_s
        self._seen = seen
        self._clock.add(self)
        self._clock.note_rest()
        try:
            yield
        finally:
            self.turns += 1
            self._left_at = clocks.real_monotonic()
            self._seen = None
            self.due_at = math.inf
            if not self._clock.is_turning:
                self._clock.remove(self)

    def descriptors(self) -> Iterable[int]:
        """None: the application's own sockets don't count."""
        return ()

    def is_at_rest(self, turning_since: float) -> bool:
        """Whether the application is waiting, or is not expected to call again soon."""
        seen = self._seen
        if seen is not None:
            return seen == self._count()
        is_expected = turning_since <= self._left_at > clocks.real_monotonic() - RETURN_S
        return not (is_expected and self._thread.is_alive())

    def wake(self) -> None:
        """End the wait."""
        self._notify()

    def has_end(self, host: str, port: int) -> bool:
        """False: the consumer's loop has its connections."""
        return False


_by_address: dict[str, Clock] = {}
if hasattr(os, "register_at_fork"):  # a forked process has a copy of the clock, which no test turns
    os.register_at_fork(after_in_child=_by_address.clear)
    os.register_at_fork(before=_reading.acquire, after_in_parent=_reading.release, after_in_child=_reading.release)


def clock_of(servers: Iterable[object]) -> Clock | None:
    """The clock of the cluster that has one of these addresses (``host:port``); None for the system's."""
    return next((_by_address[str(each)] for each in servers if str(each) in _by_address), None) if _by_address else None


@contextmanager
def governing(servers: Iterable[str], clock: Clock) -> Iterator[None]:
    """Inside the block, clients of these addresses (``host:port``) use ``clock``."""
    addresses = tuple(servers)
    _by_address.update(dict.fromkeys(addresses, clock))
    try:
        yield
    finally:
        for address in addresses:
            _by_address.pop(address, None)  # it is missing in a forked process

"""An event loop on a simulated clock."""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from weakref import WeakValueDictionary

from kafka_nextgen import clocks
from kafka_nextgen.transport.turned_clock import Clock

__all__ = ["TurnedLoop"]


class _Watched(selectors.BaseSelector):
    """A loop's selector that records whether the loop sleeps, and until when."""

    def __init__(self, inner: selectors.BaseSelector, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock
        self.turns = 0
        self.due_at = math.inf
        self.is_asleep = False
        self.descriptors: tuple[int, ...] = ()  # replaced as a whole, since other threads read it

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout > 0:
            self.due_at = math.inf if timeout is None else self._clock.monotonic() + timeout
            self.is_asleep = True
            self._clock.note_rest()
        try:
            return self._inner.select(timeout)
        finally:
            self.turns += 1
            self.is_asleep = False

    def has_events(self) -> bool:
        """Whether any socket is ready; consumes nothing and may be called from any thread.

        True also if the selector has just been closed: then its loop has ended, and stops following the clock.
        """
        try:
            return bool(self._inner.select(0))
        except (OSError, ValueError):
            return True

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        key = self._inner.register(fileobj, events, data)
        self.descriptors = (*self.descriptors, key.fd)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        key = self._inner.unregister(fileobj)
        self.descriptors = tuple(each for each in self.descriptors if each != key.fd)
        return key

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._inner.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._inner.get_map()

    def close(self) -> None:
        self._inner.close()
        self.descriptors = ()


class TurnedLoop(asyncio.SelectorEventLoop):
    """While the loop runs, it and its thread follow ``clock``."""

    def __init__(self, selector: selectors.BaseSelector, clock: Clock) -> None:
        self._clock = clock
        self._watched = _Watched(selector, clock)
        self._works = 0
        self._ends: WeakValueDictionary[tuple[str, int], asyncio.BaseTransport] = WeakValueDictionary()
        super().__init__(self._watched)

    def time(self) -> float:
        """The clock's time, in seconds."""
        return self._clock.monotonic()

    def run_forever(self) -> None:
        """Run until it is stopped."""
        self._clock.add(self)
        try:
            with clocks.followed(self._clock):
                super().run_forever()
        finally:
            self._clock.remove(self)

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        """Run work in a thread; the loop does not count as at rest until the work ends."""
        return self.watch(super().run_in_executor(executor, func, *args))

    def watch(self, work: asyncio.Future[Any]) -> asyncio.Future[Any]:
        """Do not count as at rest until ``work``, which another thread runs, has ended."""
        self._works += 1
        work.add_done_callback(self._worked)
        return work

    def _worked(self, work: asyncio.Future[Any]) -> None:
        self._works -= 1

    async def create_connection(self, *args: Any, **kwargs: Any) -> Any:
        """Open a connection, and keep its local address."""
        opened = await super().create_connection(*args, **kwargs)
        transport = opened[0]
        self._ends[transport.get_extra_info("sockname")[:2]] = transport
        return opened

    # ---- as a follower of the clock

    @property
    def turns(self) -> int:
        """How many times the loop has woken up."""
        return self._watched.turns

    @property
    def due_at(self) -> float:
        """When the loop's next timer is due."""
        return self._watched.due_at

    def descriptors(self) -> tuple[int, ...]:
        """The sockets that the loop is waiting for."""
        return self._watched.descriptors

    def is_at_rest(self, turning_since: float) -> bool:
        """Whether the loop sleeps and has no reason to wake up."""
        return self._watched.is_asleep and not self._works and not self._watched.has_events()

    def wake(self) -> None:
        """Make the loop read the clock."""
        with suppress(RuntimeError):  # the loop is closed
            self.call_soon_threadsafe(_do_nothing)

    def has_end(self, host: str, port: int) -> bool:
        """Whether it has opened a connection from this address, which is still open."""
        transport = self._ends.get((host.removeprefix("::ffff:"), port))  # a server of both families says IPv4 so
        return transport is not None and not transport.is_closing()


def _do_nothing() -> None:
    pass

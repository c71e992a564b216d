"""An event loop that lets relays go on while it waits: on Linux, with the extension in C.

Where answers come a thousand times a second, each has a loop turn, takes the GIL away from the application and is read,
taken in and asked on behind in Python. Nearly all are alike, and what follows from one is known from its bytes. So a
connection may lend its socket to a *relay* (``FetchRelay``), which keeps such answers and asks on by itself. It does
that inside of the loop's waiting, without the GIL. So whenever Python runs on the loop's thread, no relay does, and
whoever lent a socket may take it back at once.

What is not for a relay ends it, and Python goes on with what was received.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
from collections.abc import Callable
from typing import NamedTuple, Protocol

from kafka_nextgen.compiled import ACCELERATED, accelerator

__all__ = ["HAS_RELAYS", "Lender", "Relayed", "Relays", "new_event_loop", "relays_of"]

#: Whether there are relays here. (The clocks of Linux's 32-bit calls differ from one C library to the next.)
HAS_RELAYS = ACCELERATED and sys.platform == "linux" and sys.maxsize > 2**32

#: For how long (seconds) they go on before those who lent their sockets note what was done.
MOST_S = 0.25


class Relayed(NamedTuple):
    """What a relay has done: answers and requests, the fetched records with what their batches took, and for how long
    (seconds) answers were waited for, in all and at most.
    """

    answers: int
    bytes_in: int
    bytes_out: int
    records: int
    data_bytes: int
    took_s: float
    longest_s: float


class Lender(Protocol):
    """Whoever has lent a socket. All of this is called on the loop's thread, where no relay goes on meanwhile."""

    def may_go_on(self) -> bool:
        """Whether the relay may go on; asked whenever the loop is about to wait. Must not raise, nor wait."""
        ...

    def told(self) -> None:
        """An answer is there, and nobody was rung. Must not raise, nor wait."""
        ...

    def take_back(self) -> None:
        """The relay is over, or may not go on."""
        ...


class Relays(Protocol):
    """Where sockets are lent."""

    def lend(self, fd: int, relay: accelerator.FetchRelay, lender: Lender) -> None:
        """Let a relay have a socket that the loop has."""
        ...

    def end(self, fd: int) -> None:
        """Take it back."""
        ...


def new_event_loop() -> asyncio.AbstractEventLoop:
    """A loop that has relays, if there are any."""
    return _RelayLoop() if HAS_RELAYS else asyncio.new_event_loop()


def relays_of(loop: asyncio.AbstractEventLoop) -> Relays | None:
    """Where a socket of this loop may be lent; None if it can't be."""
    return loop.relays if HAS_RELAYS and isinstance(loop, _RelayLoop) else None


if sys.platform == "linux":

    class _RelaySelector(selectors.EpollSelector):
        """``call_soon`` is the loop's."""

        call_soon: Callable[[Callable[[], None]], object]

        def __init__(self) -> None:
            super().__init__()
            self._lent: dict[int, tuple[accelerator.FetchRelay, Lender]] = {}
            self._relays: tuple[accelerator.FetchRelay, ...] = ()

        def lend(self, fd: int, relay: accelerator.FetchRelay, lender: Lender) -> None:
            self._lent[fd] = relay, lender
            self._relays = tuple(relay for relay, _ in self._lent.values())

        def end(self, fd: int) -> None:
            if self._lent.pop(fd, None) is not None:
                self._relays = tuple(relay for relay, _ in self._lent.values())

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            if not self._lent:
                return super().select(timeout)
            is_well = True
            for _, lender in self._lent.values():
                if not lender.may_go_on():
                    self.call_soon(lender.take_back)
                    is_well = False
            if not is_well:  # what has come for a relay comes again with the next turn
                return [ready for ready in super().select(0) if ready[0].fd not in self._lent]
            return self._serve(MOST_S if timeout is None else min(timeout, MOST_S))

        def _serve(self, timeout_s: float) -> list[tuple[selectors.SelectorKey, int]]:
            ready = []
            for fd, events in accelerator.serve(self.fileno(), timeout_s, self._relays):
                lent = self._lent.get(fd)
                if lent is None:
                    ready += self._ready(fd, events)
                elif lent[0].is_over:
                    self.call_soon(lent[1].take_back)
                else:
                    lent[1].told()
            return ready

        def _ready(self, fd: int, events: int) -> list[tuple[selectors.SelectorKey, int]]:
            """As ``EpollSelector`` tells it."""
            try:
                key = self.get_key(fd)
            except KeyError:
                return []
            mask = selectors.EVENT_WRITE if events & ~_EPOLLIN else 0
            mask |= selectors.EVENT_READ if events & ~_EPOLLOUT else 0
            return [(key, mask & key.events)]

    class _RelayLoop(asyncio.SelectorEventLoop):
        def __init__(self) -> None:
            self.relays = _RelaySelector()
            super().__init__(self.relays)
            self.relays.call_soon = self.call_soon

    _EPOLLIN, _EPOLLOUT = 0x001, 0x004  # as everywhere on Linux

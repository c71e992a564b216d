"""An event loop that serves relays while it waits: on Linux, with the extension in C.

Where answers come a thousand times a second, each takes a turn of the loop, takes the GIL from the application, and is
handled in Python. Nearly all are alike, and the next request follows from the bytes of the answer. So a connection may
lend its socket to a *relay* (``FetchRelay``), which keeps such answers and sends the next request by itself. It does so
while the loop waits, without the GIL. No relay runs while Python runs on the loop's thread, so a lender may take its
socket back at once.

Any other answer ends the relay, and Python goes on with the bytes that were received.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
from collections.abc import Callable
from typing import NamedTuple, Protocol

from kafka_nextgen.compiled import ACCELERATED, accelerator

__all__ = ["HAS_RELAYS", "Lender", "Relayed", "Relays", "new_event_loop", "relays_of"]

#: Whether this platform has relays. (The clocks of Linux's 32-bit calls differ from one C library to the next.)
HAS_RELAYS = ACCELERATED and sys.platform == "linux" and sys.maxsize > 2**32

#: How long (seconds) relays run before the lenders note what they did.
MOST_S = 0.25


class Relayed(NamedTuple):
    """Counts of a relay: answers, bytes received, bytes sent, records, bytes of their batches, and the sum and the
    longest of the times from request to answer (seconds).
    """

    answers: int
    bytes_in: int
    bytes_out: int
    records: int
    data_bytes: int
    took_s: float
    longest_s: float


class Lender(Protocol):
    """The lender of a socket. All methods are called on the loop's thread, while no relay runs."""

    def may_go_on(self) -> bool:
        """Whether the relay may go on; called before the loop waits. Must not raise or block."""
        ...

    def told(self) -> None:
        """The relay has kept an answer and has no bell. Must not raise or block."""
        ...

    def take_back(self) -> None:
        """Take the socket back: the relay is over, or may not go on."""
        ...


class Relays(Protocol):
    """Lends sockets to relays."""

    def lend(self, fd: int, relay: accelerator.FetchRelay, lender: Lender) -> None:
        """Lend a socket of the loop to a relay."""
        ...

    def end(self, fd: int) -> None:
        """Take the socket back."""
        ...


def new_event_loop() -> asyncio.AbstractEventLoop:
    """A new event loop, with relays where the platform has them."""
    return _RelayLoop() if HAS_RELAYS else asyncio.new_event_loop()


def relays_of(loop: asyncio.AbstractEventLoop) -> Relays | None:
    """The relays of this loop, or None if it has none."""
    return loop.relays if HAS_RELAYS and isinstance(loop, _RelayLoop) else None


if sys.platform == "linux":

    class _RelaySelector(selectors.EpollSelector):
        """``call_soon`` is the loop's method."""

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
            if not is_well:  # events of other relays come again in the next turn
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
            """The same as ``EpollSelector.select`` returns."""
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

    _EPOLLIN, _EPOLLOUT = 0x001, 0x004  # on all of Linux

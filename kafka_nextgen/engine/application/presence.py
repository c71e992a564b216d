"""Which threads are inside a call of a consumer, and what waits until they are out.

A signal handler runs in the main thread, wherever it finds it: between two steps of a poll, in a callback, under a
lock that the I/O thread needs next. In there it must wait for nothing. So it leaves a wish, which is carried out by the
same thread as soon as its outermost call has let go of everything; the call then ends with MisuseError.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from kafka_nextgen.errors import MisuseError

__all__ = ["Presence"]


class Presence:
    """Entering it is being inside a call; what was left to be done is done at the end of the outermost.

    Each thread writes under its own ident only, so that there is no lock that a handler could find taken.
    """

    def __init__(self) -> None:
        self._depths: dict[int, int] = {}
        self._wishes: dict[int, Callable[[], None]] = {}

    def __enter__(self) -> None:
        me = threading.get_ident()
        self._depths[me] = self._depths.get(me, 0) + 1

    def __exit__(self, kind: type[BaseException] | None, *how: object) -> None:
        me = threading.get_ident()
        if self._depths[me] > 1:
            self._depths[me] -= 1
            return
        del self._depths[me]
        wish = self._wishes.pop(me, None)
        if wish is not None:
            wish()
            if kind is None:
                raise MisuseError("this consumer was closed during the call")

    @property
    def is_inside(self) -> bool:
        """Whether this thread is inside a call."""
        return threading.get_ident() in self._depths

    @property
    def has_wish(self) -> bool:
        """Whether something is to be done when the call is over that this thread is inside of."""
        return threading.get_ident() in self._wishes

    def when_out(self, wish: Callable[[], None]) -> None:
        """Have this done when the call is over that this thread is inside of."""
        assert self.is_inside
        self._wishes[threading.get_ident()] = wish

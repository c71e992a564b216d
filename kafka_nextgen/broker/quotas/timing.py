"""How long a request keeps the broker busy: the time its handler runs, without the time it waits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any, Generic, TypeVar

__all__ = ["Timed"]

_T = TypeVar("_T")


class Timed(Generic[_T]):
    """Awaits what it is given, and adds up in ``busy_s`` the time between its pauses. ``timer`` gives seconds."""

    def __init__(self, work: Awaitable[_T], timer: Callable[[], float]) -> None:
        self._work = work
        self._timer = timer
        self.busy_s = 0.0

    def __await__(self) -> Generator[Any, Any, _T]:
        steps = self._work.__await__()
        sent: Any = None
        thrown: BaseException | None = None
        while True:
            began = self._timer()
            try:
                pause = steps.send(sent) if thrown is None else steps.throw(thrown)
            except StopIteration as end:
                result: _T = end.value
                return result
            finally:
                self.busy_s += self._timer() - began
            sent = thrown = None
            try:
                sent = yield pause
            except BaseException as error:  # such as the cancellation of the awaiting task
                thrown = error

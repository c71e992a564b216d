"""What all clients do, against the limits there are.

Rates are taken over a sliding time, as Kafka measures them: some samples, each of one window, the oldest forgotten.
Until there are as many windows as samples but one, the rate is taken over that many all the same. So a client may begin
with a burst: of what it may do in that time.

Bytes delay a client for as long as it takes until its rate is allowed again, time for a window at most, as in Kafka.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any, Generic, TypeVar

from attrs import define, field, frozen

from kafka_nextgen.broker.quotas.limits import Entity, LimitKind, Limits

__all__ = ["Quotas", "Rate", "Timed", "Windows"]


_PERCENT = 100.0

_T = TypeVar("_T")


@frozen
class Windows:
    """``count`` samples of ``length_s`` seconds: ``quota.window.num`` and ``quota.window.size.seconds``."""

    count: int
    length_s: float

    @property
    def least_s(self) -> float:
        """The shortest time that a rate is taken over."""
        return (self.count - 1) * self.length_s


@define
class _Sample:
    began: float
    amount: float


@define
class Rate:
    """What one client does in a second. ``now`` is in seconds, and never goes back."""

    windows: Windows
    _samples: list[_Sample] = field(factory=list)

    def record(self, amount: float, now: float) -> None:
        """It did this much."""
        if not self._samples or now - self._samples[-1].began >= self.windows.length_s:
            self._samples.append(_Sample(now, 0.0))
        self._samples[-1].amount += amount

    def delay_s(self, limit: float, now: float) -> float:
        """For how many seconds it has to do nothing so that its rate is ``limit`` again; 0 if it is no more now."""
        self._forget(now)
        if not self._samples:
            return 0.0
        total = sum(sample.amount for sample in self._samples)
        over_s = max(now - self._samples[0].began, self.windows.least_s)
        return max(total / limit - over_s, 0.0)

    def _forget(self, now: float) -> None:
        oldest = now - self.windows.count * self.windows.length_s
        self._samples = [sample for sample in self._samples if sample.began > oldest]


class Quotas:
    """The limits, and the rates of those who have one."""

    def __init__(self, windows: Windows) -> None:
        self.limits = Limits()
        self._windows = windows
        self._rates: dict[tuple[LimitKind, Entity], Rate] = {}

    def delay_s(self, kind: LimitKind, user: str, client_id: str, amount: float, now: float) -> float:
        """Count what a client did, and return for how many seconds it is to be left alone.

        ``amount`` is in bytes, or in seconds of a thread's time; ``now`` in seconds.
        """
        limit = self.limits.of(user, client_id, kind)
        if limit is None:
            return 0.0
        rate = self._rates.setdefault((kind, limit.holder), Rate(self._windows))
        rate.record(amount * _PERCENT if kind is LimitKind.REQUEST_TIME else amount, now)
        delay_s = rate.delay_s(limit.amount, now)
        return min(delay_s, self._windows.length_s) if kind is LimitKind.REQUEST_TIME else delay_s

    def take_back(self, kind: LimitKind, user: str, client_id: str, amount: float, now: float) -> None:
        """Count ``amount`` bytes less: they were not sent after all; ``now`` in seconds."""
        limit = self.limits.of(user, client_id, kind)
        if limit is not None and (kind, limit.holder) in self._rates:
            self._rates[kind, limit.holder].record(-amount, now)

    def most_bytes(self, user: str, client_id: str) -> int | None:
        """How many bytes one answer to a fetch may have: what its quota allows in all windows; None for no limit."""
        limit = self.limits.of(user, client_id, LimitKind.FETCHED_BYTES)
        return None if limit is None else int(limit.amount * self._windows.least_s)


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

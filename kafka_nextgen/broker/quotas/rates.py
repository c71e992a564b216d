"""Rates over a sliding time, as Kafka measures them: some samples, each of one window, the oldest forgotten.

Until there are as many windows as samples but one, the rate is taken over that many all the same. So a client may begin
with a burst: of what it may do in that time.
"""

from __future__ import annotations

from attrs import define, field, frozen

__all__ = ["Rate", "Windows"]


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

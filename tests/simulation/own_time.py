"""The time of a client: it has a clock of its own, which may drift, and it may freeze.

Nothing happens in a client that is frozen, and all that was due happens when it wakes.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from tests.simulation.timeline import BEGINNING, Plan, Timeline

__all__ = ["OwnTime", "Timer"]

#: Later than any error of converting times, so that what is due is due by the clock of the client, too.
_ROUNDING_S = 1e-6


@define(eq=False)
class OwnTime:
    """Until it ends, with the client."""

    timeline: Timeline
    rate: float = 1.0
    is_over: bool = False
    _frozen_until: float = 0.0
    _asleep: list[Callable[[], None]] = field(factory=list)  # what was due while it was frozen

    def clock(self) -> float:
        """What time it is by the client's own clock."""
        return (self.timeline.now - BEGINNING) * self.rate

    def real(self, own: float) -> float:
        """When it is this time by the client's own clock."""
        return BEGINNING + own / self.rate + _ROUNDING_S

    def later(self, seconds: float, action: Callable[[], None]) -> Plan:
        """Plan something by the client's clock, for when it is awake."""
        return self.timeline.after(seconds / self.rate, lambda: self.when_awake(action))

    def when_awake(self, action: Callable[[], None]) -> None:
        """Do it now, or as soon as the client does anything again."""
        if self.is_over:
            return
        if self.timeline.now < self._frozen_until:
            self._asleep.append(action)
            if len(self._asleep) == 1:
                self.timeline.at(self._frozen_until, self._wake_up)
        else:
            action()

    def freeze(self, seconds: float) -> None:
        """Do nothing for so long."""
        self._frozen_until = self.timeline.now + seconds
        if self._asleep:
            self.timeline.at(self._frozen_until, self._wake_up)

    def _wake_up(self) -> None:
        """All that was due meanwhile happens."""
        if self.timeline.now >= self._frozen_until:
            due, self._asleep = self._asleep, []
            for action in due:
                self.when_awake(action)

    @property
    def is_awake(self) -> bool:
        """Whether the client does anything."""
        return not self.is_over and self.timeline.now >= self._frozen_until


@define(eq=False)
class Timer:
    """Rings once at a time by the client's clock, as soon as the client is awake."""

    time: OwnTime
    ring: Callable[[], None]
    _plan: Plan | None = None

    def set(self, deadline: float | None) -> None:
        """Ring then, and not at the time before; or never."""
        if self._plan is not None:
            self._plan.call_off()
        is_off = deadline is None or self.time.is_over
        self._plan = None if is_off else self.time.timeline.at(self.time.real(deadline), self._ring_when_awake)  # type: ignore[arg-type]

    def _ring_when_awake(self) -> None:
        self.time.when_awake(self.ring)

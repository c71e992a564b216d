"""Virtual time: what is to happen when. Events of one time happen in the order in which they were planned."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from math import ceil

from attrs import define, field

#: Any time, in seconds since the epoch.
BEGINNING = 1_000_000.0

Action = Callable[[], None]


@define(eq=False)
class Plan:
    """Something that is to happen, unless it is called off."""

    action: Action | None

    def call_off(self) -> None:
        self.action = None


@define
class Timeline:
    """What is planned, and what time it is (seconds)."""

    now: float = BEGINNING
    happened: int = 0
    grain: float = 0.0  # if it is not 0, everything happens at multiples of it, so that much is due at the same time
    _planned: list[tuple[float, int, Plan]] = field(factory=list)
    _count: int = 0

    def at(self, time: float, action: Action) -> Plan:
        """Plan something for this time, or for now if that is over."""
        plan = Plan(action)
        self._count += 1
        if self.grain:
            time = ceil(time / self.grain) * self.grain
        heappush(self._planned, (max(time, self.now), self._count, plan))
        return plan

    def after(self, seconds: float, action: Action) -> Plan:
        return self.at(self.now + seconds, action)

    def step(self) -> bool:
        """Let the next thing happen; False if nothing is planned."""
        while self._planned:
            time, _, plan = heappop(self._planned)
            if plan.action is not None:
                action, plan.action = plan.action, None
                self.now = time
                self.happened += 1
                action()
                return True
        return False

    def next_time(self) -> float | None:
        """When the next thing happens; None if nothing is planned."""
        while self._planned and self._planned[0][2].action is None:
            heappop(self._planned)
        return self._planned[0][0] if self._planned else None


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
        self._frozen_until = self.timeline.now + seconds
        if self._asleep:
            self.timeline.at(self._frozen_until, self._wake_up)

    def _wake_up(self) -> None:
        if self.timeline.now >= self._frozen_until:
            due, self._asleep = self._asleep, []
            for action in due:
                self.when_awake(action)

    @property
    def is_awake(self) -> bool:
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

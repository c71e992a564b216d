"""What a handler is to do, and what it tells."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from attrs import field, frozen

from benchmarks.delays.strain import Strain

__all__ = ["POINTS", "Delays", "Task", "Window", "seconds_at"]

#: The shares of records of which a handler tells the delay: p50 is 0.5.
POINTS = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 1.0)

#: From when to when, in nanoseconds on the monotonic clock.
Window = tuple[int, int]


@frozen
class Task:
    """Handle all records for ``seconds``, after ``warm_up_s`` in which they don't count, by ``handler``.

    If it watches, it tells of the strain, too; looking at all threads of the machine takes some milliseconds.
    """

    handler: str
    bootstrap_servers: str
    topic: str
    partitions: int
    warm_up_s: float
    seconds: float
    watches: bool = False

    def window_ns(self) -> Window:
        """From when to when records count, if it begins now."""
        begin = time.monotonic_ns() + int(self.warm_up_s * 1e9)
        return begin, begin + int(self.seconds * 1e9)


def seconds_at(point: float, sorted_ns: Sequence[int]) -> float:
    """The delay at this share of delays, of which there are some, in seconds."""
    return sorted_ns[min(int(point * len(sorted_ns)), len(sorted_ns) - 1)] / 1e9


def _pair(window_ns: Sequence[int]) -> Window:
    """As it is, or as it comes out of JSON."""
    begin, end = window_ns
    return begin, end


def _read(strain: Strain | Mapping[str, float] | None) -> Strain | None:
    """As it is, or as it comes out of JSON."""
    return strain if strain is None or isinstance(strain, Strain) else Strain(**strain)


@frozen
class Delays:
    """Seconds from a producer's call to a handler, at each of ``POINTS``, of so many records; and what they cost.

    They were handled in this window. The processor time is that of the client's process, from the first record to the
    last.
    """

    at_points: Sequence[float]
    records: int
    cpu_s: float
    strain: Strain | None = field(converter=_read)
    window_ns: Window = field(converter=_pair)

    @classmethod
    def of(cls, delays_ns: Sequence[int], cpu_s: float, strain: Strain | None, window_ns: Window) -> Delays:
        delays = sorted(delays_ns)
        at_points = [seconds_at(point, delays) for point in POINTS]
        return cls(at_points, len(delays), cpu_s, strain, window_ns)

    @property
    def cpu_s_per_record(self) -> float:
        """Seconds for each record but the first, in front of which the processor time was read."""
        return self.cpu_s / max(1, self.records - 1)

    def at(self, point: float) -> float:
        return self.at_points[POINTS.index(point)]

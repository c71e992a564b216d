"""Retries: how long to wait first, and how to log repeated failures."""

from __future__ import annotations

import logging
from collections.abc import Callable

from kafka_nextgen import clocks
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern

__all__ = ["Backoff", "FailureLog"]

_JITTER = 0.2
_MAX_DOUBLINGS = 30  # more could overflow a float

#: Seconds until a repeated failure is logged again.
REPEAT_S = 60.0

_DURATIONS = lazy_pattern(r"\d+(\.\d+)? s\b")


@frozen
class Backoff:
    """Exponential backoff from ``first_s`` to ``longest_s`` (seconds), with 20 % jitter either way (KIP-580)."""

    first_s: float
    longest_s: float

    def delay_s(self, failures: int, chance: float) -> float:
        """Seconds to wait after ``failures`` in a row; ``chance`` is in [0, 1), where 0.5 means no jitter."""
        if failures <= 0:
            return 0.0
        delay_s = min(self.first_s * 2.0 ** min(failures - 1, _MAX_DOUBLINGS), self.longest_s)
        return delay_s * (1 + _JITTER * (2 * chance - 1))


class FailureLog:
    """Logs the failures of an action that is retried; ``what`` names the action.

    A failure is logged when it is new, and then once a minute with a count; the recovery is logged once. Failures that
    differ only in a duration count as the same.
    """

    def __init__(self, logger: logging.Logger, what: str, now: Callable[[], float] | None = None) -> None:
        self._logger = logger
        self._what = what
        self._now = now or (lambda: clocks.monotonic())
        self._began_at = 0.0
        self._failures = 0
        self._logged_at: dict[str, float] = {}

    def failed(self, failure: Exception, level: int = logging.WARNING) -> None:
        """Note an attempt that failed and will be repeated."""
        now = self._now()
        if not self._failures:
            self._began_at = now
        self._failures += 1
        text = _DURATIONS.sub("", str(failure))
        if now - self._logged_at.get(text, -REPEAT_S) < REPEAT_S:
            return
        self._logged_at = {text: at for text, at in self._logged_at.items() if now - at < REPEAT_S} | {text: now}
        so_far = f" ({self._failures} failures in {now - self._began_at:.0f} s)" if self._failures > 1 else ""
        self._logger.log(level, "%s: %s; retrying%s", self._what, failure, so_far)

    def recovered(self) -> None:
        """Note an attempt that succeeded."""
        if self._failures:
            lasted_s = self._now() - self._began_at
            self._logger.info("%s: works again, after %d failures in %.0f s", self._what, self._failures, lasted_s)
        self._failures = 0
        self._logged_at = {}

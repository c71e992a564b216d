"""What goes on failing, told in the log so that it can be read: once, not at every attempt.

A trouble is told when it comes, when it is another one, and after that every minute with a count; and once more when
it is over. How long something took in vain makes no other trouble of it.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable

__all__ = ["Outage"]

#: How often (seconds) the same trouble is told again while it lasts.
REPEAT_S = 60.0

_DURATIONS = re.compile(r"\d+(\.\d+)? s\b")


class Outage:
    """One thing that is tried again and again; ``what`` says in the log what it is."""

    def __init__(self, logger: logging.Logger, what: str, now: Callable[[], float] = time.monotonic) -> None:
        self._logger = logger
        self._what = what
        self._now = now
        self._began_at = 0.0
        self._failures = 0
        self._told_at: dict[str, float] = {}

    def failed(self, failure: Exception, level: int = logging.WARNING) -> None:
        """An attempt failed, and there will be another."""
        now = self._now()
        if not self._failures:
            self._began_at = now
        self._failures += 1
        trouble = _DURATIONS.sub("", str(failure))
        if now - self._told_at.get(trouble, -REPEAT_S) < REPEAT_S:
            return
        self._told_at = {text: at for text, at in self._told_at.items() if now - at < REPEAT_S} | {trouble: now}
        so_far = f" ({self._failures} failures in {now - self._began_at:.0f} s)" if self._failures > 1 else ""
        self._logger.log(level, "%s: %s; tried again%s", self._what, failure, so_far)

    def over(self) -> None:
        """An attempt succeeded."""
        if self._failures:
            lasted_s = self._now() - self._began_at
            self._logger.info("%s: works again, after %d failures in %.0f s", self._what, self._failures, lasted_s)
        self._failures = 0
        self._told_at = {}

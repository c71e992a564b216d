"""Retry a failed record after a pause, or give it up.

The pause doubles with every failure. A record that can't be deserialized is given up at once, because another attempt
would see the same bytes.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.errors import DeserializationError

__all__ = ["RetryPolicy"]


@frozen
class RetryPolicy:
    """``attempts`` in all, with pauses from ``backoff_s`` up to ``backoff_max_s`` seconds between them."""

    attempts: int
    backoff_s: float
    backoff_max_s: float

    def next_attempt(self, failures: int, error: BaseException, now: float) -> float | None:
        """When to try again (seconds, monotonic) after so many failures; None if the record is given up."""
        if failures >= self.attempts or isinstance(error, DeserializationError):
            return None
        return now + min(self.backoff_max_s, self.backoff_s * 2.0 ** min(failures - 1, 64))

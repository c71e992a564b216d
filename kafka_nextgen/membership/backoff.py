"""Retry backoff: it doubles with each consecutive failure and has a jitter of 20 %."""

from __future__ import annotations

from typing import Protocol

__all__ = ["after"]


class AnySettings(Protocol):
    """How long to wait after the first failure, and at most; in seconds."""

    @property
    def retry_backoff_s(self) -> float:
        """After the first."""

    @property
    def retry_backoff_max_s(self) -> float:
        """At most."""


class AnyMoment(Protocol):
    """When a rule of any of the client's machines is applied."""

    @property
    def now(self) -> float:
        """In seconds of a monotonic clock."""

    @property
    def chance(self) -> float:
        """In [0, 1)."""

    @property
    def settings(self) -> AnySettings:
        """What the member was told before it started."""


def after(failures: int, at: AnyMoment, *, first_at_once: bool = False) -> float:
    """The time of the next try, after so many failures.

    With ``first_at_once`` the first try waits for nothing: that is for answers which only say that something else
    has to be done first. If they keep coming, they don't get a request each.
    """
    doublings = failures - 1 - first_at_once
    if doublings < 0:
        return at.now
    settings = at.settings
    delay_s = min(settings.retry_backoff_s * 2.0 ** min(doublings, 30), settings.retry_backoff_max_s)
    return at.now + delay_s * (0.8 + 0.4 * at.chance)

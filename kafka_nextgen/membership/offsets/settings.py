"""What the offsets' machine is told before it starts, and what a rule is told besides state and event."""

from __future__ import annotations

from attrs import frozen

__all__ = ["Moment", "OffsetSettings"]


@frozen
class OffsetSettings:
    """The part of the configuration that commits and lookups act on.

    Each request is waited for ``request_timeout_s`` at most, and ``most_unanswered`` commits at a time. What failed is
    repeated after ``retry_backoff_s``, doubling to ``retry_backoff_max_s``. ``auto_commit_interval_s`` is None without
    auto-commit. All times are seconds.
    """

    instance_id: str | None = None
    request_timeout_s: float = 30.0
    most_unanswered: int = 4
    retry_backoff_s: float = 0.1
    retry_backoff_max_s: float = 1.0
    auto_commit_interval_s: float | None = None


@frozen
class Moment:
    """When a rule is applied: ``now`` in seconds of a monotonic clock, ``chance`` in [0, 1) for jitter."""

    now: float
    chance: float
    settings: OffsetSettings

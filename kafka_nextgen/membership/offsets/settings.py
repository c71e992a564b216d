"""The settings of the offset machine, and the arguments of a rule besides state and event."""

from __future__ import annotations

from attrs import frozen

__all__ = ["Moment", "OffsetSettings"]


@frozen
class OffsetSettings:
    """The part of the configuration that commits and lookups use.

    A request times out after ``request_timeout_s``. At most ``most_unanswered`` commits are in flight. Retries back off
    from ``retry_backoff_s``, doubling to ``retry_backoff_max_s``. ``auto_commit_interval_s`` is None without
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

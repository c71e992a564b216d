"""What the assigning machine is told before it starts, and what a rule is told besides state and event."""

from __future__ import annotations

from attrs import frozen

__all__ = ["AssigningSettings", "Moment"]


@frozen
class AssigningSettings:
    """The part of the configuration that computing assignments acts on.

    ``assignors`` are the names of the member's own, the preferred first. From being told to compute, it has
    ``rebalance_timeout_s``. Each request is waited for ``request_timeout_s`` at most; what failed is repeated after
    ``retry_backoff_s``, doubling to ``retry_backoff_max_s``. All are seconds.
    """

    group_id: str
    instance_id: str | None = None
    assignors: tuple[str, ...] = ()
    rebalance_timeout_s: float = 300.0
    request_timeout_s: float = 30.0
    retry_backoff_s: float = 0.1
    retry_backoff_max_s: float = 1.0


@frozen
class Moment:
    """When a rule is applied: ``now`` in seconds of a monotonic clock, ``chance`` in [0, 1) for jitter."""

    now: float
    chance: float
    settings: AssigningSettings

"""The settings of the assigning machine, and the arguments of a rule besides state and event."""

from __future__ import annotations

from attrs import frozen

__all__ = ["AssigningSettings", "Moment"]


@frozen
class AssigningSettings:
    """The part of the configuration that the assigning machine uses.

    ``assignors`` are the names of the client-side assignors, the preferred first. ``rebalance_timeout_s`` bounds a
    computation from the request to the installation. A request times out after ``request_timeout_s``. Retries back off
    from ``retry_backoff_s``, doubling to ``retry_backoff_max_s``. All times are seconds.
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

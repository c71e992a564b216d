"""The settings of a member, and the arguments of a rule besides state and event."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.membership.statement import NO_STATEMENT, Statement

__all__ = ["MemberSettings", "Moment"]


@frozen
class MemberSettings:
    """The part of the configuration that the membership machine acts on.

    ``group_id`` is for messages only: every heartbeat of this machine is for this one group. A member with an
    ``instance_id`` is static (KIP-345). ``rebalance_timeout_ms`` is the coordinator's limit for giving up
    partitions, sent in each full heartbeat, and the member's own for the commit that precedes it.
    ``max_poll_interval_s`` without a poll makes the member leave. Failed heartbeats are repeated after
    ``retry_backoff_s``, doubling to ``retry_backoff_max_s``. An instance id that another member still holds is
    asked for again for ``instance_id_retry_timeout_s``; 0 fails at once, as KIP-848 has it.
    ``statement`` has the heartbeat fields of extensions.
    ``leave_timeout_s`` bounds both the last commit before leaving and the wait for the leave's answer.
    All ``*_s`` are seconds.
    """

    group_id: str
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = 300_000
    server_assignor: str | None = None
    statement: Statement = NO_STATEMENT
    auto_commit: bool = True
    max_poll_interval_s: float = 300.0
    retry_backoff_s: float = 0.1
    retry_backoff_max_s: float = 1.0
    instance_id_retry_timeout_s: float = 60.0
    leave_timeout_s: float = 30.0


@frozen
class Moment:
    """When a rule is applied: ``now`` in seconds of a monotonic clock, ``chance`` in [0, 1) for jitter."""

    now: float
    chance: float
    settings: MemberSettings

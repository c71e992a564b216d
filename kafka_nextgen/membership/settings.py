"""The settings of a member, and those that both protocols share."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.membership.state_machine import RetrySettings, RuleContext
from kafka_nextgen.types import JoinReason

__all__ = ["GroupSettings", "MemberContext", "MemberSettings"]


@frozen
class GroupSettings(RetrySettings):
    """The settings of a member of either protocol.

    ``group_id`` is for messages only: every request of a machine is for this one group. A member with an
    ``instance_id`` is static (KIP-345). ``rebalance_timeout_ms`` is the coordinator's limit for giving up partitions,
    and the member's own for the commit that precedes it. ``max_poll_interval_s`` without a poll makes the member leave.
    ``leave_timeout_s`` bounds both the last commit before leaving and the wait for the leave's answer. ``join_reason``
    is what the member states until it is let in first (an extension). All ``*_s`` are seconds.
    """

    group_id: str
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = 300_000
    auto_commit: bool = True
    max_poll_interval_s: float = 300.0
    leave_timeout_s: float = 30.0
    join_reason: JoinReason = JoinReason.UNKNOWN


@frozen
class MemberSettings(GroupSettings):
    """The settings of a member of the consumer group protocol.

    An instance id that another member still holds is asked for again for ``instance_id_retry_timeout_s``; 0 fails at
    once, as KIP-848 has it.
    """

    server_assignor: str | None = None
    instance_id_retry_timeout_s: float = 60.0


MemberContext = RuleContext[MemberSettings]

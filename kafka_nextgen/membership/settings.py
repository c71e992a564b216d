"""The settings of a member, and those that both protocols share."""

from __future__ import annotations

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.state_machine import RetrySettings, RuleContext
from kafka_nextgen.types import JoinReason

__all__ = ["GroupSettings", "MemberContext", "MemberSettings"]


@frozen
class GroupSettings(RetrySettings):
    """The settings of a member of either protocol.

    ``group_id`` is only used in messages: a machine serves one group. A member with an ``instance_id`` is static
    (KIP-345). ``rebalance_timeout_ms`` is the coordinator's time limit for giving up partitions, and the member's limit
    for the commit before that. After ``max_poll_interval_s`` without a poll the member leaves. ``leave_timeout_s``
    limits both the last commit before leaving and the wait for the response to the leave. ``join_reason`` is sent with
    each join until the member is first admitted (an extension). All ``*_s`` are in seconds.
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

    If another member still holds the instance id, the member retries for ``instance_id_retry_timeout_s``. With 0 it
    fails immediately, as KIP-848 specifies.
    """

    server_assignor: str | None = None
    instance_id_retry_timeout_s: float = 60.0


MemberContext = RuleContext[MemberSettings]

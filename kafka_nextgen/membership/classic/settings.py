"""The settings of a member of a classic group."""

from __future__ import annotations

from kafka_nextgen.assignors.strategies import DEFAULT_STRATEGIES, are_cooperative
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.settings import GroupSettings
from kafka_nextgen.membership.state_machine import RuleContext

__all__ = ["ClassicContext", "ClassicSettings"]

#: How many seconds to wait for a JoinGroup response on top of the rebalance timeout, by which the coordinator may delay
#: the response.
JOIN_MARGIN_S = 5.0


@frozen
class ClassicSettings(GroupSettings):
    """The settings of a member of a classic group.

    ``strategies`` are the names of assignors, the preferred one first; ``local_assignors`` are those that the
    application implements. The coordinator removes a member that sends no heartbeat for ``session_timeout_ms``. Topics
    are checked for changes every ``metadata_max_age_s``.
    """

    strategies: tuple[str, ...] = DEFAULT_STRATEGIES
    local_assignors: frozenset[str] = frozenset()
    session_timeout_ms: int = 45_000
    heartbeat_interval_ms: int = 3_000
    request_timeout_s: float = 30.0
    metadata_max_age_s: float = 300.0

    @property
    def is_cooperative(self) -> bool:
        """Whether members keep partitions that don't move during a rebalance (KIP-429).

        An application-supplied assignor does not have to support this: see ``computing``.
        """
        return are_cooperative(name for name in self.strategies if name not in self.local_assignors)

    @property
    def join_timeout_s(self) -> float:
        """The timeout of a JoinGroup in seconds."""
        return max(self.rebalance_timeout_ms / 1000 + JOIN_MARGIN_S, self.request_timeout_s)

    def sync_timeout_s(self, strategy: str | None) -> float:
        """The timeout of a SyncGroup in seconds; longer for a client-side assignor, which may be slow."""
        return self.join_timeout_s if strategy in self.local_assignors else self.request_timeout_s

    @property
    def compute_timeout_s(self) -> float:
        """How long a client-side assignor may take, in seconds.

        After the rebalance timeout, the coordinator removes members that have not synced, including the leader. The
        last tenth is reserved for reporting to the group that there is no assignment.
        """
        return 0.9 * self.rebalance_timeout_ms / 1000


ClassicContext = RuleContext[ClassicSettings]

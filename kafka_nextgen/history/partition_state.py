"""The state of one partition during a group's history."""

from __future__ import annotations

from collections import deque

from attrs import Factory

from kafka_nextgen.history.events import PartitionKey
from kafka_nextgen.history.facts import Standstill
from kafka_nextgen.lazy_attrs import define

__all__ = ["FormerOwner", "PartitionState"]

_MAX_LAGS = 16


@define
class FormerOwner:
    """A member that has not given up a partition: when another became the owner, and when this one was last active."""

    since: int
    inactive_since: int
    lag: int | None


@define
class PartitionState:
    """The current or last owner of a partition, and how far it was read."""

    where: tuple[str, str, str, int]  # cluster, group, topic, partition
    owner: str | None = None
    since: int | None = None
    epoch: int | None = None
    former: str | None = None
    freed_at: int | None = None
    freed_by: str | None = None
    lag_when_freed: int | None = None
    committed: int | None = None
    committed_at: int | None = None  # when that offset was first reported
    start: int | None = None  # of the log, when its end was measured
    end: int | None = None
    lag: int | None = None
    former_owners: dict[str, FormerOwner] = Factory(dict)  # members that have not given it up
    unaware_owner: str | None = None  # was fenced while it owned the partition, and may not know
    standstill: Standstill | None = None  # the standstill has ended, but waits for the next lag
    lags: deque[tuple[int, int]] = Factory(lambda: deque(maxlen=_MAX_LAGS))  # time and lag

    @property
    def key(self) -> PartitionKey:
        """The topic and number."""
        return self.where[2:]

    def lag_at(self, at: int) -> int | None:
        """Return the last lag measured by that time: a member may have stopped reading before it reports that."""
        return next((lag for seen_at, lag in reversed(self.lags) if seen_at <= at), None if self.lags else self.lag)

    def inactive_since(self, at: int) -> int:
        """Return when an owner fenced at ``at`` last committed, if it did and has lag; otherwise ``at``."""
        committed_at, since = self.committed_at, self.since
        if not self.lag or committed_at is None or since is None or not since <= committed_at <= at:
            return at
        return committed_at

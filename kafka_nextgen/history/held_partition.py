"""What is known of one partition at a time of the history."""

from __future__ import annotations

from collections import deque

from attrs import Factory, define

from kafka_nextgen.history.facts import Standstill

__all__ = ["HeldPartition", "Other"]

_KEPT_LAGS = 16


@define
class Other:
    """A member that has not let go of a partition: since when another has it, and when this one did anything last."""

    since: int
    dead_since: int
    lag: int | None


@define
class HeldPartition:
    """Who has a partition, or had it last, and how far it was read."""

    owner: str | None = None
    since: int | None = None
    epoch: int | None = None
    former: str | None = None
    freed_at: int | None = None
    freed_by: str | None = None
    lag_when_freed: int | None = None
    committed: int | None = None
    committed_at: int | None = None  # when that offset was first seen
    end: int | None = None
    lag: int | None = None
    others: dict[str, Other] = Factory(dict)  # members that had it, and have not let go
    unknowing: str | None = None  # was put out while it had the partition, and may not know
    standstill: Standstill | None = None  # over, and waits for the lag behind it
    lags: deque[tuple[int, int]] = Factory(lambda: deque(maxlen=_KEPT_LAGS))  # times, and how far behind it was

    def lag_at(self, at: int) -> int | None:
        """The lag as it was last seen by then: a member may have stopped reading some time before it says so."""
        return next((lag for seen_at, lag in reversed(self.lags) if seen_at <= at), None if self.lags else self.lag)

    def dead_since(self, at: int) -> int:
        """When an owner that was put out at ``at`` committed last, if it did and did not finish; else ``at``."""
        committed_at, since = self.committed_at, self.since
        if not self.lag or committed_at is None or since is None or not since <= committed_at <= at:
            return at
        return committed_at

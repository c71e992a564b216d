"""The retry state of an ask: it retries until its deadline, after a growing pause or in another epoch."""

from __future__ import annotations

from math import inf

from attrs import evolve, frozen

from kafka_nextgen.membership import backoff
from kafka_nextgen.membership.offsets.settings import Moment

__all__ = ["Patience", "awaiting_epoch", "inherited", "is_over", "is_ready", "patience_for", "paused", "wakes_at"]


@frozen
class Patience:
    """The retry state of an ask; ``reason`` is why the last attempt failed. Times are seconds, monotonic."""

    deadline: float
    timeout_s: float
    not_before: float
    since: float  # when the ask began, or the earliest that it took over from
    failures: int = 0
    stale_epoch: int | None = None  # the coordinator refused this epoch:
    stale_until: float = inf  # do not retry in it before this time
    reason: str | None = None


def patience_for(timeout_s: float, at: Moment) -> Patience:
    """The patience of a new ask."""
    return Patience(at.now + timeout_s, timeout_s, not_before=at.now, since=at.now)


def paused(patience: Patience, at: Moment, reason: str) -> Patience:
    """Try again after a pause. If that would pass the deadline, the ask ends now."""
    failures = patience.failures + 1
    not_before = backoff.after(failures, at)
    return evolve(
        patience,
        failures=failures,
        not_before=not_before,
        deadline=at.now if not_before >= patience.deadline else patience.deadline,
        stale_epoch=None,
        reason=reason,
    )


def inherited(patience: Patience, earlier: Patience) -> Patience:
    """The patience of an ask that takes over from an earlier one: it keeps the pause and the place in the queue."""
    return evolve(
        patience,
        not_before=max(patience.not_before, earlier.not_before),
        since=min(patience.since, earlier.since),
        failures=max(patience.failures, earlier.failures),
        stale_epoch=earlier.stale_epoch if patience.stale_epoch is None else patience.stale_epoch,
        stale_until=earlier.stale_until if patience.stale_epoch is None else patience.stale_until,
    )


def awaiting_epoch(patience: Patience, stale: int, at: Moment, reason: str, *, insists: bool) -> Patience:
    """Try again in another epoch than the ``stale`` one or, if it ``insists``, after a pause."""
    failures = patience.failures + 1 if insists else patience.failures
    until = backoff.after(failures, at) if insists else inf
    return evolve(patience, failures=failures, stale_epoch=stale, stale_until=until, not_before=at.now, reason=reason)


def is_over(patience: Patience, at: Moment) -> bool:
    """Whether the deadline has passed."""
    return at.now >= patience.deadline


def is_ready(patience: Patience, member_epoch: int, at: Moment) -> bool:
    """Whether another attempt may be made now, in ``member_epoch``."""
    is_stale = patience.stale_epoch == member_epoch and at.now < patience.stale_until
    return not is_stale and at.now >= patience.not_before


def wakes_at(patience: Patience, member_epoch: int) -> float:
    """The time of the next attempt or of the deadline, whichever is first."""
    ready_at = patience.not_before
    if patience.stale_epoch == member_epoch:
        ready_at = max(ready_at, patience.stale_until)
    return min(ready_at, patience.deadline)

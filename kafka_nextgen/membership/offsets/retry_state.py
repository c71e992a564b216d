"""The retry state of an operation, which is retried until its deadline, after increasing pauses or in a new epoch."""

from __future__ import annotations

from math import inf

from attrs import evolve

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.offsets.settings import OffsetContext
from kafka_nextgen.membership.state_machine import retry_at

__all__ = ["RetryState", "awaiting_epoch", "inherited", "is_over", "is_ready", "new_retry_state", "paused", "wakes_at"]


@frozen
class RetryState:
    """``reason`` is why the last attempt failed. Times are seconds of a monotonic clock."""

    deadline: float
    timeout_s: float
    not_before: float
    since: float  # when this operation began, or the earliest start of the operations that it took over
    failures: int = 0
    stale_epoch: int | None = None  # the epoch that the coordinator refused as stale
    stale_until: float = inf  # until then, do not retry in ``stale_epoch``
    reason: str | None = None


def new_retry_state(timeout_s: float, at: OffsetContext) -> RetryState:
    """The retry state of a new operation."""
    return RetryState(at.now + timeout_s, timeout_s, not_before=at.now, since=at.now)


def paused(retry: RetryState, at: OffsetContext, reason: str) -> RetryState:
    """Retry after a pause. If the pause would end after the deadline, end the operation now."""
    failures = retry.failures + 1
    not_before = retry_at(failures, at)
    return evolve(
        retry,
        failures=failures,
        not_before=not_before,
        deadline=at.now if not_before >= retry.deadline else retry.deadline,
        stale_epoch=None,
        reason=reason,
    )


def inherited(retry: RetryState, earlier: RetryState) -> RetryState:
    """The retry state of an operation that takes over from an earlier one, with its pause and position in the queue."""
    return evolve(
        retry,
        not_before=max(retry.not_before, earlier.not_before),
        since=min(retry.since, earlier.since),
        failures=max(retry.failures, earlier.failures),
        stale_epoch=earlier.stale_epoch if retry.stale_epoch is None else retry.stale_epoch,
        stale_until=earlier.stale_until if retry.stale_epoch is None else retry.stale_until,
    )


def awaiting_epoch(retry: RetryState, stale: int, at: OffsetContext, reason: str, *, insists: bool) -> RetryState:
    """Retry in a different epoch than the ``stale`` one or, with ``insists``, in any epoch after a pause."""
    failures = retry.failures + 1 if insists else retry.failures
    until = retry_at(failures, at) if insists else inf
    return evolve(retry, failures=failures, stale_epoch=stale, stale_until=until, not_before=at.now, reason=reason)


def is_over(retry: RetryState, at: OffsetContext) -> bool:
    """Whether the deadline has passed."""
    return at.now >= retry.deadline


def is_ready(retry: RetryState, member_epoch: int, at: OffsetContext) -> bool:
    """Whether the operation may be sent now, in ``member_epoch``."""
    is_stale = retry.stale_epoch == member_epoch and at.now < retry.stale_until
    return not is_stale and at.now >= retry.not_before


def wakes_at(retry: RetryState, member_epoch: int) -> float:
    """The time of the next attempt, or the deadline if that is earlier."""
    ready_at = retry.not_before
    if retry.stale_epoch == member_epoch:
        ready_at = max(ready_at, retry.stale_until)
    return min(ready_at, retry.deadline)

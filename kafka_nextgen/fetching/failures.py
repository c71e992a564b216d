"""Errors of one partition: each error code leads to an action, and some to an error for the application.

    REFRESH  another broker leads it, or none does yet: look up its leader, then ask again
    RETRY    the error is transient: ask again after a pause
    RESET    the log has nothing at this offset: ``auto.offset.reset`` decides where to continue
    RAISE    the user has to act: the application gets the error, the position stays

A retriable code without a row in the table is a RETRY, any other code a RAISE. The rows match Kafka's own consumer
(4.3, FetchCollector and OffsetFetcherUtils).

- An error of a replica that is not the leader is not final: the leader is queried first (``replicas``).
- An error after buffered records waits until those are handed over. If it would reset the position or be raised, it is
  dropped, and the same offset is fetched again afterwards.
- No error moves the position. Only ``auto.offset.reset`` may, where the log has no record at this offset, and never in
  a bounded partition (``bounds``).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.errors import (
    BrokerError,
    CorruptRecordError,
    KafkaNextgenError,
    OffsetOutOfRangeError,
    TopicAuthorizationError,
)
from kafka_nextgen.fetching.needs import Fetch
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.types import TopicPartition

__all__ = [
    "ErrorAction",
    "action_for",
    "begin_reset",
    "note_error",
    "note_failure",
    "note_preferred",
    "note_trouble",
    "note_truncated",
]


class ErrorAction(Enum):
    """What to do about an error code."""

    REFRESH = "refresh"
    RETRY = "retry"
    RESET = "reset"
    RAISE = "raise"


_ACTIONS: Mapping[int, ErrorAction] = {
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorAction.REFRESH,
    ErrorCode.FENCED_LEADER_EPOCH: ErrorAction.REFRESH,
    ErrorCode.LEADER_NOT_AVAILABLE: ErrorAction.REFRESH,
    ErrorCode.REPLICA_NOT_AVAILABLE: ErrorAction.REFRESH,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorAction.REFRESH,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorAction.REFRESH,
    ErrorCode.UNKNOWN_TOPIC_ID: ErrorAction.REFRESH,
    ErrorCode.INCONSISTENT_TOPIC_ID: ErrorAction.REFRESH,
    ErrorCode.UNKNOWN_LEADER_EPOCH: ErrorAction.RETRY,  # the broker is behind us, not the other way around
    ErrorCode.OFFSET_NOT_AVAILABLE: ErrorAction.RETRY,  # a new leader that does not know its high watermark yet
    ErrorCode.UNKNOWN_SERVER_ERROR: ErrorAction.RETRY,
    ErrorCode.OFFSET_OUT_OF_RANGE: ErrorAction.RESET,
    ErrorCode.CORRUPT_MESSAGE: ErrorAction.RAISE,  # retriable for Kafka, but here the log itself is corrupt
}


def action_for(code: int) -> ErrorAction:
    """What to do about an error code."""
    action = _ACTIONS.get(code)
    if action is None:
        return ErrorAction.RETRY if is_retriable(code) else ErrorAction.RAISE
    return action


def _error_of(code: int, partition: TopicPartition, offset: int) -> KafkaNextgenError:
    """The error for the application; ``offset`` is where reading stopped, -1 if it has not started."""
    place = f"{partition} can't be read at offset {offset}" if offset >= 0 else f"{partition} can't be read"
    if code == ErrorCode.CORRUPT_MESSAGE:
        return CorruptRecordError(
            f"{place}: its leader says that the log is corrupt there. Nothing was skipped; seek past it to continue.",
            partition,
            offset,
        )
    if code == ErrorCode.TOPIC_AUTHORIZATION_FAILED:
        return TopicAuthorizationError(
            f"{place}: this user may not read the topic. Grant READ on topic {partition.topic}.",
            code=code,
            partition=partition,
        )
    return BrokerError(f"{place}: its leader answered {name_of(code)}.", code=code, partition=partition)


def note_preferred(state: PartitionState, node_id: int, fetch: Fetch, settings: FetchSettings, now: float) -> None:
    """Switch to the replica that the leader named: immediately, or after a pause if it keeps redirecting us."""
    leader_epoch = fetch.wanted[state.partition].leader_epoch
    state.replica = state.replica.named(node_id, leader_epoch, settings.replica_lease_s, now)
    if state.replica.is_looping:
        note_failure(state, settings, now)


def note_error(state: PartitionState, code: int, behind_buffered: bool, settings: FetchSettings, now: float) -> None:
    """Apply a partition's error code, which concerns the offsets after any buffered records."""
    action = action_for(code)
    if action is ErrorAction.RAISE:
        note_trouble(state, _error_of(code, state.partition, state.fetch_offset), behind_buffered, settings, now)
    elif action is ErrorAction.RESET and not behind_buffered:
        _leave_the_log(state, settings, now)
    else:
        state.stale = action is ErrorAction.REFRESH
        state.drain_first = action is ErrorAction.RESET
        note_failure(state, settings, now)


def _leave_the_log(state: PartitionState, settings: FetchSettings, now: float) -> None:
    """Handle a position outside the log: records were deleted before they were read, or the log was truncated."""
    why = f"the log has no offset {state.fetch_offset}"
    if not settings.strict:
        begin_reset(state, settings, now, why)
        return
    error = OffsetOutOfRangeError(
        f"{state.partition}: {why}, and offset.reset.strict forbids skipping the missing records. Seek to continue.",
        code=ErrorCode.OFFSET_OUT_OF_RANGE,
        partition=state.partition,
    )
    note_trouble(state, error, False, settings, now)


def note_failure(state: PartitionState, settings: FetchSettings, now: float) -> None:
    """Retry after a pause, which grows with each failure."""
    state.back_off_until(now + settings.backoff_s(state.failures))


def begin_reset(state: PartitionState, settings: FetchSettings, now: float, why: str, is_new: bool = False) -> None:
    """Reset the position according to ``auto.offset.reset``, or report an error if the policy or a range forbids it.

    ``auto.offset.reset.new.partitions`` takes precedence if the partition ``is_new``.
    """
    reset = settings.reset_of(is_new)
    if state.bound is not None:
        consequence = f"the range that ends at {state.bound.end} can't be read. Seek to an existing offset"
    elif reset is OffsetReset.NONE:
        consequence = "auto.offset.reset is none. Seek to an offset, or allow a reset"
    else:
        state.await_reset(reset, counts_skipped=is_new and settings.counts_skipped)
        return
    error = OffsetOutOfRangeError(
        f"{state.partition}: {why}, and {consequence}.",
        code=ErrorCode.OFFSET_OUT_OF_RANGE,
        partition=state.partition,
    )
    note_trouble(state, error, False, settings, now)


def note_trouble(
    state: PartitionState, error: KafkaNextgenError, behind_buffered: bool, settings: FetchSettings, now: float
) -> None:
    """Keep an error for the application, or retry once the buffered records are handed over."""
    if behind_buffered:
        state.drain_first = True
    else:
        state.error = error
    note_failure(state, settings, now)


def note_truncated(state: PartitionState, behind_buffered: bool, settings: FetchSettings, now: float) -> None:
    """Request more bytes: the answer contains no complete batch.

    A broker that implements KIP-74 always sends a complete batch. If the limit can't grow any further, the application
    gets an error, since retries would never end.
    """
    if state.bound is not None and state.bound.widen(state.fetch_offset, state.max_bytes):
        return
    if state.max_bytes < settings.max_bytes:
        state.max_bytes = min(2 * state.max_bytes, settings.max_bytes)
        return
    error = CorruptRecordError(
        f"{state.partition} can't be read at offset {state.fetch_offset}: its leader sent no complete batch although"
        f" {state.max_bytes} bytes were allowed. Raise fetch.max.bytes, or seek past it.",
        state.partition,
        state.fetch_offset,
    )
    note_trouble(state, error, behind_buffered, settings, now)

"""Reads partitions for a fetch, in the order of the request and within its limits.

The first partition that has records returns at least one batch even if that exceeds every limit, so that readers with
small limits make progress (KIP-74). The others are limited by their own limit and by the rest of the request's limit.

A reader of committed records (KIP-98) gets the records before the last stable offset, and a list of the aborted
transactions among them, whose records it has to drop.

If a consumer should read another replica, the leader names it and returns no records (KIP-392). If the reader gives the
epoch it read last, the answer says where its log and this one diverge (KIP-320, KIP-595).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.reading.asked import Asked, Diverging, Reading
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.broker.topic import Partition

__all__ = ["FetchLimits", "find", "read_all"]

_MOVED = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)


@frozen
class FetchLimits:
    """The parameters of a whole fetch."""

    max_bytes: int
    is_committed: bool
    rack: str


def find(asked: Asked, context: Context) -> Partition | ErrorCode:
    """The requested partition, or the error for this reader."""
    topics = context.cluster.topics
    by_name = isinstance(asked.topic, str)
    topic = topics.named(asked.topic) if isinstance(asked.topic, str) else topics.with_id(asked.topic)
    name = asked.topic if topic is None else topic.name
    if isinstance(name, str) and not context.may(Right.READ_TOPIC, name):
        return Right.READ_TOPIC.error
    if topic is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if by_name else ErrorCode.UNKNOWN_TOPIC_ID
    return topic.partition(asked.index) or ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def read_all(wanted: Iterable[Asked], limits: FetchLimits, context: Context) -> list[Reading]:
    """Read each partition."""
    left = limits.max_bytes
    is_first = True
    readings = []
    for asked in wanted:
        reading = _read(asked, left, limits, context, is_first=is_first)
        left = max(left - len(reading.records), 0)
        is_first = is_first and not reading.records
        readings.append(reading)
    return readings


def _read(asked: Asked, left: int, limits: FetchLimits, context: Context, *, is_first: bool) -> Reading:
    injected = ErrorCode.NONE if context.injected is None else context.injected(asked)
    partition = find(asked, context) if injected is ErrorCode.NONE else injected
    if isinstance(partition, ErrorCode):
        return Reading(asked, partition, aborted=())
    error = context.reading_error(partition, asked.leader_epoch)
    if error in _MOVED:
        return Reading(asked, error, leader=partition.leader_id, leader_epoch=partition.leader_epoch)
    if error is not ErrorCode.NONE:
        return Reading(asked, error)
    redirected = _redirect(asked, partition, limits, context)
    return redirected or _read_log(asked, partition.log, min(asked.max_bytes, left), limits, is_first=is_first)


def _redirect(asked: Asked, partition: Partition, limits: FetchLimits, context: Context) -> Reading | None:
    """Redirect a consumer to another replica if it should read that one and the offset exists."""
    here = context.node.node_id
    if partition.leader != here:
        return None
    node_id = context.cluster.replica_to_read(partition, limits.rack)
    if node_id == here or not partition.log.holds(asked.offset):
        return None
    return _marked(asked, partition.log, preferred_replica=node_id)


def _read_log(asked: Asked, log: PartitionLog, max_bytes: int, limits: FetchLimits, *, is_first: bool) -> Reading:
    if asked.last_fetched_epoch >= 0:
        parted = _compare(asked, log)
        if parted is not None:
            return parted
    if not log.holds(asked.offset):
        return Reading(asked, ErrorCode.OFFSET_OUT_OF_RANGE)
    before = log.last_stable_offset if limits.is_committed else log.end_offset
    records = log.read(asked.offset, max_bytes, at_least_one=is_first, before=before)
    aborted = log.transactions.aborted_within(asked.offset, before) if limits.is_committed else None
    return _marked(asked, log, records=records, aborted=aborted)


def _compare(asked: Asked, log: PartitionLog) -> Reading | None:
    """Where the logs diverge; None if everything the reader has read is in this log."""
    found = log.epochs.end_of(asked.last_fetched_epoch, log.leader_epoch, log.end_offset)
    if found is None or asked.offset < log.start_offset:
        return Reading(asked, ErrorCode.OFFSET_OUT_OF_RANGE)
    epoch, end_offset = found
    if epoch == asked.last_fetched_epoch and end_offset >= asked.offset:
        return None
    return _marked(asked, log, diverging=Diverging(epoch, end_offset))


def _marked(asked: Asked, log: PartitionLog, **more: Any) -> Reading:
    """A reading with the offsets that every answer about a readable log has."""
    return Reading(
        asked,
        high_watermark=log.end_offset,
        last_stable_offset=log.last_stable_offset,
        log_start_offset=log.start_offset,
        **more,
    )

"""Fetch: read batches from partitions, waiting if there are too few (long poll); by topic id from version 13 on.

The answer waits until ``min_bytes`` can be given, a partition has an error or is to be read elsewhere, or
``max_wait_ms`` is over. The first partition with records gives one batch even if that exceeds every limit (KIP-74);
for the others the limits hold.

Who reads committed records only (KIP-98) gets those before the last stable offset, and which producers' transactions
among them were aborted: dropping their records is the reader's part.

A leader names the replica that a consumer had better read, if it is not itself, and gives it no records (KIP-392).

Fetch sessions (KIP-227) are never begun: every answer has session id 0, which makes clients send full requests.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from attrs import frozen

from kafka_nextgen.bridge.list_offsets import READ_COMMITTED
from kafka_nextgen.broker.cluster import Context
from kafka_nextgen.broker.log import PartitionLog, watching
from kafka_nextgen.broker.security.rights import READ_TOPIC
from kafka_nextgen.broker.topics import Partition
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import DataContainer, FetchRequest, FetchResponse

__all__ = ["handle"]

_Topic = FetchResponse.FetchableTopicResponse
_Partition = _Topic.PartitionData
_Aborted = _Partition.AbortedTransaction

_WITH_TOPIC_IDS = 13


@frozen
class _Asked:
    """A partition of the request: what was asked, and either the partition or why there is none."""

    fields: DataContainer
    partition: Partition | None
    error: ErrorCode


@frozen
class _Answer:
    topics: list[_Topic]
    size: int  # bytes
    is_due: bool  # whatever the size


async def handle(request: FetchRequest, context: Context) -> FetchResponse:
    """Answer with what there is, now or within the time the request gives."""
    if request.session_id != 0:
        return FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND, responses=[])
    loop = asyncio.get_running_loop()
    give_up_at = loop.time() + max(request.max_wait_ms, 0) / 1000
    with watching(_logs(request, context)) as more:
        while True:
            more.clear()
            answer = _read(request, context)
            left_s = give_up_at - loop.time()
            if answer.is_due or answer.size >= request.min_bytes or left_s <= 0:
                return FetchResponse(error_code=ErrorCode.NONE, session_id=0, responses=answer.topics)
            await _wait(more, left_s)


async def _wait(event: asyncio.Event, timeout_s: float) -> None:
    with suppress(asyncio.TimeoutError):
        await asyncio.wait_for(event.wait(), timeout_s)


def _logs(request: FetchRequest, context: Context) -> list[PartitionLog]:
    asked = [_find(topic, fields, context) for topic in request.topics for fields in topic.partitions]
    return [entry.partition.log for entry in asked if entry.partition is not None]


def _read(request: FetchRequest, context: Context) -> _Answer:
    left = min(request.max_bytes, context.cluster.settings.fetch_max_bytes)
    topics, size, is_due = [], 0, False
    for topic in request.topics:
        partitions = []
        for fields in topic.partitions:
            asked = _find(topic, fields, context)
            partition = _redirect(asked, request, context) or _partition(
                asked, left - size, is_first=size == 0, is_committed=request.isolation_level == READ_COMMITTED
            )
            assert isinstance(partition.records, bytes)
            size += len(partition.records)
            is_due = is_due or partition.error_code != ErrorCode.NONE or partition.preferred_read_replica >= 0
            partitions.append(partition)
        topics.append(_Topic(topic=topic.topic, topic_id=topic.topic_id, partitions=partitions))
    return _Answer(topics, size, is_due)


def _find(topic: DataContainer, fields: DataContainer, context: Context) -> _Asked:
    by_id = context.version >= _WITH_TOPIC_IDS
    topics = context.cluster.topics
    found = topics.with_id(topic.topic_id) if by_id else topics.named(topic.topic)
    name = topic.topic if found is None else found.name
    if name and not context.may(READ_TOPIC, name):
        return _Asked(fields, None, READ_TOPIC.error)
    if found is None:
        missing = ErrorCode.UNKNOWN_TOPIC_ID if by_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return _Asked(fields, None, missing)
    partition = found.partition(fields.partition)
    if partition is None:
        return _Asked(fields, None, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return _Asked(fields, partition, context.reading_error(partition, fields.current_leader_epoch))


def _redirect(asked: _Asked, request: FetchRequest, context: Context) -> _Partition | None:
    """Send a consumer to another replica, if that is better and has what is asked for."""
    partition, here = asked.partition, context.node.node_id
    if partition is None or asked.error is not ErrorCode.NONE or partition.leader != here:
        return None
    node_id = context.cluster.replica_to_read(partition, request.rack_id)
    if node_id == here or not partition.log.holds(asked.fields.fetch_offset):
        return None
    return _read_from(partition.log, asked.fields.partition, b"", preferred_read_replica=node_id)


def _partition(asked: _Asked, max_bytes: int, *, is_first: bool, is_committed: bool) -> _Partition:
    index = asked.fields.partition
    if asked.partition is None or asked.error is not ErrorCode.NONE:
        return _failed(index, asked.error)
    log = asked.partition.log
    if not log.holds(asked.fields.fetch_offset):
        return _failed(index, ErrorCode.OFFSET_OUT_OF_RANGE)
    limit = min(max_bytes, asked.fields.partition_max_bytes)
    before = log.last_stable_offset if is_committed else log.end_offset
    start = asked.fields.fetch_offset
    records = log.read(start, limit, at_least_one=is_first, before=before)
    return _read_from(log, index, records, aborted=_aborted(log, start, before) if is_committed else None)


def _aborted(log: PartitionLog, start: int, end: int) -> list[_Aborted]:
    return [
        _Aborted(producer_id=one.producer_id, first_offset=one.first_offset)
        for one in log.transactions.aborted_within(start, end)
    ]


def _read_from(
    log: PartitionLog,
    index: int,
    records: bytes,
    aborted: list[_Aborted] | None = None,
    preferred_read_replica: int = -1,
) -> _Partition:
    return _Partition(
        partition_index=index,
        error_code=ErrorCode.NONE,
        high_watermark=log.end_offset,
        last_stable_offset=log.last_stable_offset,
        log_start_offset=log.start_offset,
        aborted_transactions=aborted,
        preferred_read_replica=preferred_read_replica,
        records=records,
    )


def _failed(index: int, error: ErrorCode) -> _Partition:
    return _Partition(
        partition_index=index, error_code=error, high_watermark=-1, aborted_transactions=None, records=b""
    )

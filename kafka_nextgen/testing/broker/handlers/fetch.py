"""Fetch: read batches from partitions, waiting if there are too few bytes (long poll); by topic id from version 13 on.

The response waits until there are ``min_bytes``, a partition has an error, has a better replica to read from or has
diverged from the records that the reader read, or ``max_wait_ms`` has passed. As in Kafka, partitions that do not exist
do not end the wait, unless there are no others. ``reading.partitions`` reads partitions, and ``reading.sessions``
selects what is sent.

From version 16 on the response of a node that does not lead a partition names the leader (KIP-951).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import groupby

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.requests.list_offsets import ISOLATION_LEVELS, READ_COMMITTED
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.log import PartitionLog, watching
from kafka_nextgen.testing.broker.reading.asked import Asked, Key, Reading
from kafka_nextgen.testing.broker.reading.partitions import FetchLimits, find, read_all
from kafka_nextgen.testing.broker.reading.sessions import SessionRequest
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.messages import FetchRequest, FetchResponse
from kafka_nextgen.wire.topics import NO_TOPIC_ID

__all__ = ["asked_of", "handle"]

_Topic = FetchResponse.FetchableTopicResponse
_Partition = _Topic.PartitionData
_Aborted = _Partition.AbortedTransaction
_Leader = _Partition.LeaderIdAndEpoch
_Diverging = _Partition.EpochEndOffset
_Node = FetchResponse.NodeEndpoint

_WITH_TOPIC_IDS = 13
_WITH_LEADERS = 16


async def handle(request: FetchRequest, context: Context) -> FetchResponse:
    """Read the partitions; wait as long as the request allows if there are too few bytes."""
    if request.isolation_level not in ISOLATION_LEVELS:
        return _failed(request, context, ErrorCode.UNKNOWN_SERVER_ERROR)
    turn = context.cluster.fetch_sessions[context.node.node_id].turn(_session_request(request, context))
    if isinstance(turn, ErrorCode):
        return FetchResponse(error_code=turn, session_id=0, responses=[])
    session_id, told = turn.tell(await _read(request, turn.asked, context))
    return FetchResponse(
        error_code=ErrorCode.NONE,
        session_id=session_id,
        responses=_topics(told, context),
        node_endpoints=_leaders(told, context),
    )


def asked_of(request: FetchRequest, context: Context) -> Sequence[Asked]:
    """The partitions that a request fetches, including those of its session."""
    return context.cluster.fetch_sessions[context.node.node_id].peek(_session_request(request, context))


def _failed(request: FetchRequest, context: Context, error: ErrorCode) -> FetchResponse:
    """An error for the whole request; as in Kafka, in versions without topic ids each partition has it, too."""
    if context.version >= _WITH_TOPIC_IDS:
        return FetchResponse(error_code=error, session_id=0, responses=[])
    asked = _session_request(request, context).asked
    failed = [Reading(one, error, aborted=()) for one in asked]
    return FetchResponse(error_code=error, session_id=0, responses=_topics(failed, context))


async def _read(request: FetchRequest, asked: Sequence[Asked], context: Context) -> list[Reading]:
    loop = asyncio.get_running_loop()
    give_up_at = loop.time() + max(request.max_wait_ms, 0) / 1000
    max_bytes = min(request.max_bytes, context.cluster.settings.fetch_max_bytes)
    limits = FetchLimits(max_bytes, request.isolation_level == READ_COMMITTED, request.rack_id)
    with watching(_logs(asked, context)) as more:
        while True:
            more.clear()
            readings = read_all(asked, limits, context)
            left_s = give_up_at - loop.time()
            if left_s <= 0 or _is_enough(readings, min(request.min_bytes, max_bytes)):
                return readings
            await more.wait(left_s)


def _is_enough(readings: Sequence[Reading], min_bytes: int) -> bool:
    if all(reading.is_missing for reading in readings):
        return True
    size = sum(len(reading.records) for reading in readings)
    return size >= min_bytes or any(reading.is_due for reading in readings)


def _logs(wanted: Sequence[Asked], context: Context) -> Iterator[PartitionLog]:
    for asked in wanted:
        partition = find(asked, context)
        if not isinstance(partition, ErrorCode):
            yield partition.log


def _session_request(request: FetchRequest, context: Context) -> SessionRequest:
    by_id = context.version >= _WITH_TOPIC_IDS
    asked = {one.key: one for one in _asked(request, by_id)}  # a partition that is named twice is read once
    forgotten: Iterator[Key] = (
        (_topic(topic, by_id), index) for topic in request.forgotten_topics_data for index in topic.partitions
    )
    return SessionRequest(request.session_id, request.session_epoch, tuple(asked.values()), tuple(forgotten), by_id)


def _asked(request: FetchRequest, by_id: bool) -> Iterator[Asked]:
    for topic in request.topics:
        for fields in topic.partitions:
            yield Asked(
                _topic(topic, by_id),
                fields.partition,
                fields.fetch_offset,
                fields.partition_max_bytes,
                fields.current_leader_epoch,
                fields.last_fetched_epoch,
            )


def _topic(topic: FetchRequest.FetchTopic | FetchRequest.ForgottenTopic, by_id: bool) -> TopicId | str:
    """Return the topic's id or name. An all-zero id, which no topic has, was decoded as None and is restored here."""
    key: TopicId | str | None = topic.topic_id if by_id else topic.topic
    return NO_TOPIC_ID if key is None else key


def _topics(readings: Sequence[Reading], context: Context) -> list[_Topic]:
    """Consecutive partitions of the same topic share one entry."""
    return [
        _Topic(
            topic=topic if isinstance(topic, str) else "",
            topic_id=NO_TOPIC_ID if isinstance(topic, str) else topic,
            partitions=[_partition(reading, context) for reading in group],
        )
        for topic, group in groupby(readings, key=lambda reading: reading.asked.topic)
    ]


def _partition(reading: Reading, context: Context) -> _Partition:
    aborted, diverging = reading.aborted, reading.diverging
    tells_leader = reading.leader >= 0 and context.version >= _WITH_LEADERS
    return _Partition(
        partition_index=reading.asked.index,
        error_code=reading.error,
        high_watermark=reading.high_watermark,
        last_stable_offset=reading.last_stable_offset,
        log_start_offset=reading.log_start_offset,
        aborted_transactions=None
        if aborted is None
        else [_Aborted(producer_id=one.producer_id, first_offset=one.first_offset) for one in aborted],
        preferred_read_replica=reading.preferred_replica,
        records=reading.records,
        diverging_epoch=None
        if diverging is None
        else _Diverging(epoch=diverging.epoch, end_offset=diverging.end_offset),
        current_leader=_Leader(leader_id=reading.leader, leader_epoch=reading.leader_epoch) if tells_leader else None,
    )


def _leaders(readings: Sequence[Reading], context: Context) -> list[_Node]:
    node_ids = sorted({reading.leader for reading in readings if reading.leader >= 0})
    nodes = [context.cluster.node(node_id) for node_id in node_ids if context.version >= _WITH_LEADERS]
    return [_Node(node_id=node.node_id, **context.address_fields(node)) for node in nodes]

"""Fetch answers, versions 4 to 17, read where they lie: the one message that brings megabytes.

Records are views of the frame: they cost nothing until they are decoded, and keep the frame for as long.

What the versions differ in: 5 has log start offsets, 7 sessions (KIP-227) and an error for the whole, 11 the replica
to read (KIP-392), 12 is flexible (KIP-482) and tells of diverging epochs (KIP-595) and current leaders, 13 has topic
ids in place of names (KIP-516), 16 the endpoints of those leaders (KIP-951). Other tags are passed over.
"""

from __future__ import annotations

from struct import Struct
from typing import TypeVar

from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.cursor import Cursor
from kafka_nextgen.wire.fetch_request import WITH_TOPIC_IDS
from kafka_nextgen.wire.primitives import refuse_null, weighing
from kafka_nextgen.wire.raw_fetch import (
    AbortedTransaction,
    EpochEndOffset,
    RawEndpoint,
    RawFetchAnswer,
    RawPartition,
    RawTopic,
)

__all__ = ["read_fetch_response"]

_INT32 = Struct(">i")
_INT32S = Struct(">ii")
_INT64S = Struct(">qq")
_THROTTLE = Struct(">i")
_THROTTLE_ERROR_SESSION = Struct(">ihi")
_PARTITION = Struct(">ihqqq")  # number, error, high watermark, last stable offset, log start offset
_PARTITION_V4 = Struct(">ihqq")
_EPOCH_AND_END = Struct(">iq")
_DIVERGING, _LEADER = 0, 1  # tags of a partition; 2 is for replicas of the metadata's log
_PARTITION_TAGS = frozenset({_DIVERGING, _LEADER})
_ENDPOINTS = 0  # a tag of the answer

T = TypeVar("T")


def read_fetch_response(version: int, body: memoryview) -> RawFetchAnswer:
    """Read the answer to a Fetch of ``version``; ``body`` is without the header. Raises ``DecodeError``."""
    return _READERS[version].answer(body)


class _Reader:
    """Reads the answers of one version."""

    def __init__(self, version: int) -> None:
        self._answer = f"FetchResponse v{version}"
        self._topics = f"{self._answer}, responses"
        self._partitions = f"{self._topics}, partitions"
        self._aborted_transactions = f"{self._partitions}, aborted_transactions"
        self._records = f"{self._partitions}, records"
        self._has_session = version >= 7
        self._names_replica = version >= 11
        self._flexible = version >= 12
        self._by_id = version >= WITH_TOPIC_IDS
        self._answer_tags = frozenset({_ENDPOINTS} if version >= 16 else ())
        self._head = _PARTITION if version >= 5 else _PARTITION_V4
        length, tags = (1, 1) if self._flexible else (4, 0)
        self._least_topic = (16 if self._by_id else length if self._flexible else 2) + length + tags
        self._least_partition = self._head.size + 2 * length + tags + (4 if self._names_replica else 0)
        self._least_aborted = _INT64S.size + tags

    def answer(self, body: memoryview) -> RawFetchAnswer:
        cursor = Cursor(body, 0, len(body), self._flexible, weighing())
        throttle_time_ms, error, session_id = self._outcome(cursor)
        count = _told(cursor.count(self._least_topic, self._topics), self._topics)
        topics = tuple([self._topic(cursor) for _ in range(count)])
        tags = cursor.tags(self._answer_tags, self._answer)
        endpoints = self._endpoints(tags[_ENDPOINTS]) if _ENDPOINTS in tags else ()
        cursor.finish(self._answer)
        return RawFetchAnswer(throttle_time_ms, error, session_id, topics, endpoints)

    def _outcome(self, cursor: Cursor) -> tuple[int, int, int]:
        if not self._has_session:
            return cursor.fixed(_THROTTLE, self._answer)[0], 0, 0
        throttle_time_ms, error, session_id = cursor.fixed(_THROTTLE_ERROR_SESSION, self._answer)
        return throttle_time_ms, error, session_id

    def _topic(self, cursor: Cursor) -> RawTopic:
        where = self._topics
        topic: str | TopicId = cursor.topic_id(where) if self._by_id else _told(cursor.text(where), f"{where}, topic")
        count = _told(cursor.count(self._least_partition, self._partitions), self._partitions)
        partitions = tuple([self._partition(cursor) for _ in range(count)])
        cursor.tags((), where)
        return RawTopic(topic, partitions)

    def _partition(self, cursor: Cursor) -> RawPartition:
        where = self._partitions
        number, error, high_watermark, last_stable_offset, log_start_offset = (*cursor.fixed(self._head, where), -1)[:5]
        count = cursor.count(self._least_aborted, self._aborted_transactions)
        aborted = self._aborted(cursor, count) if count else ()
        replica = cursor.fixed(_INT32, where)[0] if self._names_replica else -1
        records = cursor.blob(self._records)
        read = RawPartition(
            number, error, high_watermark, last_stable_offset, log_start_offset, aborted, replica, records
        )
        tags = cursor.tags(_PARTITION_TAGS, where)
        return self._with_tags(read, tags) if tags else read

    def _aborted(self, cursor: Cursor, count: int) -> tuple[AbortedTransaction, ...]:
        return tuple([AbortedTransaction(*self._structure(cursor, _INT64S)) for _ in range(count)])

    def _with_tags(self, read: RawPartition, tags: dict[int, Cursor]) -> RawPartition:
        if _DIVERGING in tags:
            read = read._replace(diverging=EpochEndOffset(*self._whole(tags[_DIVERGING], _EPOCH_AND_END)))
        if _LEADER in tags:
            leader, leader_epoch = self._whole(tags[_LEADER], _INT32S)
            read = read._replace(leader=leader, leader_epoch=leader_epoch)
        return read

    def _whole(self, cursor: Cursor, layout: Struct) -> tuple[int, int]:
        pair = self._structure(cursor, layout)
        cursor.finish(self._partitions)
        return pair

    def _structure(self, cursor: Cursor, layout: Struct) -> tuple[int, int]:
        first, second = cursor.fixed(layout, self._partitions)
        cursor.tags((), self._partitions)
        return first, second

    def _endpoints(self, cursor: Cursor) -> tuple[RawEndpoint, ...]:
        where = f"{self._answer}, node_endpoints"
        least = 4 + 1 + 4 + 1 + 1
        count = _told(cursor.count(least, where), where)
        endpoints = tuple([self._endpoint(cursor, where) for _ in range(count)])
        cursor.finish(where)
        return endpoints

    def _endpoint(self, cursor: Cursor, where: str) -> RawEndpoint:
        (node_id,) = cursor.fixed(_INT32, where)
        host = _told(cursor.text(where), where)
        (port,) = cursor.fixed(_INT32, where)
        rack = cursor.text(where)
        cursor.tags((), where)
        return RawEndpoint(node_id, host, port, rack)


def _told(value: T | None, where: str) -> T:
    if value is None:
        refuse_null(where)
    return value


_READERS = {version: _Reader(version) for version in range(4, 18)}

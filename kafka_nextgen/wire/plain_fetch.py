"""Fetch answers as nearly all small ones are from version 13 on: records of a few partitions, and nothing else.

Where records come one by one there are a thousand of them a second. The reader for all of them (``fetch_response``)
goes from field to field, and each takes a call; here a partition takes one. Whatever is not like that is left to the
other reader, from the beginning: here it is neither read nor refused.
"""

from __future__ import annotations

from struct import Struct

from kafka_nextgen.wire.cursor import topic_id_of
from kafka_nextgen.wire.raw_fetch import RawFetchAnswer, RawPartition, RawTopic

__all__ = ["read_plain", "read_plain_partition"]

_HEAD = Struct(">ihiB")  # throttle time, error, session, how many topics
_TOPIC = Struct(">16sB")  # id, how many partitions
#: Number, error, high watermark, last stable offset, log start offset, how many were aborted, the replica, and how the
#: length of the records begins.
_PARTITION = Struct(">ihqqqBiB")
_NO_ABORTED, _NO_TAGS = 1, 0  # a count is one more, 0 for null
_LONG = 0x80  # a varint that begins like this or with more has further bytes


def read_plain(body: memoryview) -> RawFetchAnswer | None:
    """Read an answer without its header; None if it is not like that."""
    if len(body) <= _HEAD.size:
        return None
    throttle_time_ms, error, session_id, count = _HEAD.unpack_from(body)
    pos, topics = _HEAD.size, []
    if not 0 < count < _LONG:
        return None
    for _ in range(count - 1):
        found = _read_topic(body, pos)
        if found is None:
            return None
        topic, pos = found
        topics.append(topic)
    if pos + 1 != len(body) or body[pos] != _NO_TAGS:
        return None
    return RawFetchAnswer(throttle_time_ms, error, session_id, tuple(topics), ())


def _read_topic(body: memoryview, pos: int) -> tuple[RawTopic, int] | None:
    end = len(body)
    if pos + _TOPIC.size >= end:
        return None
    topic_id, count = _TOPIC.unpack_from(body, pos)
    pos, partitions = pos + _TOPIC.size, []
    if not 0 < count < _LONG:
        return None
    for _ in range(count - 1):
        found = read_plain_partition(body, pos, end)
        if found is None:
            return None
        partition, pos = found
        partitions.append(partition)
    if pos >= end or body[pos] != _NO_TAGS:
        return None
    return RawTopic(topic_id_of(topic_id), tuple(partitions)), pos + 1


def read_plain_partition(data: memoryview, pos: int, end: int) -> tuple[RawPartition, int] | None:
    """Read a partition of version 12 or later, and where it ends; None if it is not like that.

    Nothing was aborted, there are no tags, and the length of the records has one byte or two.
    """
    first = pos + _PARTITION.size
    if first >= end:
        return None
    number, error, high_watermark, stable, log_start, aborted, replica, size = _PARTITION.unpack_from(data, pos)
    if size >= _LONG:
        more, first = data[first], first + 1
        size = size - _LONG + (more << 7) if 0 < more < _LONG else 0  # longer still, or not in its shortest form
    after = first + size - 1
    if aborted > _NO_ABORTED or not size or after >= end or data[after] != _NO_TAGS:
        return None
    return RawPartition(number, error, high_watermark, stable, log_start, (), replica, data[first:after]), after + 1

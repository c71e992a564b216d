"""Fetch requests, versions 4 to 17, as consumers send them. Hand-written for speed: there may be a thousand per second.

The differences between versions: 5 adds a log start offset, used by followers, 7 sessions (KIP-227), 9 the leader epoch
(KIP-320), and 11 a rack (KIP-392). 12 is flexible (KIP-482) and adds the epoch that was read last. 13 contains topic
ids instead of names (KIP-516). 15 contains no replica id, which became a tagged field that only followers write
(KIP-903).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import NamedTuple

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.primitives import encoded_varint

__all__ = ["WITH_TOPIC_IDS", "ForgottenTopic", "RawFetchRequest", "WantedPartition", "WantedTopic"]

#: A partition's number, its leader epoch, the offset, the epoch of the record before it, and the maximum number of
#: bytes.
WantedPartition = tuple[int, int, int, int, int]

_WITH_LOG_START = 5
_WITH_SESSIONS = 7
_WITH_LEADER_EPOCH = 9
_WITH_RACK = 11
_FLEXIBLE = 12
#: The first version with topic ids (KIP-516).
WITH_TOPIC_IDS = 13
_WITHOUT_REPLICA = 15

_CONSUMER = -1  # instead of a replica id
_NO_LOG_START = -1
_INT16 = Struct(">h")
_INT32 = Struct(">i")
_LIMITS = Struct(">iiib")  # maximum wait, minimum bytes, maximum bytes, isolation level
_SESSION = Struct(">ii")
_PARTITION_V4 = Struct(">iqi")  # number, offset, maximum bytes
_PARTITION_V5 = Struct(">iqqi")  # number, offset, log start offset, maximum bytes
_PARTITION_V9 = Struct(">iiqqi")  # number, leader epoch, offset, log start offset, maximum bytes
#: Number, leader epoch, offset, last epoch, log start offset, maximum bytes, no tags.
_PARTITION_V12 = Struct(">iiqiqib")
_NO_TAGS = b"\x00"


class WantedTopic(NamedTuple):
    """Partitions of a topic that are new to the session or changed. The id is needed from version 13 on."""

    name: str
    topic_id: TopicId | None
    partitions: list[WantedPartition]


class ForgottenTopic(NamedTuple):
    """Partitions of a topic that are no longer fetched. The version determines whether its name or its id is sent."""

    name: str
    topic_id: TopicId | None
    numbers: Sequence[int]


@frozen
class RawFetchRequest:
    """A whole request, which ``frames.encode_request`` accepts like a schema's message."""

    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    isolation_level: int
    session_id: int
    session_epoch: int
    topics: Sequence[WantedTopic]
    forgotten: Sequence[ForgottenTopic]
    rack_id: str = ""

    API_KEY = 1

    def encode(self, version: int) -> bytes:
        """Encode the request in this version."""
        flexible = version >= _FLEXIBLE
        parts = [self.limits(version)]
        if version >= _WITH_SESSIONS:
            parts.append(_SESSION.pack(self.session_id, self.session_epoch))
        parts.append(_count(len(self.topics), flexible))
        for topic in self.topics:
            parts += _topic(topic.name, topic.topic_id, len(topic.partitions), version)
            parts += _partitions(topic.partitions, version)
            parts += [_NO_TAGS] if flexible else []
        parts.append(self.rest(version))
        return b"".join(parts)

    def limits(self, version: int) -> bytes:
        """The encoded fields before the session."""
        limits = _LIMITS.pack(self.max_wait_ms, self.min_bytes, self.max_bytes, self.isolation_level)
        return limits if version >= _WITHOUT_REPLICA else _INT32.pack(_CONSUMER) + limits

    def rest(self, version: int) -> bytes:
        """The encoded fields after the wanted topics."""
        flexible = version >= _FLEXIBLE
        parts = []
        if version >= _WITH_SESSIONS:
            parts += _forgotten(self.forgotten, version) if self.forgotten else [_count(0, flexible)]
        if version >= _WITH_RACK:
            parts.append(_text(self.rack_id, flexible))
        return b"".join(parts) + (_NO_TAGS if flexible else b"")


def _forgotten(topics: Sequence[ForgottenTopic], version: int) -> list[bytes]:
    flexible = version >= _FLEXIBLE
    parts = [_count(len(topics), flexible)]
    for topic in topics:
        parts += _topic(topic.name, topic.topic_id, len(topic.numbers), version)
        parts += [_INT32.pack(number) for number in topic.numbers]
        parts += [_NO_TAGS] if flexible else []
    return parts


def _topic(name: str, topic_id: TopicId | None, count: int, version: int) -> list[bytes]:
    """The beginning of a topic: its name or id, and the number of its partitions."""
    flexible = version >= _FLEXIBLE
    if version < WITH_TOPIC_IDS:
        return [_text(name, flexible), _count(count, flexible)]
    assert topic_id is not None, f"{name} has no topic id"
    return [topic_id.bytes, _count(count, flexible)]


def _partitions(wanted: Sequence[WantedPartition], version: int) -> list[bytes]:
    start = _NO_LOG_START
    if version >= _FLEXIBLE:
        pack = _PARTITION_V12.pack
        return [pack(number, leads, offset, last, start, most, 0) for number, leads, offset, last, most in wanted]
    if version >= _WITH_LEADER_EPOCH:
        return [_PARTITION_V9.pack(number, leads, offset, start, most) for number, leads, offset, _, most in wanted]
    if version >= _WITH_LOG_START:
        return [_PARTITION_V5.pack(number, offset, start, most) for number, _, offset, _, most in wanted]
    return [_PARTITION_V4.pack(number, offset, most) for number, _, offset, _, most in wanted]


@lru_cache(maxsize=1024)
def _text(text: str, flexible: bool) -> bytes:
    data = text.encode()
    return (encoded_varint(len(data) + 1) if flexible else _INT16.pack(len(data))) + data


@lru_cache(maxsize=1024)
def _count(count: int, flexible: bool) -> bytes:
    return encoded_varint(count + 1) if flexible else _INT32.pack(count)

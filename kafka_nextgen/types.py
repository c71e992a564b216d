"""The words every layer shares: topics, partitions, offsets, records, and how partitions are written.

One notation for sets of partitions is used everywhere (logs, errors, scenarios, the command line):
``orders[0-3,7] audit[0]``, topics by name, partitions as ranges, ``-`` for none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum, IntEnum
from functools import total_ordering
from typing import NamedTuple
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from attrs import frozen

from kafka_nextgen.record_fields import with_fast_fields

__all__ = [
    "JoinReason",
    "LeaveMode",
    "OffsetAndMetadata",
    "OffsetRange",
    "RebalanceReason",
    "Record",
    "TimestampType",
    "TopicDescription",
    "TopicId",
    "TopicIdPartition",
    "TopicPartition",
    "format_partitions",
    "format_topic_ids",
    "topic_name_complaint",
]

#: A topic's id: sixteen bytes that a topic deleted and made again under its old name does not keep.
TopicId = UUID

_LEGAL_NAME = re.compile(r"[a-zA-Z0-9._-]+")
_LONGEST_NAME = 249


class TopicPartition(NamedTuple):
    """A partition of a topic, by the topic's name. A tuple, because most uses look something up by it."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}[{self.partition}]"


@total_ordering
@frozen
class TopicIdPartition:
    """A partition of a topic, by the topic's id: what the consumer group protocol speaks of."""

    topic_id: TopicId
    partition: int

    # Groups have these by the hundred thousand, in sets and sorted. Written out, both take a fraction of the time.
    def __hash__(self) -> int:
        return hash((self.topic_id.int, self.partition))

    def __lt__(self, other: TopicIdPartition) -> bool:
        return (self.topic_id.int, self.partition) < (other.topic_id.int, other.partition)

    def __str__(self) -> str:
        return f"{self.topic_id}[{self.partition}]"


@frozen
class OffsetAndMetadata:
    """A position to commit: the offset of the next record to read, and what is kept beside it."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""


@frozen
class OffsetRange:
    """What of a partition is to be read: offsets from ``start`` up to before ``end``; none if ``end`` is not larger.

    ``topic_id`` says which topic is meant, where a name may not be enough: a topic that is deleted and made again is
    another one. None is the topic that has the name when the range is assigned.
    """

    start: int
    end: int
    topic_id: TopicId | None = None


@frozen
class TopicDescription:
    """A topic as brokers describe it; ``topic_id`` is None from brokers before Kafka 2.8, ``partitions`` are sorted."""

    name: str
    topic_id: TopicId | None
    partitions: tuple[int, ...]
    is_internal: bool = False


class TimestampType(IntEnum):
    """Who set a record's timestamp."""

    NONE = -1
    CREATE_TIME = 0
    LOG_APPEND_TIME = 1


class JoinReason(IntEnum):
    """Why a member joins, as it says itself (an extension; numbers are those on the wire)."""

    UNKNOWN = 0
    RESTART = 1  # the same instance again: a known static member costs no rebalance
    TOPIC_METADATA_CHANGE = 2  # counts from the leader of a classic group only
    UPGRADE = 3  # a new version of the application that needs a rebalance


class LeaveMode(Enum):
    """What ``close`` tells the coordinator (KIP-1092)."""

    DEFAULT = "default"  # a dynamic member leaves for good, a static one for a while
    REMAIN = "remain"  # a static member leaves for a while, a dynamic one says nothing
    LEAVE = "leave"  # both leave for good


class RebalanceReason(IntEnum):
    """Why a coordinator had a group rebalance, in its history."""

    UNKNOWN = 0  # recorded by a later release
    MEMBER_JOINED = 1
    MEMBER_RESTARTED = 2  # a static member is back, and its place alone was not enough
    MEMBER_LEFT = 3
    MEMBER_EXPIRED = 4  # it was silent for its session timeout
    MEMBER_FENCED = 5  # it lived, and did not do its part of a rebalance in time
    SUBSCRIPTION_CHANGED = 6
    TOPIC_METADATA_CHANGED = 7
    PATTERN_RESOLVED = 8  # patterns match other topics than before
    ASSIGNOR_REQUESTED = 9  # an assignor in a member asked for a new assignment
    ADMIN = 10
    MIGRATION = 11  # the group went from one protocol to the other
    MEMBER_REQUESTED = 12  # a member joined again for another reason, such as KIP-568's


@with_fast_fields
class Record(NamedTuple):
    """One record as it was handed over.

    ``timestamp`` is in milliseconds since the epoch, -1 if there is none; a producer may have set any 64 bits.
    ``headers`` keep their order and may repeat a key; bytes of a key that are not UTF-8 are U+FFFD, as in Java's
    consumer. ``leader_epoch`` is -1 where the broker gave none. ``key`` and ``value`` are bytes or,
    with a deserializer configured, what that returned. A tuple, because those are made the fastest;
    ``record._replace(value=...)`` makes another with some fields changed.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: TimestampType
    key: object
    value: object
    headers: tuple[tuple[str, bytes | None], ...] = ()
    leader_epoch: int = -1

    def __reduce__(self) -> tuple[object, ...]:
        """As any tuple is pickled, by protocols 0 and 1, too."""
        return type(self), tuple(self)


def format_partitions(partitions: Iterable[TopicPartition]) -> str:
    """Write a set of partitions as ``orders[0-3,7] audit[0]``, sorted; ``-`` if there are none."""
    by_topic: dict[str, list[int]] = {}
    for tp in sorted(set(partitions)):
        by_topic.setdefault(tp.topic, []).append(tp.partition)
    return " ".join(f"{topic}[{_ranges(numbers)}]" for topic, numbers in by_topic.items()) or "-"


def format_topic_ids(partitions: Iterable[TopicIdPartition], names: Mapping[TopicId, str]) -> str:
    """Write partitions known by topic id, with the names where ``names`` has them."""
    return format_partitions(
        TopicPartition(names.get(tip.topic_id, str(tip.topic_id)), tip.partition) for tip in partitions
    )


def topic_name_complaint(name: str) -> str | None:
    """Say what is wrong with a topic's name by Kafka's rules; None if nothing is."""
    if not name:
        return "Topic name is invalid: it is empty"
    if name in (".", ".."):
        return f"Topic name is invalid: it is '{name}'"
    if len(name) > _LONGEST_NAME:
        return f"Topic name is invalid: it has {len(name)} characters, more than {_LONGEST_NAME}"
    if not _LEGAL_NAME.fullmatch(name):
        return f"Topic name is invalid: '{name}' has characters other than a-z A-Z 0-9 . _ -"
    return None


def _ranges(numbers: list[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)

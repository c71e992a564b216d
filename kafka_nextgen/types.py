"""Types that all layers share: topics, partitions, offsets and records.

Logs, errors, scenarios and the command line write sets of partitions as ``orders[0-3,7] audit[0]``, sorted, with ``-``
for none.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from enum import Enum, IntEnum
from functools import total_ordering
from typing import TYPE_CHECKING, Generic
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.compiled.record_fields import with_fast_fields
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    from typing import NamedTuple

    from typing_extensions import TypeVar  # type checkers know it and defaults (PEP 696), even if not installed

    KeyT = TypeVar("KeyT", covariant=True, default=object)
    ValueT = TypeVar("ValueT", covariant=True, default=object)
else:
    from typing import TypeVar

    if sys.version_info >= (3, 11):
        from typing import NamedTuple
    else:
        from kafka_nextgen.compiled.generic_tuple import NamedTuple

    KeyT = TypeVar("KeyT", covariant=True)
    ValueT = TypeVar("ValueT", covariant=True)

__all__ = [
    "JoinReason",
    "KeyT",
    "LeaveMode",
    "OffsetAndMetadata",
    "OffsetRange",
    "RebalanceReason",
    "Record",
    "StandbyState",
    "TimestampType",
    "TopicDescription",
    "TopicId",
    "TopicIdPartition",
    "TopicPartition",
    "ValueT",
    "format_partitions",
    "format_topic_ids",
    "lag_of",
    "topic_name_complaint",
]

#: A topic's id, 16 bytes. A topic that is deleted and created again gets a new id.
TopicId = UUID

_LEGAL_NAME = lazy_pattern(r"[a-zA-Z0-9._-]+")
_LONGEST_NAME = 249


class TopicPartition(NamedTuple):
    """A partition of a topic, identified by the topic's name. It is a tuple, because it is mainly used as a key."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}[{self.partition}]"


@total_ordering
@frozen
class TopicIdPartition:
    """A partition of a topic, identified by the topic's id, as in the consumer group protocol."""

    topic_id: TopicId
    partition: int

    # Groups sort and hash hundreds of thousands of these. These methods are much faster than the ones of attrs.
    def __hash__(self) -> int:
        return hash((self.topic_id.int, self.partition))

    def __lt__(self, other: TopicIdPartition) -> bool:
        return (self.topic_id.int, self.partition) < (other.topic_id.int, other.partition)

    def __str__(self) -> str:
        return f"{self.topic_id}[{self.partition}]"


@frozen
class OffsetAndMetadata:
    """A position to commit: the offset of the next record to read, its leader epoch, and metadata."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""


@frozen
class OffsetRange:
    """The offsets of a partition to read, from ``start`` up to, but excluding, ``end``; empty if ``end`` is not larger.

    ``topic_id`` identifies the topic, since a topic may be deleted and created again under the same name. None means
    the topic that has the name when the range is assigned.
    """

    start: int
    end: int
    topic_id: TopicId | None = None


@frozen
class TopicDescription:
    """A topic in the cluster. ``topic_id`` is None with brokers before Kafka 2.8. ``partitions`` are sorted."""

    name: str
    topic_id: TopicId | None
    partitions: tuple[int, ...]
    is_internal: bool = False


class TimestampType(IntEnum):
    """The meaning of a record's timestamp."""

    NONE = -1
    CREATE_TIME = 0
    LOG_APPEND_TIME = 1


class JoinReason(IntEnum):
    """The reason that a member gives for joining (an extension; the numbers are used in its field)."""

    UNKNOWN = 0
    RESTART = 1  # the same instance restarted: no rebalance for a known static member
    TOPIC_METADATA_CHANGE = 2  # only from the leader of a classic group
    UPGRADE = 3  # a new version of the application that needs a rebalance


class StandbyState(IntEnum):
    """Whether a standby is ready to take over (an extension; the numbers are used in its field)."""

    UNKNOWN = 0  # the member does not say, and counts as ready
    LOADING = 1  # takes over only if no standby is ready
    READY = 2


class LeaveMode(Enum):
    """How ``close`` leaves the group (KIP-1092)."""

    DEFAULT = "default"  # a dynamic member leaves permanently, a static one temporarily
    REMAIN = "remain"  # a static member leaves temporarily, a dynamic one does not leave
    LEAVE = "leave"  # both leave permanently


class RebalanceReason(IntEnum):
    """Why a group rebalanced, in the coordinator's history."""

    UNKNOWN = 0  # recorded by a later release
    MEMBER_JOINED = 1
    MEMBER_RESTARTED = 2  # a static member returned, and its old assignment was not enough
    MEMBER_LEFT = 3
    MEMBER_EXPIRED = 4  # its session timed out
    MEMBER_FENCED = 5  # it sent heartbeats but did not revoke partitions in time
    SUBSCRIPTION_CHANGED = 6
    TOPIC_METADATA_CHANGED = 7
    PATTERN_RESOLVED = 8  # patterns match different topics than before
    ASSIGNOR_REQUESTED = 9  # a client-side assignor requested a new assignment
    ADMIN = 10
    MIGRATION = 11  # the group changed its protocol
    MEMBER_REQUESTED = 12  # a member rejoined for another reason, as with KIP-568
    ASSIGNOR_CHANGED = 13  # most members request a different server-side assignor than before


@with_fast_fields
class Record(NamedTuple, Generic[KeyT, ValueT]):
    """A record; deserializers that return ``str`` and ``Order`` make it a ``Record[str, Order]``.

    ``timestamp`` is in milliseconds since 1970, -1 if there is none; producers may set any 64-bit value. ``headers``
    keep their order and may repeat a key; bytes of a key that are not UTF-8 become U+FFFD, as in Java's consumer.
    ``leader_epoch`` is -1 if the broker sent none. ``key`` and ``value`` are bytes or, with a deserializer, its result.
    It is a tuple, because tuples are the fastest to create; ``record._replace(value=...)`` copies it with other values.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: TimestampType
    key: KeyT | None
    value: ValueT | None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    leader_epoch: int = -1

    @property
    def topic_partition(self) -> TopicPartition:
        """The record's partition, as an argument for methods of a consumer."""
        return TopicPartition(self.topic, self.partition)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as a tuple, with protocols 0 and 1 as well."""
        return type(self), tuple(self)


def format_partitions(partitions: Iterable[TopicPartition]) -> str:
    """Write a set of partitions as ``orders[0-3,7] audit[0]``, sorted; ``-`` if there are none."""
    by_topic: dict[str, list[int]] = {}
    for tp in sorted(set(partitions)):
        by_topic.setdefault(tp.topic, []).append(tp.partition)
    return " ".join(f"{topic}[{_ranges(numbers)}]" for topic, numbers in by_topic.items()) or "-"


def format_topic_ids(partitions: Iterable[TopicIdPartition], names: Mapping[TopicId, str]) -> str:
    """Write partitions by topic name, or by topic id if ``names`` does not contain the name."""
    return format_partitions(
        TopicPartition(names.get(tip.topic_id, str(tip.topic_id)), tip.partition) for tip in partitions
    )


def lag_of(position: int, log_start: int | None, log_end: int) -> int:
    """The number of offsets from ``position``, a committed offset or a consumer's position, to the end of the log.

    Offsets below ``log_start``, removed by retention or DeleteRecords, can't be read and do not count as lag. Kafka's
    tools count them.
    """
    return max(0, log_end - max(position, log_start or 0))


def topic_name_complaint(name: str) -> str | None:
    """The violated rule for topic names; None if the name is valid."""
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

"""All events of the offset machine.

The caller numbers its operations, and the machine reports the end of each operation with its number. The machine
numbers its requests, and ignores responses to requests that are not in flight.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.offsets.rules import OffsetRules
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "AssignmentApplied",
    "CommitAnswered",
    "CommitAsked",
    "CommitBeforeRevokingAsked",
    "CommitLost",
    "ConsumedRead",
    "EpochPublished",
    "GroupEntered",
    "GroupQuit",
    "LookupAnswered",
    "LookupAsked",
    "LookupLost",
    "OffsetEvent",
    "PartitionsStopped",
    "ProtocolChosen",
    "Sought",
    "TimePassed",
    "Withdrawn",
]


@frozen
class CommitAsked:
    """The application commits; the commit ends within ``timeout_s`` seconds.

    ``lost`` are partitions that the member lost after their records were handed over and before these were committed.
    They may have been assigned again since. The application expects this commit to cover them too.
    """

    operation: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    timeout_s: float
    lost: frozenset[TopicPartition] = frozenset()


@frozen
class CommitBeforeRevokingAsked:
    """Partitions are about to be given up: commit the processed offsets of all owned ones within ``timeout_s`` seconds.

    ``found`` contains the offsets, where known, at which the next owner would start without this commit.
    """

    operation: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    timeout_s: float
    found: Mapping[TopicPartition, OffsetAndMetadata] = field(factory=dict)


@frozen
class LookupAsked:
    """Look up the committed offsets of ``partitions`` within ``timeout_s`` seconds."""

    operation: int
    partitions: frozenset[TopicPartition]
    timeout_s: float


@frozen
class Withdrawn:
    """The caller is no longer waiting for this operation: do not retry it, unless other operations depend on it."""

    operation: int


@frozen
class ConsumedRead:
    """The processed offset of each partition: the response to ReadConsumed ``number``."""

    number: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]


@frozen
class CommitAnswered:
    """The response to OffsetCommit ``number``, with an error code (0 for none) for each partition.

    ``absent`` are refused partitions that the cluster does not have, as lookups of its metadata have shown.
    """

    number: int
    codes: Mapping[TopicPartition, int]
    absent: frozenset[TopicPartition] = frozenset()


@frozen
class CommitLost:
    """OffsetCommit ``number`` will get no response, or got one that can't be decoded."""

    number: int
    reason: str


@frozen
class LookupAnswered:
    """The response to OffsetFetch ``number``: offsets and error codes by partition, or one ``code`` for the request."""

    number: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata | None] = field(factory=dict)
    codes: Mapping[TopicPartition, int] = field(factory=dict)
    code: int = 0


@frozen
class LookupLost:
    """OffsetFetch ``number`` will get no response, or got one that can't be decoded."""

    number: int
    reason: str


@frozen
class GroupEntered:
    """The application subscribed: the consumer is now a member of the group, or will become one."""


@frozen
class GroupQuit:
    """The member has left permanently: later commits carry no member id and epoch."""


@frozen
class EpochPublished:
    """The member has this id and this epoch (generation in a classic group); -1 if it is not in the group."""

    member_id: str
    member_epoch: int


@frozen
class PartitionsStopped:
    """These partitions are being given up or are lost. No more of their records are handed over."""

    partitions: frozenset[TopicPartition]


@frozen
class AssignmentApplied:
    """The member owns exactly these partitions; any others have been given up.

    ``added`` are newly assigned. If a topic was deleted and created again, the member may have owned a partition of the
    same name before.
    """

    partitions: frozenset[TopicPartition]
    added: frozenset[TopicPartition] = frozenset()


@frozen
class Sought:
    """The application has called ``seek`` for these partitions and no longer relies on their earlier commits."""

    partitions: frozenset[TopicPartition]


@frozen
class ProtocolChosen:
    """The member uses the protocol with these rules."""

    rules: OffsetRules


@frozen
class TimePassed:
    """The machine's deadline was reached."""


OffsetEvent = (
    CommitAsked
    | CommitBeforeRevokingAsked
    | LookupAsked
    | Withdrawn
    | ConsumedRead
    | CommitAnswered
    | CommitLost
    | LookupAnswered
    | LookupLost
    | GroupEntered
    | GroupQuit
    | EpochPublished
    | PartitionsStopped
    | AssignmentApplied
    | Sought
    | ProtocolChosen
    | TimePassed
)

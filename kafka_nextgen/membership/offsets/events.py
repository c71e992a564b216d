"""The events of the offset machine. The list is closed.

The caller numbers its asks, and the machine reports the end of each under that number. The machine numbers its
requests and ignores the response to one that is not in flight.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

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

    ``lost`` are partitions whose records the application got, and which went before those were committed. They may be
    assigned again by now. The application expects this commit to cover them too.
    """

    ask: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    timeout_s: float
    lost: frozenset[TopicPartition] = frozenset()


@frozen
class CommitBeforeRevokingAsked:
    """Partitions are about to be given up: commit the processed offsets of all owned ones within ``timeout_s`` seconds.

    ``found`` is where the next owner of a partition would start without this commit, as far as it is known.
    """

    ask: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    timeout_s: float
    found: Mapping[TopicPartition, OffsetAndMetadata] = field(factory=dict)


@frozen
class LookupAsked:
    """Look up the committed offsets of ``partitions`` within ``timeout_s`` seconds."""

    ask: int
    partitions: frozenset[TopicPartition]
    timeout_s: float


@frozen
class Withdrawn:
    """The caller no longer waits for this ask: do not retry it for its own sake."""

    ask: int


@frozen
class ConsumedRead:
    """The processed offset of each partition: the response to ReadConsumed ``number``."""

    number: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]


@frozen
class CommitAnswered:
    """OffsetCommit ``number`` was answered, with an error code (0 for none) for each partition."""

    number: int
    codes: Mapping[TopicPartition, int]


@frozen
class CommitLost:
    """No answer to OffsetCommit ``number`` will come, or none that can be read."""

    number: int
    reason: str


@frozen
class LookupAnswered:
    """OffsetFetch ``number`` was answered: offsets and error codes by partition, or one ``code`` for the request."""

    number: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata | None] = field(factory=dict)
    codes: Mapping[TopicPartition, int] = field(factory=dict)
    code: int = 0


@frozen
class LookupLost:
    """No answer to OffsetFetch ``number`` will come, or none that can be read."""

    number: int
    reason: str


@frozen
class GroupEntered:
    """The application subscribed: it is a member of the group from now on, or about to be one."""


@frozen
class GroupQuit:
    """The member has left for good: later commits carry no membership."""


@frozen
class EpochPublished:
    """The member is in this epoch, or generation, under this id; -1 if it is not in the group."""

    member_id: str
    member_epoch: int


@frozen
class PartitionsStopped:
    """These partitions are being given up or are lost: none of their records are handed out any more."""

    partitions: frozenset[TopicPartition]


@frozen
class AssignmentApplied:
    """The member owns exactly these partitions; any others have been given up.

    ``added`` are new. Their names may have been owned before, if the topic was deleted and created again.
    """

    partitions: frozenset[TopicPartition]
    added: frozenset[TopicPartition] = frozenset()


@frozen
class Sought:
    """The application sought in these partitions: it does not rely on older commits of them any more."""

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

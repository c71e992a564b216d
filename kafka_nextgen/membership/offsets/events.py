"""Everything that can happen to a member's offsets. This list is closed: a machine that needs more gets it here.

Whoever asks numbers its questions, ``ask``, and is told of their end under that number. The machine numbers its
requests; the answer to any that is not under way is late and means nothing.
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
    """The application commits; it is told within ``timeout_s`` seconds how that ended.

    Records of ``lost`` were handed over to it, and their partitions went before they were committed, even if they are
    assigned again: it counts on this commit for them, too.
    """

    ask: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    timeout_s: float
    lost: frozenset[TopicPartition] = frozenset()


@frozen
class CommitBeforeRevokingAsked:
    """Partitions are about to be given up: commit what was processed of all there are, within ``timeout_s`` seconds.

    ``found`` is where the next owner of a partition begins without that, as far as it is known.
    """

    ask: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    timeout_s: float
    found: Mapping[TopicPartition, OffsetAndMetadata] = field(factory=dict)


@frozen
class LookupAsked:
    """Somebody wants the committed offsets of ``partitions``, within ``timeout_s`` seconds."""

    ask: int
    partitions: frozenset[TopicPartition]
    timeout_s: float


@frozen
class Withdrawn:
    """Nobody waits for this ask any more: it is not repeated on its own account."""

    ask: int


@frozen
class ConsumedRead:
    """What was processed of each partition so far, as ReadConsumed ``number`` asked for."""

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
    """OffsetFetch ``number`` was answered: the offsets there are, codes by partition, or one for all of it."""

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
    """The application subscribed: it is a member from here on, or about to be one, and no stranger to the group."""


@frozen
class GroupQuit:
    """The member has left for good: what is committed from here on is a stranger's."""


@frozen
class EpochPublished:
    """The member is in this epoch, or generation, under this id; -1 if it is not in the group."""

    member_id: str
    member_epoch: int


@frozen
class PartitionsStopped:
    """These partitions are being given up, or are lost: nothing of them is handed out any more."""

    partitions: frozenset[TopicPartition]


@frozen
class AssignmentApplied:
    """These partitions are all that is owned: any other has been given up.

    Those ``added`` are new, even if partitions of their names were owned before: of a topic that was made again.
    """

    partitions: frozenset[TopicPartition]
    added: frozenset[TopicPartition] = frozenset()


@frozen
class Sought:
    """The application goes on elsewhere in these partitions: it does not count on older commits of them any more."""

    partitions: frozenset[TopicPartition]


@frozen
class ProtocolChosen:
    """The member is in its group by the protocol that has these rules."""

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

"""All effects of the offset machine. Its driver carries them out in order."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.errors import BrokerError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "CommitEnded",
    "Failure",
    "LeftOut",
    "LookupEnded",
    "OffsetEffect",
    "ReadConsumed",
    "Refused",
    "SendCommit",
    "SendLookup",
    "TellMember",
    "TimedOut",
]


@frozen
class Refused:
    """The coordinator has refused the operation, or would refuse it.

    ``codes`` contains the error code of each partition; ``code`` determines ``error``, the class to raise.
    """

    codes: Mapping[TopicPartition, int]
    code: int
    error: type[BrokerError]


@frozen
class TimedOut:
    """The operation did not succeed in ``timeout_s`` seconds; ``reason`` is why the last attempt failed."""

    timeout_s: float
    reason: str | None


Failure = Refused | TimedOut


@frozen
class SendCommit:
    """Send an OffsetCommit, wait until ``deadline``, and answer with CommitAnswered or CommitLost."""

    number: int
    member_id: str
    member_epoch: int
    instance_id: str | None
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    deadline: float


@frozen
class SendLookup:
    """Send an OffsetFetch with RequireStable, wait until ``deadline``; answer with LookupAnswered or LookupLost.

    If ``member_id`` is None, the request carries no member id and epoch.
    """

    number: int
    member_id: str | None
    member_epoch: int
    partitions: frozenset[TopicPartition]
    deadline: float


@frozen
class ReadConsumed:
    """Read the processed offset of each partition and answer with ConsumedRead."""

    number: int


@frozen
class CommitEnded:
    """The commit has ended. Without ``failure``, its offsets or later ones for its partitions are committed.

    INTERVAL_COMMIT (0) is the interval commit of auto-commit, which has no caller.
    """

    operation: int
    failure: Failure | None


@frozen
class LeftOut:
    """Log that these partitions are given up without a commit: the coordinator does not know their topics."""

    codes: Mapping[TopicPartition, int]


@frozen
class LookupEnded:
    """The lookup has ended.

    ``offsets`` contains the committed offset of each partition, or None if there is none; unknown partitions are left
    out. With a ``failure`` it is empty.
    """

    operation: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata | None]
    failure: Failure | None


@frozen
class TellMember:
    """Inform the member that a commit in this epoch was refused with an error code that concerns the membership."""

    code: int
    member_epoch: int


OffsetEffect = (
    SendCommit | SendLookup | ReadConsumed | FindCoordinator | CommitEnded | LeftOut | LookupEnded | TellMember
)

"""The effects of the offset machine, which its driver carries out in order. The list is closed."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from kafka_nextgen.errors import BrokerError
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
    """The coordinator refused, or would have: an error code for each partition, and ``code``, which decided.

    ``error`` is the class to raise.
    """

    codes: Mapping[TopicPartition, int]
    code: int
    error: type[BrokerError]


@frozen
class TimedOut:
    """The ask did not succeed in ``timeout_s`` seconds; ``reason`` is why the last attempt failed."""

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

    With ``member_id`` None the request carries no membership.
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
    """Without ``failure``, the offsets of ``ask`` are committed, or were replaced by later commits of their partitions.

    INTERVAL_ASK, 0, is the interval commit of auto-commit, which has no caller.
    """

    ask: int
    failure: Failure | None


@frozen
class LeftOut:
    """Log that these partitions are given up without a commit: the coordinator does not know their topics."""

    codes: Mapping[TopicPartition, int]


@frozen
class LookupEnded:
    """The committed offsets of ``ask``; None for a partition without one. Unknown partitions are left out.

    ``offsets`` is empty with a ``failure``.
    """

    ask: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata | None]
    failure: Failure | None


@frozen
class TellMember:
    """A commit in this epoch was refused with a code that concerns the membership itself."""

    code: int
    member_epoch: int


OffsetEffect = (
    SendCommit | SendLookup | ReadConsumed | FindCoordinator | CommitEnded | LeftOut | LookupEnded | TellMember
)

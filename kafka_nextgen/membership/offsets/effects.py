"""Everything the offsets' machine can ask of its driver, which carries effects out in the order they come. Closed."""

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
    """The coordinator said no, or would have: a reason for each partition, and ``code``, which decided.

    ``error`` is the class to raise.
    """

    codes: Mapping[TopicPartition, int]
    code: int
    error: type[BrokerError]


@frozen
class TimedOut:
    """There was no answer in ``timeout_s`` seconds; ``reason`` is what kept the last attempt from getting one."""

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

    ``member_id`` None asks in nobody's name.
    """

    number: int
    member_id: str | None
    member_epoch: int
    partitions: frozenset[TopicPartition]
    deadline: float


@frozen
class ReadConsumed:
    """Look up what was processed of each partition so far, and answer with ConsumedRead."""

    number: int


@frozen
class CommitEnded:
    """What ``ask`` wanted committed is committed, or something later of each partition, unless there is a ``failure``.

    INTERVAL_ASK, 0, is that of auto-commit on the interval, which nobody waits for.
    """

    ask: int
    failure: Failure | None


@frozen
class LeftOut:
    """Say that these are given up without a commit: the coordinator knows no such topic, by these codes."""

    codes: Mapping[TopicPartition, int]


@frozen
class LookupEnded:
    """The committed offsets ``ask`` wanted, None where there is none, without partitions that are unknown just now.

    With a ``failure`` there are none.
    """

    ask: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata | None]
    failure: Failure | None


@frozen
class TellMember:
    """A commit in this epoch was refused with a code that says where the member stands in its group."""

    code: int
    member_epoch: int


OffsetEffect = (
    SendCommit | SendLookup | ReadConsumed | FindCoordinator | CommitEnded | LeftOut | LookupEnded | TellMember
)

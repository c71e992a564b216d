"""Everything the transaction coordinator can be asked or told, and what it answers. Closed: one class for each."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from kafka_nextgen.broker.transactions.transaction import NO_PRODUCER, Producer, Transaction
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicPartition

__all__ = [
    "AddPartitions",
    "Answer",
    "EndTransaction",
    "InitProducerId",
    "MarkersWritten",
    "Noted",
    "Outcome",
    "PartitionsAnswered",
    "ProducerAnswered",
    "Request",
    "refuse",
]


@frozen
class InitProducerId:
    """Become the producer of a transactional id, fencing the one before (KIP-98).

    ``producer`` is who the client is already, if it goes on after an error (KIP-360). ``new_producer_id`` is an id
    that was never given, in case one is needed.
    """

    transactional_id: str
    timeout_ms: int
    new_producer_id: int
    producer: Producer = NO_PRODUCER


@frozen
class AddPartitions:
    """Begin a transaction, or go on with it, in these partitions too.

    With ``verify_only`` say whether they belong to the open transaction (KIP-890, part 1).
    """

    transactional_id: str
    producer: Producer
    partitions: frozenset[TopicPartition]
    verify_only: bool = False


@frozen
class EndTransaction:
    """Commit or abort. With ``bumps_epoch`` the producer goes on at the next epoch (KIP-890, part 2)."""

    transactional_id: str
    producer: Producer
    is_commit: bool
    new_producer_id: int
    bumps_epoch: bool = False


@frozen
class MarkersWritten:
    """All partitions of a transaction that was decided have their markers."""

    transactional_id: str


Request = InitProducerId | AddPartitions | EndTransaction | MarkersWritten


@frozen
class ProducerAnswered:
    """Who the client is from now on, or why not."""

    error: ErrorCode = ErrorCode.NONE
    producer: Producer = NO_PRODUCER


@frozen
class PartitionsAnswered:
    """An error for each partition, NONE for those in the transaction."""

    errors: Mapping[TopicPartition, ErrorCode] = field(factory=dict)


@frozen
class Noted:
    """There is nothing to say."""


Answer = ProducerAnswered | PartitionsAnswered | Noted


def refuse(request: Request, error: ErrorCode) -> Answer:
    """The answer to a request that can't be worked on."""
    if isinstance(request, AddPartitions):
        return PartitionsAnswered(dict.fromkeys(request.partitions, error))
    return Noted() if isinstance(request, MarkersWritten) else ProducerAnswered(error)


@frozen
class Outcome:
    """What came of a request, or of time. ``changed`` is to be stored, then put into force; then the answer may leave.

    Where ``changed`` is decided, its markers are to be written next, and ``MarkersWritten`` told.
    """

    answer: Answer
    changed: Transaction | None = None

    @classmethod
    def refused(cls, error: ErrorCode) -> Outcome:
        """Nothing comes of a producer's request but this error."""
        return cls(ProducerAnswered(error))

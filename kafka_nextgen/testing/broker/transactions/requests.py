"""The requests and answers of the transaction coordinator."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.transactions.transaction import NO_PRODUCER, Producer, Transaction
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
    """Become the producer of a transactional id and fence the previous one (KIP-98).

    ``producer`` is the client's current id and epoch, if it continues after an error (KIP-360). ``new_producer_id`` is
    an unused id, in case one is needed.
    """

    transactional_id: str
    timeout_ms: int
    new_producer_id: int
    producer: Producer = NO_PRODUCER


@frozen
class AddPartitions:
    """Add partitions to the transaction, and begin it if necessary.

    With ``verify_only``, only verify that they belong to the open transaction (KIP-890, part 1).
    """

    transactional_id: str
    producer: Producer
    partitions: frozenset[TopicPartition]
    verify_only: bool = False


@frozen
class EndTransaction:
    """Commit or abort. With ``bumps_epoch`` the producer continues with the next epoch (KIP-890, part 2)."""

    transactional_id: str
    producer: Producer
    is_commit: bool
    new_producer_id: int
    bumps_epoch: bool = False


@frozen
class MarkersWritten:
    """The markers of a decided transaction are in all its partitions."""

    transactional_id: str


Request = InitProducerId | AddPartitions | EndTransaction | MarkersWritten


@frozen
class ProducerAnswered:
    """The client's producer id and epoch from now on, or the error."""

    error: ErrorCode = ErrorCode.NONE
    producer: Producer = NO_PRODUCER


@frozen
class PartitionsAnswered:
    """An error for each partition, NONE for partitions in the transaction."""

    errors: Mapping[TopicPartition, ErrorCode] = field(factory=dict)


@frozen
class Noted:
    """An empty answer."""


Answer = ProducerAnswered | PartitionsAnswered | Noted


def refuse(request: Request, error: ErrorCode) -> Answer:
    """The answer to a request that can't be handled."""
    if isinstance(request, AddPartitions):
        return PartitionsAnswered(dict.fromkeys(request.partitions, error))
    return Noted() if isinstance(request, MarkersWritten) else ProducerAnswered(error)


@frozen
class Outcome:
    """The outcome of a request or a timeout. Store and commit ``changed`` before sending the answer.

    If ``changed`` is decided, write its markers next, and then handle ``MarkersWritten``.
    """

    answer: Answer
    changed: Transaction | None = None

    @classmethod
    def refused(cls, error: ErrorCode) -> Outcome:
        """The outcome of a refused request."""
        return cls(ProducerAnswered(error))

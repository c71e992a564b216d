"""The interface to a transactional producer of another client, and the three kinds of failures.

Every client has its own errors. The client's adapter, chosen by ``adapter_of``, converts them by the required action:

- ``OffsetsRefusedError``: the group's coordinator refused the offsets, because the member's epoch is outdated
  (KIP-447). Abort, and continue from the committed offsets: partitions may have another owner now.
- ``AbortNeededError``: the transaction failed, but the producer can be used for the next one (KIP-360).
- ``ProducerLostError``: the producer is unusable, for example because another one with its transactional id fenced it
  (KIP-98), or because the outcome of a commit is unknown.

All other exceptions concern one record, which can't be serialized or is too large.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from kafka_nextgen.text import describe_error

if TYPE_CHECKING:
    from kafka_nextgen.group_metadata import ConsumerGroupMetadata
    from kafka_nextgen.processing.transactions.output_record import OutputRecord
    from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "AbortNeededError",
    "OffsetsRefusedError",
    "ProducerFailure",
    "ProducerLostError",
    "TransactionalProducer",
    "adapter_of",
]


class ProducerFailure(Exception):  # noqa: N818  (the base of three errors)
    """A call of the producer failed with ``error``."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(describe_error(error))
        self.error = error


class OffsetsRefusedError(ProducerFailure):
    """The coordinator of the group refused the offsets."""


class AbortNeededError(ProducerFailure):
    """The transaction has to be aborted."""


class ProducerLostError(ProducerFailure):
    """This producer is unusable."""


class TransactionalProducer(ABC):
    """A producer with a transactional id. All calls raise a ``ProducerFailure``."""

    #: Whether the producer can be used for another transaction after an abort.
    survives_abort: ClassVar[bool] = True

    @abstractmethod
    def init(self) -> None:
        """Become the producer of the transactional id; ends a transaction that the previous one left open."""

    @abstractmethod
    def begin(self) -> None:
        """Begin a transaction."""

    @abstractmethod
    def produce(self, record: OutputRecord) -> None:
        """Write a record in the transaction; it may be sent later. Raises the producer's error for an invalid
        record."""

    @abstractmethod
    def send_offsets(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], member: ConsumerGroupMetadata) -> None:
        """Commit the offsets with the transaction. Raises OffsetsRefusedError."""

    @abstractmethod
    def commit(self) -> None:
        """Wait until all records are written, and commit. Raises if any record was not written."""

    @abstractmethod
    def abort(self) -> None:
        """Abort the transaction."""

    @abstractmethod
    def close(self) -> None:
        """Close the producer; never raises."""


def adapter_of(producer: object) -> TransactionalProducer:
    """Return the adapter of ``producer``. Raises TypeError for a producer whose transactions the group can't fence."""
    if isinstance(producer, TransactionalProducer):
        return producer
    if _is_from("confluent_kafka", "Producer", producer):
        from kafka_nextgen.processing.transactions.confluent_producer import ConfluentProducer

        return ConfluentProducer(producer)  # type: ignore[arg-type]
    if _is_from("kafka", "KafkaProducer", producer):
        from kafka_nextgen.processing.transactions.kafka_python_producer import KafkaPythonProducer

        return KafkaPythonProducer(producer)  # type: ignore[arg-type]
    raise TypeError(
        f"producer must be a confluent_kafka.Producer, or a function that creates one or a kafka.KafkaProducer, not "
        f"{type(producer).__name__} (aiokafka's producer sends offsets without the member's epoch, so the group "
        "can't fence them)"
    )


def _is_from(package: str, name: str, producer: object) -> bool:
    """Whether ``producer`` is of this class; False if its package is not imported."""
    kind: Any = getattr(sys.modules.get(package), name, None)
    return isinstance(kind, type) and isinstance(producer, kind)

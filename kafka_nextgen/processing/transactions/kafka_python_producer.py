"""An adapter for kafka-python's producer.

This producer (3.0.12) has two problems:

- It keeps offsets that the group refused, and commits them with its next transaction, so records would be lost
  (``findings/kafka-python-commits-offsets-of-an-aborted-transaction.sh``). So a new producer is needed after each
  abort.
- If a record's topic is not found, or the record is not delivered in time, only its future fails: the transaction can
  be committed without it. So every future is checked before the commit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from kafka import KafkaProducer
from kafka import OffsetAndMetadata as Position
from kafka import TopicPartition as Place
from kafka.errors import (
    AuthorizationError,
    CommitFailedError,
    IllegalStateError,
    InvalidProducerEpochError,
    InvalidTxnStateError,
    KafkaError,
    MessageSizeTooLargeError,
    ProducerFencedError,
)

from kafka_nextgen.processing.transactions.producers import (
    AbortNeededError,
    OffsetsRefusedError,
    ProducerFailure,
    ProducerLostError,
    TransactionalProducer,
)

if TYPE_CHECKING:
    from kafka_nextgen.group_metadata import ConsumerGroupMetadata
    from kafka_nextgen.processing.transactions.output_record import OutputRecord
    from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["KafkaPythonProducer"]

#: How long (seconds) ``close`` waits for records that are being sent.
CLOSE_S = 5.0
_FATAL = (
    AuthorizationError,
    IllegalStateError,
    InvalidProducerEpochError,
    InvalidTxnStateError,
    ProducerFencedError,
)


class KafkaPythonProducer(TransactionalProducer):
    """Adapts ``kafka.KafkaProducer``."""

    survives_abort: ClassVar[bool] = False

    def __init__(self, producer: KafkaProducer) -> None:
        self._producer: Any = producer
        self._sent: list[Any] = []

    def init(self) -> None:
        """Initialize the producer; does nothing if the application has done so."""
        _call(self._producer.init_transactions)

    def begin(self) -> None:
        """Begin a transaction."""
        self._sent.clear()
        _call(self._producer.begin_transaction)

    def produce(self, record: OutputRecord) -> None:
        """Send a record; waits while the producer's buffer is full."""
        headers = [*record.headers] or None
        try:
            future = self._producer.send(
                record.topic, record.value, record.key, headers, record.partition, record.timestamp_ms
            )
        except MessageSizeTooLargeError:  # the producer itself rejects this record
            raise
        except KafkaError as error:
            raise _failure_of(error) from error
        self._sent.append(future)

    def send_offsets(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], member: ConsumerGroupMetadata) -> None:
        """Commit the offsets with the transaction."""
        positions = {
            Place(tp.topic, tp.partition): Position(position.offset, "", position.leader_epoch)
            for tp, position in offsets.items()
        }
        _call(self._producer.send_offsets_to_transaction, positions, member)

    def commit(self) -> None:
        """Flush, check that every record was delivered, and commit."""
        _call(self._producer.flush)
        for future in self._sent:
            if not future.succeeded():
                error = future.exception or KafkaError("a record was not delivered")
                raise AbortNeededError(error) from error
        _call(self._producer.commit_transaction)

    def abort(self) -> None:
        """Abort the transaction."""
        _call(self._producer.abort_transaction)

    def close(self) -> None:
        """Close the producer."""
        self._producer.close(CLOSE_S)


def _call(function: Callable[..., object], *args: object) -> None:
    try:
        function(*args)
    except KafkaError as error:
        raise _failure_of(error) from error


def _failure_of(error: KafkaError) -> ProducerFailure:
    if isinstance(error, CommitFailedError):
        return OffsetsRefusedError(error)
    return ProducerLostError(error) if isinstance(error, _FATAL) else AbortNeededError(error)

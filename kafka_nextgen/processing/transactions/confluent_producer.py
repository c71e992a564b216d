"""An adapter for confluent-kafka's producer.

Errors of librdkafka's transactions state the required action: call the same function again, abort, or replace the
producer (librdkafka, "Transactional producer API"). After a timeout, call the function again: the operation continues
in the background, and the next call waits for it. So calls are short, and signals are handled between them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka import TopicPartition as Position

from kafka_nextgen import clocks
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

__all__ = ["ConfluentProducer"]

#: The time limit (seconds) of one call, and of all its repetitions.
CALL_S, LIMIT_S = 5.0, 60.0
#: How long (seconds) to wait at a time, for room in the producer's queue or before a call is repeated.
PAUSE_S = 0.1
#: The group's coordinator answers with one of these if the member's epoch is outdated or it was replaced.
_OF_MEMBERS = {
    KafkaError.FENCED_INSTANCE_ID,
    KafkaError.FENCED_MEMBER_EPOCH,
    KafkaError.ILLEGAL_GENERATION,
    KafkaError.STALE_MEMBER_EPOCH,
    KafkaError.UNKNOWN_MEMBER_ID,
}


class ConfluentProducer(TransactionalProducer):
    """Adapts ``confluent_kafka.Producer``, and its subclasses with serializers."""

    def __init__(self, producer: Producer) -> None:
        self._producer: Any = producer

    def init(self) -> None:
        """Initialize the producer, unless the application has done so."""
        try:
            self._call(self._producer.init_transactions)
        except ProducerLostError as error:
            if _error_in(error.error).code() != KafkaError._STATE:  # noqa: SLF001  (librdkafka's local codes)
                raise

    def begin(self) -> None:
        """Begin a transaction."""
        self._call(lambda _: self._producer.begin_transaction())

    def produce(self, record: OutputRecord) -> None:
        """Queue a record, once the queue has room."""
        while not self._is_queued(record):
            self._producer.poll(PAUSE_S)

    def _is_queued(self, record: OutputRecord) -> bool:
        try:
            self._producer.produce(
                record.topic,
                value=record.value,
                key=record.key,
                partition=-1 if record.partition is None else record.partition,
                timestamp=0 if record.timestamp_ms is None else record.timestamp_ms,
                headers=list(record.headers) or None,
            )
        except BufferError:
            return False
        except KafkaException as error:
            failure = _failure_of(error)
            is_of_transaction = not isinstance(failure, ProducerLostError) or _error_in(error).fatal()
            if is_of_transaction or _error_in(error).code() == KafkaError._STATE:  # noqa: SLF001
                raise failure from error
            raise
        return True

    def send_offsets(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], member: ConsumerGroupMetadata) -> None:
        """Commit the offsets with the transaction."""
        positions = [
            Position(tp.topic, tp.partition, position.offset, leader_epoch=position.leader_epoch)
            for tp, position in offsets.items()
        ]
        self._call(self._producer.send_offsets_to_transaction, positions, member)

    def commit(self) -> None:
        """Flush and commit; librdkafka refuses the commit if a record was not delivered."""
        self._call(self._producer.commit_transaction)

    def abort(self) -> None:
        """Drop queued records and abort."""
        self._call(self._producer.abort_transaction)

    def close(self) -> None:
        """Close the producer, if this release can; otherwise it ends when it is garbage-collected."""
        close = getattr(self._producer, "close", None)
        if close is not None:
            close()

    def _call(self, function: Callable[..., object], *args: object) -> None:
        deadline = clocks.monotonic() + LIMIT_S
        while True:
            try:
                function(*args, CALL_S)
                return
            except KafkaException as error:
                if not _error_in(error).retriable() or clocks.monotonic() >= deadline:
                    raise _failure_of(error) from error
            self._producer.poll(PAUSE_S)


def _failure_of(error: KafkaException) -> ProducerFailure:
    told = _error_in(error)
    if told.fatal() or not told.txn_requires_abort():
        return ProducerLostError(error)
    return OffsetsRefusedError(error) if told.code() in _OF_MEMBERS else AbortNeededError(error)


def _error_in(error: BaseException) -> KafkaError:
    found: KafkaError = error.args[0]
    return found

"""A transaction of a test."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from kafka_nextgen.errors import MisuseError

if TYPE_CHECKING:
    from kafka_nextgen.testing.kit.backend import Backend, TransactionalProducer
    from kafka_nextgen.testing.kit.producer_record import Headers, ProducerRecord
    from kafka_nextgen.testing.kit.record_list import RecordList

    Write = Callable[[str, object, ProducerRecord, TransactionalProducer], RecordList]

__all__ = ["Transaction"]


class Transaction:
    """An open transaction; see ``KafkaCluster.transaction``. ``write`` writes records with defaults and a producer."""

    def __init__(self, backend: Backend, producer: TransactionalProducer, write: Write) -> None:
        self._backend = backend
        self._producer: TransactionalProducer | None = producer
        self._write = write

    def produce(
        self,
        topic: str,
        records: object,
        *,
        key: object = None,
        headers: Headers = (),
        timestamp: int | datetime | None = None,
        partition: int | None = None,
    ) -> RecordList:
        """Write records in this transaction, as ``KafkaCluster.produce`` does. Raises MisuseError once it has ended."""
        from kafka_nextgen.testing.kit.producer_record import ProducerRecord

        if self._producer is None:
            raise MisuseError("the transaction has ended: begin another with cluster.transaction()")
        return self._write(topic, records, ProducerRecord(None, key, headers, timestamp, partition), self._producer)

    def commit(self) -> None:
        """Commit now; does nothing once the transaction has ended."""
        self._end(is_commit=True)

    def abort(self) -> None:
        """Abort now; does nothing once the transaction has ended."""
        self._end(is_commit=False)

    def _end(self, *, is_commit: bool) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            self._backend.end_transaction(producer, is_commit=is_commit)

"""The method ``run_in_transactions`` of ``Consumer``. Its runner is imported when it is first called."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Generic

from kafka_nextgen.processing.stopping import StopHandle, stopped_by_signals
from kafka_nextgen.types import KeyT, Record, ValueT

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.arguments import Topics
    from kafka_nextgen.processing.transactions.consumers import ConsumerInTransactions
    from kafka_nextgen.processing.transactions.output_record import Outputs

__all__ = ["RunsTransactions"]


class RunsTransactions(Generic[KeyT, ValueT]):
    """Adds ``run_in_transactions`` to ``Consumer``."""

    def run_in_transactions(
        self: ConsumerInTransactions,
        handler: Callable[[Record[KeyT, ValueT]], Outputs],
        topics: Topics | None = None,
        *,
        producer: object,
        max_records: int | None = None,
        max_time_s: float = 1.0,
        attempts: int = 3,
        dead_letter: Callable[[Record[bytes, bytes], Exception], Outputs] | None = None,
        stop_on_signals: bool = True,
        stop: StopHandle | None = None,
    ) -> None:
        """Call ``handler`` with every record, and write its results exactly once; return when stopped.

        ``handler`` returns an ``OutputRecord``, several of them, or None. The results of up to ``max_records`` records
        (default: ``max.poll.records``), handled within about ``max_time_s`` seconds, are written in one transaction,
        together with the offsets of these records (KIP-98). So after any failure either both count or none, and the
        group's coordinator refuses offsets of partitions that this member has lost (KIP-447). Readers of the results
        need ``isolation.level=read_committed``. Other effects of the handler may happen more than once.

        ``producer`` is a function that creates a producer with a ``transactional.id``, from confluent-kafka or
        kafka-python: ``lambda: confluent_kafka.Producer({...})``. The function is called again when a producer becomes
        unusable. ``producer`` may also be a ``confluent_kafka.Producer``: the run then ends with TransactionError when
        it becomes unusable. Each process needs its own transactional id, and the same one after a restart.

        Records are handled in order, in this thread. If the handler raises, the record is retried, up to ``attempts``
        attempts in total, with pauses of ``retry.backoff.ms``, doubling up to ``retry.backoff.max.ms``. After the last
        attempt, ``dead_letter`` is called with the record (key and value as bytes) and the error, and its results are
        written instead, in the same transaction. Without ``dead_letter``, the records before it are committed, and the
        run ends with the handler's error.

        After an aborted transaction, its records are read again from the committed offsets. ``stop``, ``topics`` and
        ``stop_on_signals`` are the same as for ``run``: at the end, the handled records are committed, and the next
        poll starts after them.

        Raises ConfigError with ``enable.auto.commit=true``, or unless ``isolation.level=read_committed``; MisuseError
        if there is nothing to read, another listener, or no ``group.id``; TypeError for an unsuitable producer;
        TransactionError if the producer is unusable, or ten transactions in a row fail; the exceptions of ``handler``
        and ``dead_letter``; the producer's error for a result that it rejects; and the errors of ``Consumer.poll``.
        """
        from kafka_nextgen.engine.application.deserializers import Deserializers
        from kafka_nextgen.processing.transactions.producer_source import ProducerSource
        from kafka_nextgen.processing.transactions.settings import TransactionSettings
        from kafka_nextgen.processing.transactions.transaction_runner import TransactionRunner
        from kafka_nextgen.processing.transactions.transforming import Transformer

        with self._running():
            subscribes_to = self._topics_to_run(topics)
            settings = TransactionSettings.of(self.config, max_records, max_time_s, attempts)
            deserializers = Deserializers.of(self.config)
            transformer = Transformer(handler, dead_letter, deserializers, self.hooks, settings)
            handle = stop or StopHandle()
            runner = TransactionRunner(self, ProducerSource(producer), transformer, settings, handle)
            with stopped_by_signals(handle) if stop_on_signals else nullcontext():
                runner.run(subscribes_to)

"""One ``run_in_transactions`` of a consumer: poll, handle, and commit results and offsets in one transaction.

The rules, and why a record counts exactly once (KIP-98, KIP-447):

- Partitions are revoked and assigned only within ``poll``, and no transaction is open then. A member that is fenced
  loses its partitions at any time; ``group_metadata`` then keeps the old epoch until the next poll, and the coordinator
  refuses the offsets.
- Offsets are committed only with the results of their records. Once the coordinator of the group has accepted them, a
  new owner of the partition waits for the end of the transaction.
- If a transaction was not committed, or its outcome is unknown, only the coordinator has the right positions: the
  partitions are read again from the group's committed offsets. An unusable producer is replaced before the lookup of
  these offsets: initializing the new producer ends the transaction of the old one.
- Until that has succeeded, records of these partitions are dropped. Polling continues with the partitions paused, so
  that the member stays in its group and takes part in rebalances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.rebalance_listener import RebalanceConsumer, RebalanceListener
from kafka_nextgen.errors import BrokerError, KafkaNextgenError, MisuseError, TransactionError, TransportError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.processing.settings import POLL_TIMEOUT_S
from kafka_nextgen.processing.transactions.backlog import Backlog
from kafka_nextgen.processing.transactions.producers import (
    OffsetsRefusedError,
    ProducerFailure,
    ProducerLostError,
    TransactionalProducer,
)
from kafka_nextgen.types import TopicPartition, format_partitions

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.arguments import Topics
    from kafka_nextgen.processing.stopping import StopHandle
    from kafka_nextgen.processing.transactions.consumers import ConsumerInTransactions
    from kafka_nextgen.processing.transactions.producer_source import ProducerSource
    from kafka_nextgen.processing.transactions.settings import TransactionSettings
    from kafka_nextgen.processing.transactions.transforming import Batch, Transformer

__all__ = ["TransactionRunner"]

logger = logger_of("kafka_nextgen.processing")

#: How long (seconds) the end of a run waits for the committed offsets of a transaction whose outcome is unknown.
LAST_LOOK_S = 5.0


class TransactionRunner(RebalanceListener):
    """One run of one consumer, and its rebalance listener."""

    def __init__(
        self,
        consumer: ConsumerInTransactions,
        producers: ProducerSource,
        transformer: Transformer,
        settings: TransactionSettings,
        handle: StopHandle,
    ) -> None:
        self._consumer = consumer
        self._producers = producers
        self._transformer = transformer
        self._settings = settings
        self._handle = handle
        self._backlog = Backlog()
        self._resume_at: float | None = None  # no record is handled before
        self._failures = 0  # of transactions in a row

    def run(self, topics: Topics | None) -> None:
        """Run until stopped. Without topics, use the manual assignment."""
        with ExitStack() as ending:
            ending.callback(self._producers.close)
            self._initialize()  # first: ends a transaction that a predecessor left open; fails early
            ending.callback(self._remove_listener, topics)
            ending.callback(self._rewind)
            if topics is not None:
                self._consumer.subscribe(topics, self)
            while not self._handle.is_stopped:
                self._poll()
                self._go_on()

    def _initialize(self) -> None:
        try:
            self._producers.current()
        except ProducerFailure as failure:
            raise TransactionError(f"the producer can't be initialized: {failure}") from failure.error

    def _go_on(self) -> None:
        if self._handle.is_stopped or (self._resume_at is not None and clocks.monotonic() < self._resume_at):
            return
        self._resume_at = None
        if self._backlog.uncertain and not self._go_back():
            return
        batch = self._transformer.transform(self._backlog, self._is_interrupted)
        self._resume_at = batch.retry_at
        if batch.records and not self._is_committed(batch):
            return
        if batch.error is not None:
            raise batch.error

    def _is_interrupted(self) -> bool:
        return self._handle.is_stopped or self._consumer._is_poll_awaited()  # noqa: SLF001  (internal to the library)

    # ---- polling

    def _poll(self) -> None:
        """Poll; pause all partitions if there are records left, or if it is too early to handle any."""
        if self._backlog.first is None and not self._backlog.uncertain and self._resume_at is None:
            records = self._consumer.poll(POLL_TIMEOUT_S, self._settings.max_records)
        else:
            with self._all_paused():
                records = self._consumer.poll(self._pause_s(), self._settings.max_records)
        self._backlog.add(records.raw())

    def _pause_s(self) -> float:
        return 0.0 if self._resume_at is None else min(POLL_TIMEOUT_S, clocks.seconds_until(self._resume_at))

    @contextmanager
    def _all_paused(self) -> Iterator[None]:
        chosen = self._consumer.assignment() - self._consumer.paused()
        with suppress(MisuseError):  # the assignment has just changed: this poll may return records, which can wait
            self._consumer.pause(chosen)
        try:
            yield
        finally:
            self._resume(chosen & self._consumer.assignment())

    def _resume(self, partitions: frozenset[TopicPartition]) -> None:
        try:
            self._consumer.resume(partitions)
        except MisuseError:  # one of them was just lost; the others must not stay paused
            for partition in partitions:
                with suppress(MisuseError):
                    self._consumer.resume([partition])

    # ---- transactions

    def _is_committed(self, batch: Batch) -> bool:
        """Write the results and commit the offsets; returns False if that has to be repeated."""
        try:
            self._backlog.note_sent()
            self._transact(self._producers.current(), batch)
        except ProducerFailure as failure:
            self._note_failed(self._abort(failure) or failure)
            return False
        except BaseException:
            self._abort(None)
            raise
        self._backlog.note_committed()
        self._failures = 0
        return True

    def _transact(self, producer: TransactionalProducer, batch: Batch) -> None:
        producer.begin()
        for record, output in batch.outputs:
            try:
                producer.produce(output)
            except ProducerFailure:
                raise
            except Exception:
                where = f"{record.topic_partition} offset {record.offset}"
                logger.exception("%s: its result for topic %s can't be written", where, output.topic)
                raise
        offsets = self._backlog.offsets(self._consumer._positions())  # noqa: SLF001
        producer.send_offsets(offsets, self._consumer.group_metadata())
        producer.commit()

    def _abort(self, failure: ProducerFailure | None) -> ProducerFailure | None:
        """Abort the transaction; if that fails, return the error: the next producer then aborts it."""
        try:
            if isinstance(failure, ProducerLostError):
                self._producers.discard()
                return failure
            return self._producers.abort()
        finally:
            self._backlog.note_aborted()

    def _note_failed(self, failure: ProducerFailure) -> None:
        partitions = format_partitions(self._backlog.uncertain)
        if isinstance(failure, OffsetsRefusedError):
            logger.info("%s: aborted, since the group has rebalanced: %s", partitions, failure)
            return
        if isinstance(failure, ProducerLostError) and not self._producers.can_renew:
            raise TransactionError(
                f"{partitions}: the producer is unusable: {failure}. If another process uses its transactional.id, "
                "give each process its own; to continue after such errors, pass a function that creates producers "
                "instead of a producer"
            ) from failure.error
        self._failures += 1
        self._resume_at = self._settings.pauses.next_attempt(self._failures, failure.error, clocks.monotonic())
        if self._resume_at is None:
            raise TransactionError(
                f"{partitions}: {self._failures} transactions in a row failed, the last one with {failure}"
            ) from failure.error
        logger.warning("%s: aborted: %s; trying again", partitions, failure)

    def _go_back(self) -> bool:
        """Read uncertain partitions again from the committed offsets; returns False if these are not known yet."""
        try:
            self._producers.current()
            committed = self._consumer.committed(list(self._backlog.uncertain))
        except ProducerFailure as failure:
            self._producers.discard()
            self._note_failed(failure)
            return False
        except (BrokerError, TransportError) as error:
            logger.warning("%s: no committed offsets yet: %s", format_partitions(self._backlog.uncertain), error)
            self._resume_at = clocks.monotonic() + self._settings.pauses.backoff_s
            return False
        for partition, start in self._backlog.uncertain.items():
            offset = committed.get(partition)
            with suppress(MisuseError):  # no longer assigned: the next owner starts at the committed offset
                self._consumer.seek(partition, start if offset is None else offset)
        self._backlog.uncertain.clear()
        return True

    # ---- rebalances

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """Forget unhandled records: no transaction is open, so all handled records are committed or aborted."""
        self._backlog.forget(partitions)

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """Forget the partitions: another member may already own them."""
        self._backlog.forget(partitions)

    # ---- ending

    def _rewind(self) -> None:
        """Let the next poll of the application start at the first record that is not committed."""
        starts = {**self._backlog.rest(), **self._last_known()}
        for partition, start in starts.items():
            with suppress(MisuseError):  # the consumer is closed, or the partition is no longer assigned
                self._consumer.seek(partition, start)

    def _last_known(self) -> dict[TopicPartition, int]:
        uncertain = dict(self._backlog.uncertain)
        if not uncertain:
            return {}
        try:
            committed = self._consumer.committed(list(uncertain), timeout=LAST_LOOK_S)
        except KafkaNextgenError as error:
            where = format_partitions(uncertain)
            logger.warning("%s: a transaction may have been committed, its outcome is unknown: %s", where, error)
            return uncertain
        known = {partition: offset.offset for partition, offset in committed.items() if offset is not None}
        return {**uncertain, **known}

    def _remove_listener(self, topics: Topics | None) -> None:
        if topics is not None:
            with suppress(KafkaNextgenError):  # the next call reports it
                self._consumer.subscribe(topics)

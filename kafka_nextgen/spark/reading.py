"""Read the ranges of a task concurrently to Arrow batches, with a consumer that belongs to no group.

- A range ends at its end offset, even if the last records before it were compacted or belong to an aborted transaction.
- Temporary errors are retried until no range has progressed for ``kafkaConsumer.pollTimeoutMs``.
- If the topic was deleted and created again since the range was planned, nothing is read from the new topic.
- If the log diverges from the records that were read (unclean election), the task fails, and its next attempt starts
  from scratch.
- If records that existed when the range was planned are gone, the task fails with ``failOnDataLoss``. Otherwise a
  warning says which records are skipped, and reading continues at the first remaining record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from attrs import evolve

from kafka_nextgen import clocks
from kafka_nextgen.consumer import Consumer
from kafka_nextgen.engine.application.records import RecordBatch
from kafka_nextgen.errors import LogTruncationError, OffsetOutOfRangeError, RequestTimeoutError, UnknownTopicError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.spark.kafka_options import KafkaOptions
from kafka_nextgen.spark.kept_consumers import kept_consumer
from kafka_nextgen.spark.losses import DataLoss, batch_losses, report_losses, vanished_losses
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets, PartitionRange, first_few
from kafka_nextgen.types import OffsetRange, TopicPartition

if TYPE_CHECKING:
    import pyarrow as pa

    from kafka_nextgen.spark.decoding.formats import Decoding

__all__ = ["ReadSettings", "read_ranges"]

#: How long (seconds) to wait for records before checking whether they still exist.
_POLL_S = 2.0


#: Advice about lost records in a batch query. Spark keeps the plan of a ``load()``.
_PLAN_AGAIN = (
    "A DataFrame is planned by its first action, and later actions read the same offsets: call load() again to read "
    "what is there now"
)


@frozen
class ReadSettings:
    """The settings of tasks: how to reach Kafka, the columns to read, the maximum number of rows in a batch, and the
    error policy.

    ``decoding`` says how keys and values are decoded, if they are.

    With ``is_planned_once`` the ranges may have been planned long ago, by an earlier action of a DataFrame.
    """

    kafka: KafkaOptions
    schema: pa.Schema
    rows_per_batch: int
    poll_timeout_s: float
    fail_on_data_loss: bool
    is_planned_once: bool = False
    decoding: Decoding | None = None

    def to_batch(self) -> Callable[[RecordBatch], pa.RecordBatch]:
        """Return the function that converts records to a batch with the columns to read."""
        if self.decoding is None:
            return partial(RecordBatch.to_arrow, schema=self.schema)
        from kafka_nextgen.spark.decoding.batches import BatchDecoder  # imported here, since most queries don't decode

        return BatchDecoder(self.schema, self.decoding).batch


def read_ranges(planned: Sequence[PartitionRange], settings: ReadSettings) -> Iterator[pa.RecordBatch]:
    """Read the records of ranges of different partitions, in batches with the columns of ``settings.schema``.

    Each batch has records of one partition, in order. Raises ``DataLossError`` for records that are gone,
    ``RequestTimeoutError`` if there was no progress for the poll timeout, and the errors of ``Consumer.poll``.
    """
    with kept_consumer(settings.kafka) as consumer:
        yield from _OpenRanges(planned, settings, consumer).batches()


class _OpenRanges:
    """The ranges that are not yet read to the end."""

    def __init__(self, planned: Sequence[PartitionRange], settings: ReadSettings, consumer: Consumer) -> None:
        self._settings = settings
        self._to_batch = settings.to_batch()
        self._consumer = consumer
        self._open = {one.topic_partition: one for one in planned}
        assert len(self._open) == len(planned), "a task has at most one range of each partition"
        self._at: PartitionOffsets = {tp: one.start for tp, one in self._open.items()}

    def batches(self) -> Iterator[pa.RecordBatch]:
        self._assign(self._at)
        progress_at = clocks.monotonic()
        while self._open:
            batches = self._poll()
            for batch in batches:
                yield self._to_batch(batch)
            if batches or self._has_progressed():
                progress_at = clocks.monotonic()
            self._check_time(clocks.monotonic() - progress_at)

    def _has_progressed(self) -> bool:
        """Whether reading progresses without records, because they were compacted or their transaction was aborted."""
        before, self._at = self._at, self._positions()
        return self._at != before

    def _positions(self) -> PartitionOffsets:
        return {tp: self._consumer.position(tp) for tp in self._open}

    def _poll(self) -> Sequence[RecordBatch]:
        try:
            records = self._consumer.poll(_POLL_S, self._settings.rows_per_batch)
        except UnknownTopicError as gone:
            self._drop_deleted(gone)
            return ()
        except LogTruncationError:
            raise  # records that were read are no longer in the log: Spark repeats the task
        except OffsetOutOfRangeError:
            self._skip_lost_records()
            return ()
        self._drop(self._consumer.finished())
        if not records and self._open:
            self._skip_lost_records()
        return records.batches()

    def _skip_lost_records(self) -> None:
        """Continue after records that the logs no longer have. Raises ``DataLossError`` with ``failOnDataLoss``."""
        self._drop(self._consumer.finished())  # some ranges may have ended in the poll that failed
        at, end = dict(self._positions()), {tp: one.end for tp, one in self._open.items()}
        try:
            cluster = ClusterOffsets(self._consumer.beginning_offsets(at).all(), self._consumer.end_offsets(at).all())
        except UnknownTopicError as gone:
            self._drop_deleted(gone)
            return
        except RequestTimeoutError:
            return  # no broker answers; _check_time limits the wait
        losses = batch_losses(at, end, cluster)
        self._report(losses)
        for tp in (loss.partition for loss in losses):
            at[tp] = max(at[tp], cluster.earliest[tp])
            self._open[tp] = evolve(self._open[tp], end=min(end[tp], cluster.latest[tp]))
        if losses:
            self._assign(at)

    def _drop_deleted(self, gone: UnknownTopicError) -> None:
        """Drop a range whose topic is gone. Raises ``DataLossError`` with ``failOnDataLoss``."""
        tp = gone.partition
        if tp not in self._open:
            raise gone
        self._report(vanished_losses({tp: self._open[tp].end}))
        self._drop([tp])
        self._assign(self._positions())

    def _report(self, losses: Sequence[DataLoss]) -> None:
        advice = _PLAN_AGAIN if self._settings.is_planned_once else ""
        report_losses(losses, fail_on_data_loss=self._settings.fail_on_data_loss, advice=advice)

    def _assign(self, at: PartitionOffsets) -> None:
        """Read the open ranges from these offsets on."""
        self._consumer.assign({tp: OffsetRange(at[tp], one.end, one.topic_id) for tp, one in self._open.items()})

    def _drop(self, finished: Iterable[TopicPartition]) -> None:
        for tp in finished:
            self._open.pop(tp, None)

    def _check_time(self, idle_s: float) -> None:
        if idle_s >= self._settings.poll_timeout_s:
            waiting = [f"{one}, where reading is at offset {self._at[tp]}" for tp, one in self._open.items()]
            raise RequestTimeoutError(
                f"no records arrived for {idle_s:.0f} s from {first_few(waiting, '; ')}; see the log of this task for "
                "the reason. kafkaConsumer.pollTimeoutMs sets how long to wait"
            )

"""What a task does: it reads its ranges to Arrow batches, all at once, with a consumer that belongs to no group.

- A range ends at its end offset, also if the last records before it were compacted away or are of a transaction.
- What passes is retried, until reading got no further in any range for ``kafkaConsumer.pollTimeoutMs``.
- A topic that was deleted and made again since the range was planned is another one: nothing of that is read.
- A log that parts from what was read of it (an unclean election) fails the task: its next attempt reads all anew.
- Records that were there when the range was planned and are gone now fail the task with ``failOnDataLoss``. Without it,
  a warning says what is skipped, and reading goes on at the first record that is left.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from kafka_nextgen.consumer import Consumer
from kafka_nextgen.engine.application.records import RecordBatch
from kafka_nextgen.errors import LogTruncationError, OffsetOutOfRangeError, RequestTimeoutError, UnknownTopicError
from kafka_nextgen.spark.java_config import JavaConfig
from kafka_nextgen.spark.kept_consumers import kept_consumer
from kafka_nextgen.spark.losses import batch_losses, report_losses, vanished_losses
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets, PartitionRange, first_few
from kafka_nextgen.types import OffsetRange, TopicPartition

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ReadSettings", "read_ranges"]

#: How long records are waited for before it is asked whether they are still there.
_POLL_S = 2.0


@frozen
class ReadSettings:
    """What tasks know of a query: how to reach Kafka, the columns to make, and rows in a batch at most."""

    kafka: JavaConfig
    schema: pa.Schema
    rows_per_batch: int
    poll_timeout_s: float
    fail_on_data_loss: bool


def read_ranges(planned: Sequence[PartitionRange], settings: ReadSettings) -> Iterator[pa.RecordBatch]:
    """Read the records of ranges of different partitions, in batches of the columns of ``settings.schema``.

    Each batch is of one partition, whose records come in their order. Raises ``DataLossError`` for records that are
    gone, ``RequestTimeoutError`` if reading got no further for the poll timeout, and what ``Consumer.poll`` raises.
    """
    with kept_consumer(settings.kafka) as consumer:
        yield from _RangesRead(planned, settings, consumer).batches()


class _RangesRead:
    """Ranges while they are read; those that are read to the end are dropped."""

    def __init__(self, planned: Sequence[PartitionRange], settings: ReadSettings, consumer: Consumer) -> None:
        self._settings = settings
        self._consumer = consumer
        self._left = {one.topic_partition: one for one in planned}
        assert len(self._left) == len(planned), "the ranges of a task are of different partitions"
        self._at: PartitionOffsets = {tp: one.start for tp, one in self._left.items()}

    def batches(self) -> Iterator[pa.RecordBatch]:
        self._assign(self._at)
        heard_at = time.monotonic()
        while self._left:
            batches = self._poll()
            for batch in batches:
                yield batch.to_arrow(self._settings.schema)
            if batches or self._is_further():
                heard_at = time.monotonic()
            self._check_time(time.monotonic() - heard_at)

    def _is_further(self) -> bool:
        """Whether reading goes on without records: they were compacted away, or their transaction was aborted."""
        before, self._at = self._at, self._positions()
        return self._at != before

    def _positions(self) -> PartitionOffsets:
        return {tp: self._consumer.position(tp) for tp in self._left}

    def _poll(self) -> Sequence[RecordBatch]:
        try:
            records = self._consumer.poll(_POLL_S, self._settings.rows_per_batch)
        except UnknownTopicError as gone:
            self._leave_out(gone)
            return ()
        except LogTruncationError:
            raise  # what was read is no longer in the log: Spark has the ranges read again
        except OffsetOutOfRangeError:
            self._leave_out_what_is_lost()
            return ()
        self._drop(self._consumer.finished())
        if not records and self._left:
            self._leave_out_what_is_lost()
        return records.batches()

    def _leave_out_what_is_lost(self) -> None:
        """Go on behind what logs no longer have, if anything is lost. Raises ``DataLossError`` if that may not be."""
        self._drop(self._consumer.finished())  # others may have ended by the poll that failed
        at, end = dict(self._positions()), {tp: one.end for tp, one in self._left.items()}
        try:
            cluster = ClusterOffsets(self._consumer.beginning_offsets(at), self._consumer.end_offsets(at))
        except UnknownTopicError as gone:
            self._leave_out(gone)
            return
        except RequestTimeoutError:
            return  # no broker answers; for how long reading may stand still is checked elsewhere
        losses = batch_losses(at, end, cluster)
        report_losses(losses, fail_on_data_loss=self._settings.fail_on_data_loss)
        for tp in (loss.partition for loss in losses):
            at[tp] = max(at[tp], cluster.earliest[tp])
            self._left[tp] = evolve(self._left[tp], end=min(end[tp], cluster.latest[tp]))
        if losses:
            self._assign(at)

    def _leave_out(self, gone: UnknownTopicError) -> None:
        """Drop a range whose topic is gone. Raises ``DataLossError`` if that may not be."""
        tp = gone.partition
        if tp not in self._left:
            raise gone
        report_losses(vanished_losses({tp: self._left[tp].end}), fail_on_data_loss=self._settings.fail_on_data_loss)
        self._drop([tp])
        self._assign(self._positions())

    def _assign(self, at: PartitionOffsets) -> None:
        """Read what is left, from these offsets on."""
        wanted = {tp: OffsetRange(at[tp], one.end, one.topic_id) for tp, one in self._left.items()}
        self._consumer.assign(wanted)

    def _drop(self, finished: Iterable[TopicPartition]) -> None:
        for tp in finished:
            self._left.pop(tp, None)

    def _check_time(self, silent_s: float) -> None:
        if silent_s >= self._settings.poll_timeout_s:
            waiting = [f"{one}, where reading is at offset {self._at[tp]}" for tp, one in self._left.items()]
            raise RequestTimeoutError(
                f"no records came for {silent_s:.0f} s of {first_few(waiting, '; ')}; the log of this task says what "
                "stands in the way. kafkaConsumer.pollTimeoutMs is how long to wait"
            )

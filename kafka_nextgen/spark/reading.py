"""What a task does: it reads one range to Arrow batches, with a consumer that belongs to no group.

- A range ends at its end offset, also if the last records before it were compacted away or are of a transaction.
- What passes is retried, until reading got no further for ``kafkaConsumer.pollTimeoutMs``.
- A topic that was deleted and made again since the range was planned is another one: nothing of that is read.
- A log that parts from what was read of it (an unclean election) fails the task: its next attempt reads all anew.
- Records that were there when the range was planned and are gone now fail the task with ``failOnDataLoss``. Without it,
  a warning says what is skipped, and reading goes on at the first record that is left.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from kafka_nextgen.consumer import Consumer
from kafka_nextgen.engine.application.record_batch import RecordBatch
from kafka_nextgen.errors import LogTruncationError, OffsetOutOfRangeError, RequestTimeoutError, UnknownTopicError
from kafka_nextgen.spark.java_config import JavaConfig
from kafka_nextgen.spark.kept_consumers import kept_consumer
from kafka_nextgen.spark.losses import batch_losses, vanished_losses
from kafka_nextgen.spark.reporting import report_losses
from kafka_nextgen.spark.values import ClusterOffsets, PartitionRange
from kafka_nextgen.types import OffsetRange

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ReadSettings", "read_range"]

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


def read_range(planned: PartitionRange, settings: ReadSettings) -> Iterator[pa.RecordBatch]:
    """Read the records of a range, in batches of the columns of ``settings.schema``.

    Raises ``DataLossError`` for records that are gone, ``RequestTimeoutError`` if reading got no further for the poll
    timeout, and what ``Consumer.poll`` raises.
    """
    with kept_consumer(settings.kafka) as consumer:
        yield from _RangeRead(planned, settings, consumer).batches()


class _RangeRead:
    """One range while it is read."""

    def __init__(self, planned: PartitionRange, settings: ReadSettings, consumer: Consumer) -> None:
        self._planned = planned
        self._settings = settings
        self._consumer = consumer
        self._partition = planned.topic_partition
        self._at = planned.start

    def batches(self) -> Iterator[pa.RecordBatch]:
        self._assign(self._planned.start, self._planned.end)
        heard_at = time.monotonic()
        while not self._consumer.finished():
            batches = self._poll()
            for batch in batches:
                yield batch.to_arrow(self._settings.schema)
            if batches or self._is_further():
                heard_at = time.monotonic()
            self._check_time(time.monotonic() - heard_at)

    def _is_further(self) -> bool:
        """Whether reading goes on without records: they were compacted away, or their transaction was aborted."""
        before, self._at = self._at, self._consumer.position(self._partition)
        return self._at != before

    def _poll(self) -> Sequence[RecordBatch]:
        try:
            records = self._consumer.poll(_POLL_S, self._settings.rows_per_batch)
        except UnknownTopicError:
            self._leave_out_the_rest()
            return ()
        except LogTruncationError:
            raise  # what was read is no longer in the log: Spark has the range read again
        except OffsetOutOfRangeError:
            self._leave_out_what_is_lost()
            return ()
        if not records and not self._consumer.finished():
            self._leave_out_what_is_lost()
        return records.batches()

    def _leave_out_what_is_lost(self) -> None:
        """Go on behind what the log no longer has, if anything is lost. Raises ``DataLossError`` if that may not be."""
        tp, end = self._partition, self._planned.end
        at = self._consumer.position(tp)
        try:
            cluster = ClusterOffsets(self._consumer.beginning_offsets([tp]), self._consumer.end_offsets([tp]))
        except UnknownTopicError:
            self._leave_out_the_rest()
            return
        losses = batch_losses({tp: at}, {tp: end}, cluster)
        report_losses(losses, fail_on_data_loss=self._settings.fail_on_data_loss)
        if losses:
            self._assign(max(at, cluster.earliest[tp]), min(end, cluster.latest[tp]))

    def _leave_out_the_rest(self) -> None:
        """End the range, for its topic is gone. Raises ``DataLossError`` if that may not be."""
        end = self._planned.end
        report_losses(vanished_losses({self._partition: end}), fail_on_data_loss=self._settings.fail_on_data_loss)
        self._assign(end, end)

    def _assign(self, start: int, end: int) -> None:
        self._consumer.assign({self._partition: OffsetRange(start, end, self._planned.topic_id)})

    def _check_time(self, silent_s: float) -> None:
        if silent_s >= self._settings.poll_timeout_s:
            raise RequestTimeoutError(
                f"no records of {self._planned} came for {silent_s:.0f} s, reading is at offset {self._at}; the log of "
                "this task says what stands in the way. kafkaConsumer.pollTimeoutMs is how long to wait"
            )

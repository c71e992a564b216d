"""Batches to keep, and logs to keep them in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.storage.partition_directory import PartitionDirectory
from kafka_nextgen.testing.broker.storage.segments import NEVER, SegmentedBatches
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import BatchView, NewRecord, RecordLimits, decode_partition, encode_batch, read_batches

ORDERS = TopicPartition("orders", 0)
ORDERS_ID = UUID(int=7)


def batch(*values: str, producer_id: int = -1, sequence: int = -1) -> BatchView:
    """A batch with a record for each value."""
    records = [NewRecord(value.encode(), timestamp=1_000 + number) for number, value in enumerate(values)]
    epoch = 0 if producer_id >= 0 else -1
    data = encode_batch(records, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence)
    return read_batches(data)[0]


def log_on(data_dir: Path, segment_bytes: int = 2**30, flush_interval: int = NEVER) -> PartitionLog:
    """The log of ``orders[0]`` as a broker that starts finds it."""
    directory = PartitionDirectory(data_dir, ORDERS, ORDERS_ID)
    log = PartitionLog(ORDERS, batches=SegmentedBatches(directory, lambda: segment_bytes, flush_interval))
    for _ in log.recover():
        pass
    return log


@contextmanager
def scratch() -> Iterator[Path]:
    """A directory for one example of a property: ``tmp_path`` is one for all of them."""
    with TemporaryDirectory() as name:
        yield Path(name)


def segment_names(data_dir: Path) -> list[str]:
    """The segment files of ``orders[0]``."""
    return sorted(path.name for path in (data_dir / "orders-0").glob("*.log"))


def values_in(log: PartitionLog) -> list[str]:
    """All values that can be read, from the log's start on."""
    data = log.read(log.start_offset, 2**30, at_least_one=True)
    columns = decode_partition(data, ORDERS, log.start_offset, RecordLimits())
    return [bytes(value).decode() for value in columns.values if value is not None]

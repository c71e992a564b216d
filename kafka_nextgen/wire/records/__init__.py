"""Record batches of format 2 (KIP-98), which a partition's log, a Produce request and a Fetch response consist of.

All records are read by ``decode_partition``, as columns, whether or not there is a compiled decoder. A broker never
reads the records of a batch: it reads headers (``read_batches``) and overwrites the offset (``rebase``). Formats 0 and
1 are refused, because Kafka 4.0 no longer serves them to new clients (KIP-724, KIP-896).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.lazy_imports import lazy_getattr
from kafka_nextgen.wire.records.accelerated import let_go_of_memory, unfilled
from kafka_nextgen.wire.records.batch_header import BatchHeader, find_end, has_codec, read_header
from kafka_nextgen.wire.records.column_slice import ColumnSlice
from kafka_nextgen.wire.records.columns import BinaryColumn, Columns, HeaderColumn, Headers
from kafka_nextgen.wire.records.compression import Compression
from kafka_nextgen.wire.records.decode import RecordLimits, decode_partition
from kafka_nextgen.wire.records.transactions import (
    Committed,
    EndMarker,
    encode_end_marker,
    leave_out_aborted,
    read_end_marker,
)

if TYPE_CHECKING:
    from kafka_nextgen.wire.records.batches import BatchView, read_batches, rebase, split_batches
    from kafka_nextgen.wire.records.encode import NewRecord, encode_batch

__all__ = [
    "BatchHeader",
    "BatchView",
    "BinaryColumn",
    "ColumnSlice",
    "Columns",
    "Committed",
    "Compression",
    "EndMarker",
    "HeaderColumn",
    "Headers",
    "NewRecord",
    "RecordLimits",
    "decode_partition",
    "encode_batch",
    "encode_end_marker",
    "find_end",
    "has_codec",
    "leave_out_aborted",
    "let_go_of_memory",
    "read_batches",
    "read_end_marker",
    "read_header",
    "rebase",
    "split_batches",
    "unfilled",
]

#: Names that only brokers and producers need.
_LATER = {
    "BatchView": "kafka_nextgen.wire.records.batches",
    "NewRecord": "kafka_nextgen.wire.records.encode",
    "encode_batch": "kafka_nextgen.wire.records.encode",
    "read_batches": "kafka_nextgen.wire.records.batches",
    "rebase": "kafka_nextgen.wire.records.batches",
    "split_batches": "kafka_nextgen.wire.records.batches",
}

__getattr__ = lazy_getattr(__name__, _LATER)

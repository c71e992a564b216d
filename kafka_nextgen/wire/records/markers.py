"""The markers that end a transaction in a partition (KIP-98, "Control Messages").

A marker is a control batch of one record. Its key says what it is (version 0; type 0 aborts, 1 commits), its value
which coordinator wrote it (version 0; the coordinator's epoch). Records of other types may come with later releases,
and end nothing.
"""

from __future__ import annotations

import struct

from attrs import frozen

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.wire.records.batch_header import HEADER, BatchHeader
from kafka_nextgen.wire.records.batch_records import append_records
from kafka_nextgen.wire.records.gathering import Gathering

__all__ = ["EndMarker", "encode_end_marker", "read_end_marker"]

_KEY = struct.Struct(">hh")
_VALUE = struct.Struct(">hi")
_ABORT, _COMMIT = 0, 1


@frozen
class EndMarker:
    """The end of a producer's transaction, and the epoch of the coordinator that wrote it."""

    is_commit: bool
    coordinator_epoch: int


def encode_end_marker(marker: EndMarker, producer_id: int, producer_epoch: int, timestamp: int) -> bytes:
    """Write a marker as a batch; ``timestamp`` is in milliseconds since the epoch."""
    from kafka_nextgen.wire.records.encode import NewRecord, encode_batch  # only a broker writes markers

    record = NewRecord(
        key=_KEY.pack(0, _COMMIT if marker.is_commit else _ABORT),
        value=_VALUE.pack(0, marker.coordinator_epoch),
        timestamp=timestamp,
    )
    return encode_batch(
        [record], producer_id=producer_id, producer_epoch=producer_epoch, transactional=True, control=True
    )


def read_end_marker(header: BatchHeader, batch: bytes | memoryview) -> EndMarker | None:
    """Read the marker in a control batch; None if it is none that ends a transaction.

    Raises ``CorruptRecordError`` if the record is no control record.
    """
    assert header.is_control
    gathered = Gathering(header.base_offset)
    append_records(gathered, header, bytes(batch[HEADER.size :]))
    if not gathered:
        return None  # compaction took the marker out
    key, value = gathered.keys.finish()[0], gathered.values.finish()[0]
    if key is None or len(key) < _KEY.size:
        raise CorruptRecordError("a control record has no type")
    _, kind = _KEY.unpack_from(key)
    if kind not in (_ABORT, _COMMIT):
        return None
    if value is None or len(value) < _VALUE.size:
        raise CorruptRecordError("the marker of a transaction has no coordinator's epoch")
    return EndMarker(kind == _COMMIT, _VALUE.unpack_from(value)[1])

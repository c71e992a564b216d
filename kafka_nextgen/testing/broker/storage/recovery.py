"""Recovery: which segments of a partition are valid after a restart, and where the log is truncated.

The segments are read in order, batch by batch. A batch is valid if its length lies within the file, its format is 2,
its CRC-32C and header are correct, and it begins at the offset at which the previous batch ended. (Compaction keeps the
offset range of each batch, so it leaves no holes.)

The log ends at the first invalid batch: the file is truncated there, and the files after it are deleted, newest first,
so that an interrupted recovery is repeated. The same happens at a segment that begins after the end of the previous
one. A segment that begins before that end is left over from an interrupted compaction, whose result covers its
offsets; it is deleted without loss.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.testing.broker.storage.files import doing, flush
from kafka_nextgen.testing.broker.storage.partition_directory import PartitionDirectory
from kafka_nextgen.wire.records.batch_header import LENGTH_END, check_header, read_header, verify_crc
from kafka_nextgen.wire.records.batches import BatchView

__all__ = ["SegmentScan", "cut_off", "good_segments"]

_log = logger_of(__name__)


class SegmentScan:
    """One pass over a segment file, which is named after its first offset.

    Afterwards ``good`` of ``size`` bytes are valid batches, and ``fault`` describes the first invalid one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.base_offset = self.next_offset = int(path.stem)
        self.good = 0
        self.size = 0
        self.fault: str | None = None

    def __iter__(self) -> Iterator[BatchView]:
        with doing("read", self.path), self.path.open("rb") as file:
            self.size = os.fstat(file.fileno()).st_size
            while self.good < self.size:
                try:
                    batch = _next_batch(file, self.size - self.good, self.next_offset)
                except CorruptRecordError as error:
                    self.fault = str(error)
                    return
                self.good += batch.header.size
                self.next_offset = batch.header.next_offset
                yield batch


def _next_batch(file: BinaryIO, left: int, offset: int) -> BatchView:
    prefix = file.read(LENGTH_END)
    length = int.from_bytes(prefix[8:], "big", signed=True)
    data = memoryview(prefix + file.read(max(0, min(length, left - LENGTH_END))))
    header = read_header(data, 0)
    if header is None:
        raise CorruptRecordError(f"the batch is longer than the {left} bytes that are left")
    verify_crc(header, data)
    check_header(header)
    if header.base_offset != offset:
        raise CorruptRecordError(f"the batch begins at offset {header.base_offset} instead of {offset}")
    return BatchView(header, data)


def good_segments(directory: PartitionDirectory) -> Iterator[SegmentScan]:
    """Yield the valid segments and truncate the rest; the caller iterates each segment before it takes the next."""
    files = directory.segment_files()
    end_offset: int | None = None
    for index, path in enumerate(files):
        scan = SegmentScan(path)
        if end_offset is not None and scan.base_offset < end_offset:
            _log.info("%s was compacted into the previous segment and is deleted", path)
            with doing("delete", path):
                path.unlink()
        elif end_offset is not None and scan.base_offset > end_offset:
            cut_off(files[index:], f"offsets {end_offset} to {scan.base_offset} are missing")
            return
        else:
            yield scan
            end_offset = scan.next_offset
            if scan.fault is not None:
                cut_off(files[index + 1 :], f"the log is truncated at offset {end_offset}")
                _truncate(scan)
                return


def cut_off(files: Sequence[Path], reason: str) -> None:
    """Delete segments, the last one first, and log the reason."""
    for path in reversed(files):
        with doing("delete", path):
            _log.warning("%s: deleting all %d bytes: %s", path, path.stat().st_size, reason)
            path.unlink()


def _truncate(scan: SegmentScan) -> None:
    _log.warning(
        "%s: truncating %d bytes from byte %d on: %s; the log ends at offset %d",
        scan.path,
        scan.size - scan.good,
        scan.good,
        scan.fault,
        scan.next_offset,
    )
    with doing("truncate", scan.path):
        os.truncate(scan.path, scan.good)
    flush(scan.path)

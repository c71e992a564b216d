"""Which segments of a partition count after a restart, and where the log is cut.

The segments are read from the first on, batch by batch. A batch is right if its length lies within the file, its format
is 2, its CRC-32C and header are, and it begins at the offset at which the one before ended. Compaction leaves the
offsets of what it removed within a batch, so a log without holes stays one.

The first bad batch ends the log: its file is cut there, and the files after it are deleted, newest first, so that a
crash in the middle of this leaves it to be done again. So it is with a segment that does not begin where the one before
it ended: nothing behind a hole is kept. A segment that begins before that is what a crash left of a compaction, whose
result has all of its offsets; it is deleted, and nothing is lost.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from kafka_nextgen.broker.storage.files import doing, flush
from kafka_nextgen.broker.storage.partition_directory import PartitionDirectory
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.wire.records.batch_header import LENGTH_END, check_header, read_header, verify_crc
from kafka_nextgen.wire.records.batches import BatchView

__all__ = ["SegmentScan", "cut_off", "good_segments"]

_log = logger_of(__name__)


class SegmentScan:
    """One pass over a file, which is named after its first offset.

    After it, ``good`` bytes of ``size`` are batches and ``fault`` says what came then.
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
        raise CorruptRecordError(f"the batch ends after the {left} bytes that are left")
    verify_crc(header, data)
    check_header(header)
    if header.base_offset != offset:
        raise CorruptRecordError(f"the batch begins at offset {header.base_offset}, and {offset} is next")
    return BatchView(header, data)


def good_segments(directory: PartitionDirectory) -> Iterator[SegmentScan]:
    """Give the segments that count, each to be gone through before the next one is asked for, and cut what follows."""
    files = directory.segment_files()
    end_offset: int | None = None
    for index, path in enumerate(files):
        scan = SegmentScan(path)
        if end_offset is not None and scan.base_offset < end_offset:
            _log.info("%s is part of the segment before it, since the log was compacted, and is deleted", path)
            with doing("delete", path):
                path.unlink()
        elif end_offset is not None and scan.base_offset > end_offset:
            cut_off(files[index:], f"there is nothing between offsets {end_offset} and {scan.base_offset}")
            return
        else:
            yield scan
            end_offset = scan.next_offset
            if scan.fault is not None:
                cut_off(files[index + 1 :], f"what is before it was cut at offset {end_offset}")
                _cut(scan)
                return


def cut_off(files: Sequence[Path], reason: str) -> None:
    """Delete segments, the last one first, and say why."""
    for path in reversed(files):
        with doing("delete", path):
            _log.warning("%s: all its %d bytes are cut off: %s", path, path.stat().st_size, reason)
            path.unlink()


def _cut(scan: SegmentScan) -> None:
    _log.warning(
        "%s: %d bytes from byte %d on are no batch and are cut off: %s; the log ends at offset %d",
        scan.path,
        scan.size - scan.good,
        scan.good,
        scan.fault,
        scan.next_offset,
    )
    with doing("cut", scan.path):
        os.truncate(scan.path, scan.good)
    flush(scan.path)

"""Which segments of a partition count after a restart, and where the log is cut.

The segments are read from the first on. The first bad batch ends the log: its file is cut there, and the files after
it are deleted, newest first, so that a crash in the middle of this leaves it to be done again. So it is with a segment
that does not begin where the one before it ended: nothing behind a hole is kept. A segment that begins before that is
what a crash left of a compaction, whose result has all of its offsets; it is deleted, and nothing is lost.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from kafka_nextgen.broker.storage.files import doing, flush
from kafka_nextgen.broker.storage.partition_directory import PartitionDirectory
from kafka_nextgen.broker.storage.scan import SegmentScan
from kafka_nextgen.logs import logger_of

__all__ = ["cut_off", "good_segments"]

_log = logger_of(__name__)


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

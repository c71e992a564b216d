"""The store of a partition's batches in segment files, each named after its first offset as in Kafka.

A batch is appended to the last file, the active segment, or to a new one if that would exceed ``segment.bytes``. Only
whole segments are deleted. If the log begins in the middle of a segment (DeleteRecords) or is empty, a small file
next to the segments gives the log start offset.

Compaction writes one segment that replaces all those before a position, atomically, and then deletes them. For reading
after a restart see ``recovery``.

Reading takes one ``pread`` for each segment. Recent data is in the system's page cache; this process keeps only where
batches begin.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path

from kafka_nextgen.errors import StorageError
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.logs import logger_of
from kafka_nextgen.testing.broker.storage.files import doing, flush, replace, write_at
from kafka_nextgen.testing.broker.storage.memory_batches import MemoryBatches
from kafka_nextgen.testing.broker.storage.partition_directory import SUFFIX, PartitionDirectory
from kafka_nextgen.testing.broker.storage.recovery import cut_off, good_segments
from kafka_nextgen.wire.records import BatchView

__all__ = ["NEVER", "BatchStore", "SegmentedBatches"]

#: No flushing: Kafka's default of ``log.flush.interval.messages``.
NEVER = 2**63 - 1

_log = logger_of(__name__)


@define
class _Segment:
    path: Path
    base_offset: int
    start: int  # the position of its first byte
    size: int = 0

    @property
    def end(self) -> int:
        return self.start + self.size


class SegmentedBatches:
    """Batches in a partition's directory, which is created with the first batch.

    ``segment_bytes`` is called before each batch; every ``flush_interval`` records the file is flushed to the disk.
    """

    def __init__(
        self, directory: PartitionDirectory, segment_bytes: Callable[[], int], flush_interval: int = NEVER
    ) -> None:
        self._directory = directory
        self._segment_bytes = segment_bytes
        self._flush_interval = flush_interval
        self._unflushed = 0  # records
        self._segments: list[_Segment] = []
        self._end = 0
        self._start_offset = 0

    @property
    def start_offset(self) -> int:
        """The log start offset: that of the first segment, or the one written next to the segments."""
        first = self._segments[0].base_offset if self._segments else 0
        return max(first, self._start_offset)

    def recover(self) -> Iterator[BatchView]:
        """Yield the batches up to the first invalid one, and truncate the log there."""
        self._start_offset = self._directory.read_start_offset()
        end_offset = self._start_offset
        for scan in good_segments(self._directory):
            yield from scan
            self._segments.append(_Segment(scan.path, scan.base_offset, self._end, scan.good))
            self._end += scan.good
            end_offset = scan.next_offset
        if end_offset < self._start_offset:
            reason = f"the log begins at offset {self._start_offset}, but the segments end at {end_offset}"
            cut_off([segment.path for segment in self._segments], reason)
            self._segments.clear()

    def append(self, data: bytes, base_offset: int, end_offset: int) -> None:
        """Append a batch to the active segment or to a new one."""
        segment = self._segment_for(len(data), base_offset)
        unflushed = self._unflushed + end_offset - base_offset
        is_due, is_new = unflushed >= self._flush_interval, segment.size == 0
        write_at(segment.path, data, segment.size, is_new=is_new, sync=is_due)
        if is_due and is_new:
            flush(segment.path.parent)
        segment.size += len(data)
        self._end += len(data)
        self._unflushed = 0 if is_due else unflushed

    def read(self, start: int, end: int) -> bytes:
        """The bytes between two positions at which batches begin."""
        first = bisect_right(self._segments, start, key=attrgetter("start")) - 1
        pieces = []
        for segment in self._segments[max(first, 0) :]:
            if segment.start >= end:
                break
            pieces.append(_read(segment, max(start, segment.start), min(end, segment.end)))
        return b"".join(pieces)

    def boundary(self, position: int) -> int:
        """The beginning of the segment that holds a position."""
        index = bisect_right(self._segments, position, key=attrgetter("start"))
        return self._segments[index - 1].start if index else position

    def drop(self, position: int, start_offset: int) -> None:
        """Delete the segments that end before a position, after writing the new log start offset if it needs a file.

        A file that can't be deleted is ignored until the next start. The files after it are then left too, since a log
        with a hole would be truncated there.
        """
        is_all = position >= self._end
        kept = len(self._segments) if is_all else bisect_right(self._segments, position, key=attrgetter("start")) - 1
        if is_all or self._segments[kept].base_offset != start_offset:
            self._directory.write_start_offset(start_offset)
            self._start_offset = start_offset
        all(_delete(segment.path) for segment in self._segments[:kept])
        del self._segments[:kept]
        if is_all:
            self._unflushed = 0

    def rewrite(self, position: int, batches: Sequence[bytes], base_offset: int) -> None:
        """Write one segment with these batches, atomically, then delete the segments it replaces."""
        data = b"".join(batches)
        path = self._path_of(base_offset)
        replace(path, data)
        count = bisect_left(self._segments, position, key=attrgetter("start"))
        for segment in self._segments[:count]:
            if segment.path != path:
                _delete(segment.path)
        self._segments[:count] = [_Segment(path, base_offset, position - len(data), len(data))]

    def close(self) -> None:
        """Flush unflushed batches."""
        written = [segment for segment in self._segments if segment.size]
        if self._unflushed and written:
            flush(written[-1].path)
            flush(self._directory.path)
        self._unflushed = 0

    def delete(self) -> None:
        """Delete the directory and its content; files that can't be deleted now are deleted at the next start."""
        try:
            self._directory.delete()
        except StorageError as error:
            _log.warning("%s", error)
        self._segments.clear()
        self._unflushed = 0

    def _segment_for(self, size: int, base_offset: int) -> _Segment:
        active = self._segments[-1] if self._segments else None
        if active is not None and (active.size == 0 or active.size + size <= self._segment_bytes()):
            return active
        if active is None:
            self._directory.make()
        elif self._unflushed and self._flush_interval < NEVER:
            flush(active.path)
            self._unflushed = 0
        segment = _Segment(self._path_of(base_offset), base_offset, self._end)
        self._segments.append(segment)
        return segment

    def _path_of(self, base_offset: int) -> Path:
        return self._directory.path / f"{base_offset:020}{SUFFIX}"


#: The store of one partition's batches.
BatchStore = MemoryBatches | SegmentedBatches


def _delete(path: Path) -> bool:
    try:
        path.unlink()
    except OSError as error:
        _log.warning("can't delete %s: %s", path, error.strerror)
        return False
    return True


def _read(segment: _Segment, start: int, end: int) -> bytes:
    with doing("read", segment.path):
        fd = os.open(segment.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            data = os.pread(fd, end - start, start - segment.start)
        finally:
            os.close(fd)
    if len(data) != end - start:
        raise StorageError(f"{segment.path} was truncated externally: only {len(data)} of {end - start} bytes exist")
    return data

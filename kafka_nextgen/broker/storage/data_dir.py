"""The two places where a broker can keep things: nowhere but in memory, and in a directory.

One process at a time has a directory, by a lock that ends with the process.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import define, field

from kafka_nextgen.broker.storage.catalogue import Catalogue
from kafka_nextgen.broker.storage.files import doing
from kafka_nextgen.broker.storage.journal import Journal
from kafka_nextgen.broker.storage.memory_batches import MemoryBatches
from kafka_nextgen.broker.storage.partition_directory import PartitionDirectory, partition_directories
from kafka_nextgen.broker.storage.segments import NEVER, BatchStore, SegmentedBatches
from kafka_nextgen.errors import StorageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.types import TopicId, TopicPartition

if sys.platform != "win32":
    from fcntl import LOCK_EX, LOCK_NB, flock

__all__ = ["DataDir", "Storage"]

_log = logger_of(__name__)

_CATALOGUE = "catalogue.log"
_BEFORE_CATALOGUE = (".lock", f"{_CATALOGUE}.new", "lost+found")


class _DirectoryLock:
    """Held from ``take`` to ``release``; the system releases it when the process ends, however it ends."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / ".lock"
        self._fd: int | None = None

    def take(self) -> None:
        """Take the lock; raises ``StorageError`` if another process has it, and names that."""
        assert self._fd is None
        if sys.platform == "win32":
            raise StorageError("data_dir needs a POSIX system: leave it out here, and the broker is in memory")
        with doing("lock", self._path):
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                self._claim(fd)
            except BaseException:
                os.close(fd)
                raise
        self._fd = fd

    def release(self) -> None:
        """Let others have the directory."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _claim(self, fd: int) -> None:
        try:
            flock(fd, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            holder = os.pread(fd, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise StorageError(
                f"{self._path.parent} is in use by another broker (process {holder}): stop that one first, or give "
                "this one a directory of its own"
            ) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, b"%d\n" % os.getpid(), 0)


@define(eq=False)
class Storage:
    """What a broker keeps, and where: in memory, so that nothing outlives the process."""

    catalogue: Catalogue = field(factory=Catalogue)
    location: str = "memory"  # for people to read

    def open(self) -> None:
        """Read what is kept. Raises ``StorageError``."""

    def batches_of(self, partition: TopicPartition, topic_id: TopicId, segment_bytes: Callable[[], int]) -> BatchStore:
        """Where the batches of a partition are."""
        return MemoryBatches(segment_bytes)

    def tidy(self, partitions: Mapping[TopicPartition, TopicId]) -> None:
        """Delete what belongs to none of these partitions."""

    def close(self) -> None:
        """Let others have it."""


class DataDir(Storage):
    """A directory that is made if it is not there; ``flush_interval`` is ``log.flush.interval.messages``."""

    def __init__(self, path: Path, flush_interval: int = NEVER) -> None:
        super().__init__(location=str(path))
        self.path = path
        self._flush_interval = flush_interval
        self._lock = _DirectoryLock(path)

    def open(self) -> None:
        """Lock the directory and read its catalogue, or begin one if the directory is empty.

        Raises ``StorageError`` if the directory is not ours, in use by another process, of another version, damaged,
        or can't be read and written.
        """
        with doing("make", self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        journal = Journal(self.path / _CATALOGUE)
        if not journal.path.exists():
            self._check_empty()
        self._lock.take()
        try:
            self.catalogue.open(journal)
        except BaseException:
            self._lock.release()
            raise

    def batches_of(self, partition: TopicPartition, topic_id: TopicId, segment_bytes: Callable[[], int]) -> BatchStore:
        """Batches are in the partition's directory."""
        directory = PartitionDirectory(self.path, partition, topic_id)
        return SegmentedBatches(directory, segment_bytes, self._flush_interval)

    def tidy(self, partitions: Mapping[TopicPartition, TopicId]) -> None:
        """Delete the directories of partitions that are not, or no longer, in the catalogue."""
        for partition, path in partition_directories(self.path).items():
            topic_id = partitions.get(partition)
            if topic_id is None or not PartitionDirectory(self.path, partition, topic_id).is_ours():
                _log.info("%s belongs to no topic that there is, and is deleted", path)
                with doing("delete", path):
                    shutil.rmtree(path)

    def close(self) -> None:
        """Let another process have the directory."""
        self._lock.release()

    def _check_empty(self) -> None:
        with doing("read", self.path):
            foreign = sorted(path.name for path in self.path.iterdir() if path.name not in _BEFORE_CATALOGUE)
        if foreign:
            raise StorageError(
                f"{self.path} is no data directory of this broker: it has no {_CATALOGUE}, but {foreign[0]} (a Kafka's "
                "own log.dirs can't be used); give an empty directory"
            )

"""The two kinds of storage of a broker: in memory, and in a directory.

A lock that ends with the process ensures that only one process uses a directory.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import field

from kafka_nextgen.errors import StorageError
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.logs import logger_of
from kafka_nextgen.testing.broker.storage.catalogue import Catalogue
from kafka_nextgen.testing.broker.storage.files import doing
from kafka_nextgen.testing.broker.storage.journal import Journal
from kafka_nextgen.testing.broker.storage.memory_batches import MemoryBatches
from kafka_nextgen.testing.broker.storage.partition_directory import PartitionDirectory, partition_directories
from kafka_nextgen.testing.broker.storage.segments import NEVER, BatchStore, SegmentedBatches
from kafka_nextgen.types import TopicId, TopicPartition

if sys.platform != "win32":
    from fcntl import LOCK_EX, LOCK_NB, flock

__all__ = ["DataDir", "Storage"]

_log = logger_of(__name__)

_CATALOGUE = "catalogue.log"
_BEFORE_CATALOGUE = (".lock", f"{_CATALOGUE}.new", "lost+found")


class _DirectoryLock:
    """Held from ``take`` to ``release``; the system releases it when the process ends for any reason."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / ".lock"
        self._fd: int | None = None

    def take(self) -> None:
        """Take the lock. Raises ``StorageError`` that names the process that holds it."""
        assert self._fd is None
        if sys.platform == "win32":
            raise StorageError("data_dir needs a POSIX system: leave it out to keep everything in memory")
        with doing("lock", self._path):
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                self._claim(fd)
            except BaseException:
                os.close(fd)
                raise
        self._fd = fd

    def release(self) -> None:
        """Release the lock, if it is held."""
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
                "this one another directory"
            ) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, b"%d\n" % os.getpid(), 0)


@define(eq=False)
class Storage:
    """Storage in memory: all data is lost when the process ends."""

    catalogue: Catalogue = field(factory=Catalogue)
    location: str = "memory"  # for messages

    def open(self) -> None:
        """Read the stored state. Raises ``StorageError``."""

    def batches_of(self, partition: TopicPartition, topic_id: TopicId, segment_bytes: Callable[[], int]) -> BatchStore:
        """The store for the batches of a partition."""
        return MemoryBatches(segment_bytes)

    def tidy(self, partitions: Mapping[TopicPartition, TopicId]) -> None:
        """Delete the data of all other partitions."""

    def close(self) -> None:
        """Release the storage."""


class DataDir(Storage):
    """Storage in a directory, which ``open`` creates; ``flush_interval`` is ``log.flush.interval.messages``."""

    def __init__(self, path: Path, flush_interval: int = NEVER) -> None:
        super().__init__(location=str(path))
        self.path = path
        self._flush_interval = flush_interval
        self._lock = _DirectoryLock(path)

    def open(self) -> None:
        """Lock the directory and read its catalogue, or create one if the directory is empty.

        Raises ``StorageError`` if the directory was not written by this broker, is in use by another process, has
        another version, is damaged, or can't be read and written.
        """
        with doing("create", self.path):
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
        """The store in the partition's directory."""
        directory = PartitionDirectory(self.path, partition, topic_id)
        return SegmentedBatches(directory, segment_bytes, self._flush_interval)

    def tidy(self, partitions: Mapping[TopicPartition, TopicId]) -> None:
        """Delete the directories of all other partitions."""
        for partition, path in partition_directories(self.path).items():
            topic_id = partitions.get(partition)
            if topic_id is None or not PartitionDirectory(self.path, partition, topic_id).is_ours():
                _log.info("%s belongs to no existing topic and is deleted", path)
                with doing("delete", path):
                    shutil.rmtree(path)

    def close(self) -> None:
        """Release the lock on the directory."""
        self._lock.release()

    def _check_empty(self) -> None:
        with doing("read", self.path):
            foreign = sorted(path.name for path in self.path.iterdir() if path.name not in _BEFORE_CATALOGUE)
        if foreign:
            raise StorageError(
                f"{self.path} is not a data directory of this broker: it has no {_CATALOGUE}, but {foreign[0]} (the "
                "log.dirs of Apache Kafka can't be used); give an empty directory"
            )

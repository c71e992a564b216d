"""The two places where a broker can keep things: nowhere but in memory, and in a directory."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from attrs import define, field

from kafka_nextgen.broker.storage.batch_store import BatchStore, MemoryBatches
from kafka_nextgen.broker.storage.catalogue import Catalogue
from kafka_nextgen.broker.storage.files import doing
from kafka_nextgen.broker.storage.journal import Journal
from kafka_nextgen.broker.storage.lock import DirectoryLock
from kafka_nextgen.broker.storage.partition_directory import PartitionDirectory, partition_directories
from kafka_nextgen.broker.storage.segments import NEVER, SegmentedBatches
from kafka_nextgen.errors import StorageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["DataDir", "InMemory", "Storage"]

_log = logger_of(__name__)

_CATALOGUE = "catalogue.log"
_BEFORE_CATALOGUE = (".lock", f"{_CATALOGUE}.new", "lost+found")


class Storage(Protocol):
    """What a broker keeps, and where."""

    catalogue: Catalogue

    @property
    def location(self) -> str:
        """Where that is, for people to read."""

    def open(self) -> None:
        """Read what is kept. Raises ``StorageError``."""

    def batches_of(self, partition: TopicPartition, topic_id: TopicId, segment_bytes: Callable[[], int]) -> BatchStore:
        """Where the batches of a partition are."""

    def tidy(self, partitions: Mapping[TopicPartition, TopicId]) -> None:
        """Delete what belongs to none of these partitions."""

    def close(self) -> None:
        """Let others have it."""


@define
class InMemory:
    """Nothing outlives the process."""

    catalogue: Catalogue = field(factory=Catalogue)
    location: str = "memory"

    def open(self) -> None:
        """There is nothing to read."""

    def batches_of(self, partition: TopicPartition, topic_id: TopicId, segment_bytes: Callable[[], int]) -> BatchStore:
        """Batches are in memory."""
        return MemoryBatches(segment_bytes)

    def tidy(self, partitions: Mapping[TopicPartition, TopicId]) -> None:
        """There is nothing to delete."""

    def close(self) -> None:
        """There is nothing to let go."""


class DataDir:
    """A directory that is made if it is not there; ``flush_interval`` is ``log.flush.interval.messages``."""

    def __init__(self, path: Path, flush_interval: int = NEVER) -> None:
        self.path = path
        self.catalogue = Catalogue()
        self.location = str(path)
        self._flush_interval = flush_interval
        self._lock = DirectoryLock(path)

    def open(self) -> None:
        """Lock the directory and read its catalogue, or begin one if the directory is empty.

        Raises ``StorageError`` if the directory is not ours, in use by another process, of another version, damaged,
        or can't be read and written.
        """
        with doing("make", self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        journal = Journal(self.path / _CATALOGUE)
        if not journal.exists():
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

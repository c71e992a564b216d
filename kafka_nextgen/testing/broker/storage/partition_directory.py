"""The directory of one partition: its topic id, its segment files, and its log start offset.

It is created with the first batch, so a topic that was never written to is only a line of the catalogue. The topic id
in ``partition.metadata``, a file in Kafka's own format, identifies files that a deleted topic with the same name left
behind.
"""

from __future__ import annotations

import re
import shutil
from base64 import urlsafe_b64encode
from pathlib import Path

from kafka_nextgen.errors import StorageError
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.testing.broker.storage.files import doing, flush, replace, write_at
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["SUFFIX", "PartitionDirectory", "partition_directories"]

SUFFIX = ".log"

_METADATA = "partition.metadata"
_START_OFFSET = "log-start-offset"
_SEGMENT_NAME = lazy_pattern(rf"\d{{20}}{re.escape(SUFFIX)}")
_NAME = lazy_pattern(r"(.+)-(\d+)")
_OURS = lazy_pattern(rf"{_METADATA}|({_START_OFFSET}|\d{{20}}{re.escape(SUFFIX)})(\.new)?")


class PartitionDirectory:
    """``<topic>-<partition>`` in the data directory ``parent``."""

    def __init__(self, parent: Path, partition: TopicPartition, topic_id: TopicId) -> None:
        self.path = parent / f"{partition.topic}-{partition.partition}"
        self._metadata = f"version: 0\ntopic_id: {_as_kafka_writes(topic_id)}".encode()

    def make(self) -> None:
        """Create the directory if it is missing. Raises ``StorageError`` if it belongs to another topic."""
        if self.is_ours():
            return
        with doing("create", self.path):
            self.path.mkdir()
        write_at(self.path / _METADATA, self._metadata, 0, is_new=True, sync=True)
        flush(self.path)
        flush(self.path.parent)

    def is_ours(self) -> bool:
        """Whether the directory exists and belongs to the topic."""
        with doing("read", self.path / _METADATA):
            try:
                return (self.path / _METADATA).read_bytes() == self._metadata
            except FileNotFoundError:
                return False

    def segment_files(self) -> list[Path]:
        """The segment files, ordered by offset."""
        if not self.is_ours():
            return []
        with doing("read", self.path):
            return sorted(path for path in self.path.iterdir() if _SEGMENT_NAME.fullmatch(path.name))

    def read_start_offset(self) -> int:
        """The log start offset that was written last, 0 if none was."""
        path = self.path / _START_OFFSET
        with doing("read", path):
            try:
                return int(path.read_bytes())
            except FileNotFoundError:
                return 0
            except ValueError as error:
                raise StorageError(f"{path} is damaged: it should hold an offset") from error

    def write_start_offset(self, offset: int) -> None:
        """Write the log start offset."""
        replace(self.path / _START_OFFSET, b"%d\n" % offset)

    def delete(self) -> None:
        """Delete the directory and its content, if it exists."""
        with doing("delete", self.path):
            if self.path.exists():
                shutil.rmtree(self.path)


def partition_directories(parent: Path) -> dict[TopicPartition, Path]:
    """The directories that have the name of a partition and contain only files that a partition may have."""
    with doing("read", parent):
        named = {path: _NAME.fullmatch(path.name) for path in sorted(parent.iterdir()) if path.is_dir()}
        return {
            TopicPartition(name[1], int(name[2])): path
            for path, name in named.items()
            if name is not None and all(_OURS.fullmatch(inside.name) for inside in path.iterdir())
        }


def _as_kafka_writes(topic_id: TopicId) -> str:
    return urlsafe_b64encode(topic_id.bytes).rstrip(b"=").decode("ascii")

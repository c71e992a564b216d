"""A call's result for each partition, and the errors of partitions that could not be queried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.types import TopicPartition

__all__ = ["PartitionResults"]

V = TypeVar("V")


class PartitionResults(dict[TopicPartition, V]):
    """Results by partition. A partition without a leader does not fail the whole call.

    ``failed`` contains the errors of partitions that are not among the keys; ``results[partition]`` raises such an
    error.
    """

    def __init__(
        self,
        found: Mapping[TopicPartition, V] | None = None,
        failed: Mapping[TopicPartition, KafkaNextgenError] | None = None,
    ) -> None:
        super().__init__(found or {})
        self.failed: Mapping[TopicPartition, KafkaNextgenError] = dict(failed or {})

    def __missing__(self, partition: TopicPartition) -> V:
        """Raise the error of ``partition``, or KeyError if the partition was not requested."""
        if partition in self.failed:
            raise self.failed[partition]
        raise KeyError(partition)

    def all(self) -> dict[TopicPartition, V]:
        """Return the results of all partitions. Raises the first error, if any."""
        for error in self.failed.values():
            raise error
        return self

"""The errors of the Spark data source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kafka_nextgen.errors import ConfigError, KafkaNextgenError
from kafka_nextgen.types import TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.spark.losses import DataLoss

__all__ = [
    "AvailableNowError",
    "CommittedOffsetError",
    "DataLossError",
    "OffsetLimitError",
    "OffsetsFormatError",
    "PartitionsMismatchError",
    "PlanningError",
    "ReadOnlySourceError",
    "SchemaError",
    "StartBeyondEndError",
    "TimestampNotFoundError",
]


class OffsetsFormatError(ConfigError):
    """The JSON of offsets, timestamps or partitions is malformed; ``key`` is the option, None for a checkpoint."""


class OffsetLimitError(ConfigError):
    """A batch can't start or end at the offset in an option; ``key`` is the option."""


class SchemaError(ConfigError):
    """The schema of a query has an unknown column, or a column with another type."""


class ReadOnlySourceError(ConfigError):
    """A query tries to write, but the source can only read."""


class PlanningError(KafkaNextgenError):
    """No ranges can be planned because of these ``partitions``."""

    def __init__(self, message: str, partitions: Iterable[TopicPartition] = ()) -> None:
        super().__init__(message)
        self.partitions = tuple(partitions)


class PartitionsMismatchError(PlanningError):
    """An option has offsets or timestamps for partitions other than those that the query reads."""


class TimestampNotFoundError(PlanningError):
    """A partition has no record at or after the starting timestamp; the strategy for that is ``error``."""


class CommittedOffsetError(PlanningError):
    """The group has no committed offset for a partition; ``groupFallback`` is ``error``."""


class StartBeyondEndError(PlanningError):
    """A partition's starting offset or timestamp is greater than its end."""


class AvailableNowError(PlanningError):
    """Partitions or offsets changed during an AvailableNow run; the built-in source fails the query too."""


class DataLossError(PlanningError):
    """Records are gone and ``failOnDataLoss`` is true; ``losses`` says what happened to each partition."""

    def __init__(self, message: str, losses: Iterable[DataLoss] = ()) -> None:
        self.losses = tuple(losses)
        super().__init__(message, (loss.partition for loss in self.losses))

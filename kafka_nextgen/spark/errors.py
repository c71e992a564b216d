"""What the Spark data source refuses or gives up on.

KafkaNextgenError
  ConfigError
    OffsetsFormatError        the text of offsets, timestamps or partitions is malformed
    OffsetLimitError          a start or an end that a batch can't have
    SchemaError               columns that there are not
  PlanningError               no ranges can be planned
    PartitionsMismatchError   offsets name other partitions than are read
    TimestampNotFoundError    no record has the timestamp of an option or a later one
    CommittedOffsetError      the group has no committed offset for a partition
    StartBeyondEndError       a range would end before it begins
    AvailableNowError         the partitions changed during an AvailableNow run
    DataLossError             records are gone, and failOnDataLoss is true
"""

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
    "SchemaError",
    "StartBeyondEndError",
    "TimestampNotFoundError",
]


class OffsetsFormatError(ConfigError):
    """The JSON of offsets, timestamps or partitions is malformed; ``key`` is the option, None for a checkpoint."""


class OffsetLimitError(ConfigError):
    """A batch can't start or end where an option says; ``key`` is the option."""


class SchemaError(ConfigError):
    """The schema of a query has a column that there is not, or in another type."""


class PlanningError(KafkaNextgenError):
    """No ranges can be planned; ``partitions`` are those it is about."""

    def __init__(self, message: str, partitions: Iterable[TopicPartition] = ()) -> None:
        super().__init__(message)
        self.partitions = tuple(partitions)


class PartitionsMismatchError(PlanningError):
    """An option names offsets or timestamps of other partitions than the query reads."""


class TimestampNotFoundError(PlanningError):
    """A partition has no record at or after the starting timestamp, and the strategy for that case is ``error``."""


class CommittedOffsetError(PlanningError):
    """The group has no committed offset for a partition, and ``groupFallback`` is ``error``."""


class StartBeyondEndError(PlanningError):
    """A partition's starting offset or timestamp is greater than its end."""


class AvailableNowError(PlanningError):
    """Partitions or offsets changed during an AvailableNow run; the built-in source fails the query too."""


class DataLossError(PlanningError):
    """Records are gone from Kafka and ``failOnDataLoss`` is true; ``losses`` says what happened to each partition."""

    def __init__(self, message: str, losses: Iterable[DataLoss] = ()) -> None:
        self.losses = tuple(losses)
        super().__init__(message, (loss.partition for loss in self.losses))

"""A partition as a fetch requests it, and the result of reading it."""

from __future__ import annotations

from attrs import field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.open_transactions import AbortedTransaction
from kafka_nextgen.types import TopicId

__all__ = ["Asked", "Diverging", "Key", "Reading"]

_MISSING = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.TOPIC_AUTHORIZATION_FAILED)

#: A partition by its topic's id or, before version 13, its name.
Key = tuple[TopicId | str, int]


@frozen
class Asked:
    """A fetch of one partition. An epoch of -1 is unknown."""

    topic: TopicId | str
    index: int
    offset: int
    max_bytes: int
    leader_epoch: int = -1
    last_fetched_epoch: int = -1

    @property
    def key(self) -> Key:
        """Identifies the partition."""
        return self.topic, self.index


@frozen
class Diverging:
    """Where the reader's log and this one diverge: the last epoch they share, and its end here (KIP-595)."""

    epoch: int
    end_offset: int


@frozen
class Reading:
    """The result of reading one partition; ``aborted`` is None if uncommitted records are read too."""

    asked: Asked
    error: ErrorCode = ErrorCode.NONE
    high_watermark: int = -1
    last_stable_offset: int = -1
    log_start_offset: int = -1
    records: bytes = field(default=b"", repr=False)
    aborted: tuple[AbortedTransaction, ...] | None = None
    preferred_replica: int = -1
    diverging: Diverging | None = None
    leader: int = -1  # only with NOT_LEADER_OR_FOLLOWER and FENCED_LEADER_EPOCH
    leader_epoch: int = -1

    @property
    def is_missing(self) -> bool:
        """Whether the partition does not exist for the reader; this does not end the wait for other partitions."""
        return self.error in _MISSING

    @property
    def is_due(self) -> bool:
        """Whether the reader must be answered immediately, even without records."""
        has_failed = self.error is not ErrorCode.NONE and not self.is_missing
        return has_failed or self.preferred_replica >= 0 or self.diverging is not None

"""The configuration of fetching."""

from __future__ import annotations

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.offset_reset import OffsetReset, Reset

__all__ = ["SHORT_WAIT_MS", "FetchSettings"]

#: The short wait: how long a broker may wait for records when a full long poll would delay others.
SHORT_WAIT_MS = 50


@frozen
class FetchSettings:
    """Limits in bytes and pauses in seconds; the comments name the configuration keys."""

    reset: Reset = OffsetReset.LATEST  # auto.offset.reset
    strict: bool = False  # offset.reset.strict: reset only if there is no offset at all
    read_committed: bool = False  # isolation.level
    buffer_bytes: int = 64 * 1024 * 1024  # fetch.buffer.bytes
    max_bytes: int = 50 * 1024 * 1024  # fetch.max.bytes
    partition_max_bytes: int = 1024 * 1024  # max.partition.fetch.bytes
    max_wait_ms: int = 500  # fetch.max.wait.ms
    replica_lease_s: float = 300.0  # metadata.max.age.ms: how long a preferred replica is read
    retry_backoff_s: float = 0.1  # retry.backoff.ms
    retry_backoff_max_s: float = 1.0  # retry.backoff.max.ms
    stores_offsets: bool = False  # not enable.auto.offset.store: only stored offsets count as processed
    new_partitions: Reset | None = None  # auto.offset.reset.new.partitions; None means auto.offset.reset

    def backoff_s(self, failures: int) -> float:
        """The pause after this many consecutive failures; it doubles with each, up to the maximum."""
        return min(self.retry_backoff_s * 2.0 ** min(failures, 30), self.retry_backoff_max_s)

    def reset_of(self, is_new: bool) -> Reset:
        """The reset for a partition without a commit; ``is_new`` if other partitions of its topic have one."""
        return self.new_partitions if is_new and self.new_partitions is not None else self.reset

    @property
    def counts_skipped(self) -> bool:
        """Whether new partitions start at their end by default, so that skipped offsets must be logged."""
        return self.new_partitions is None and self.reset is OffsetReset.LATEST

    @property
    def treats_new_apart(self) -> bool:
        """Whether new partitions have a separate reset."""
        return self.counts_skipped or self.reset_of(is_new=True) != self.reset

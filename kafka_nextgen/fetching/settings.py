"""The configuration of fetching."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.properties.offset_reset import OffsetReset, Reset

__all__ = ["SHORT_WAIT_MS", "FetchSettings"]

#: How long a broker may wait for records that others must not wait for as long.
SHORT_WAIT_MS = 50


@frozen
class FetchSettings:
    """Limits in bytes and pauses in seconds, with the configuration key each comes from."""

    reset: Reset = OffsetReset.LATEST  # auto.offset.reset
    strict: bool = False  # offset.reset.strict: reset only where there is no offset at all
    read_committed: bool = False  # isolation.level
    buffer_bytes: int = 64 * 1024 * 1024  # fetch.buffer.bytes
    max_bytes: int = 50 * 1024 * 1024  # fetch.max.bytes
    partition_max_bytes: int = 1024 * 1024  # max.partition.fetch.bytes
    max_wait_ms: int = 500  # fetch.max.wait.ms
    replica_lease_s: float = 300.0  # metadata.max.age.ms: how long a preferred replica is read
    retry_backoff_s: float = 0.1  # retry.backoff.ms
    retry_backoff_max_s: float = 1.0  # retry.backoff.max.ms
    new_partitions: Reset | None = None  # auto.offset.reset.new.partitions; None stands for auto.offset.reset

    def backoff_s(self, failures: int) -> float:
        """The pause before trying again after so many failures in a row, doubling up to its maximum."""
        return min(self.retry_backoff_s * 2.0 ** min(failures, 30), self.retry_backoff_max_s)

    def reset_of(self, is_new: bool) -> Reset:
        """Where a partition without a committed offset begins; ``is_new`` if the group has committed others of its
        topic.
        """
        return self.new_partitions if is_new and self.new_partitions is not None else self.reset

    @property
    def counts_skipped(self) -> bool:
        """Whether new partitions begin at their end by default, so that the log has to say what is skipped."""
        return self.new_partitions is None and self.reset is OffsetReset.LATEST

    @property
    def treats_new_apart(self) -> bool:
        """Whether it makes a difference that a partition is new."""
        return self.counts_skipped or self.reset_of(is_new=True) != self.reset

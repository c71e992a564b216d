"""The settings of ``run``: its checked arguments, values from the consumer's configuration, and two policies."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from kafka_nextgen.errors import ConfigError, DeserializationError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.processing.arguments import Order

if TYPE_CHECKING:
    from kafka_nextgen.config import ConsumerConfig
    from kafka_nextgen.types import TopicPartition

__all__ = ["ProcessingSettings", "RetryPolicy", "Throttle", "poll_timeout_s"]

#: How long (seconds) a poll waits for records; a stop or a commit is delayed by at most this long.
POLL_TIMEOUT_S = 0.1
#: The same while partitions are paused: shorter, so that they are resumed before the workers run out of records.
THROTTLED_POLL_TIMEOUT_S = 0.01
#: The default timeout of ``close``, in seconds.
CLOSE_TIMEOUT_S = 30.0
#: The fractions of the revocation time reserved for the commit, and for the heartbeat after it.
COMMIT_PART, HEARTBEAT_PART = 0.1, 0.1


@frozen
class RetryPolicy:
    """Retries a failed record after a pause, which doubles with every failure, or gives it up.

    There are ``attempts`` attempts in total, with pauses from ``backoff_s`` up to ``backoff_max_s`` seconds. A record
    that can't be deserialized is given up immediately, because another attempt would see the same bytes.
    """

    attempts: int
    backoff_s: float
    backoff_max_s: float

    def next_attempt(self, failures: int, error: BaseException, now: float) -> float | None:
        """Return when to retry (seconds, monotonic) after this many failures; None if the record is given up."""
        if failures >= self.attempts or isinstance(error, DeserializationError):
            return None
        return now + min(self.backoff_max_s, self.backoff_s * 2.0 ** min(failures - 1, 64))


@frozen
class Throttle:
    """Limits the number of buffered records by pausing partitions, so that polling never stops.

    ``limit`` is the limit for all partitions together. A partition's share is half of ``limit``, divided by the number
    of partitions: the partition is paused when it has a full share, and resumed when half a share is left. A poll
    returns at most one share. If there are more partitions than workers, it may return more, but it leaves room for as
    many slow partitions as there are workers: slow partitions can starve others only while all workers are busy. At the
    limit all partitions are paused; a partition assigned at that moment can add one record.

    With very many partitions, a share would be only one or two records, and polling would cost more than it gains. So a
    share is at least ``min_share`` records, and the limit grows with the number of partitions.
    """

    limit: int
    concurrency: int
    min_share: int = 8

    def max_records(self, windows: Mapping[TopicPartition, int]) -> int:
        """Return the maximum number of records for the next poll; ``windows`` has every assigned partition."""
        limit = self._limit(windows)
        most = max(self._share(windows), limit // (2 * self.concurrency))
        return max(1, min(most, limit - sum(windows.values())))

    def to_pause(
        self, windows: Mapping[TopicPartition, int], paused: Collection[TopicPartition]
    ) -> frozenset[TopicPartition]:
        """Return the partitions that should be paused, given those that are paused now."""
        if sum(windows.values()) >= self._limit(windows):
            return frozenset(windows)
        share = self._share(windows)
        return frozenset(
            partition
            for partition, window in windows.items()
            if window > (share // 2 if partition in paused else share - 1)
        )

    def _limit(self, windows: Mapping[TopicPartition, int]) -> int:
        return max(self.limit, 2 * self.min_share * len(windows))

    def _share(self, windows: Mapping[TopicPartition, int]) -> int:
        return self._limit(windows) // (2 * max(1, len(windows)))


@frozen
class ProcessingSettings:
    """The settings of one ``run``; times in seconds."""

    order: Order
    concurrency: int
    retries: RetryPolicy
    throttle: Throttle
    drain_timeout_s: float  # at the end of the run
    revocation_timeout_s: float  # on revocation: at most the time that the coordinator allows, less a margin
    commit_interval_s: float
    commit_timeout_s: float  # for the last commit, on revocation and at the end of the run

    @property
    def stop_timeout_s(self) -> float:
        """The longest time a stop can take: the drain, a commit in progress, the last commit, and then closing."""
        return self.drain_timeout_s + 2 * self.commit_timeout_s + CLOSE_TIMEOUT_S

    @classmethod
    def of(
        cls, config: ConsumerConfig, concurrency: int, order: Order | str, attempts: int, drain_timeout_s: float
    ) -> ProcessingSettings:
        """Check the arguments of ``run``; raises ValueError for these, ConfigError for an unsuitable configuration."""
        if config.enable_auto_commit:
            raise ConfigError(
                "run() commits finished records; enable.auto.commit=true would also commit unfinished ones: "
                "set enable.auto.commit=false",
                "enable.auto.commit",
            )
        for name, value in (("concurrency", concurrency), ("attempts", attempts)):
            if value < 1:
                raise ValueError(f"{name}={value} must be at least 1")
        if drain_timeout_s < 0:
            raise ValueError(f"drain_timeout_s={drain_timeout_s} must not be negative")
        granted_s = min(config.rebalance_timeout_ms, config.max_poll_interval_ms) / 1000
        return cls(
            order=Order(order),
            concurrency=concurrency,
            retries=RetryPolicy(attempts, config.retry_backoff_ms / 1000, config.retry_backoff_max_ms / 1000),
            throttle=Throttle(max(config.max_poll_records, 4 * concurrency), concurrency),
            drain_timeout_s=drain_timeout_s,
            revocation_timeout_s=min(drain_timeout_s, granted_s * (1 - COMMIT_PART - HEARTBEAT_PART)),
            commit_interval_s=config.auto_commit_interval_ms / 1000,
            commit_timeout_s=min(config.default_api_timeout_ms / 1000, granted_s * COMMIT_PART),
        )


def poll_timeout_s(is_throttled: bool) -> float:
    """Return how long a poll may wait for records."""
    return THROTTLED_POLL_TIMEOUT_S if is_throttled else POLL_TIMEOUT_S

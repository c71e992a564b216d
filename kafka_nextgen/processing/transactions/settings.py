"""The settings of ``run_in_transactions``: its checked arguments, and values from the consumer's configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.processing.settings import RetryPolicy
from kafka_nextgen.properties.value_types import IsolationLevel

if TYPE_CHECKING:
    from kafka_nextgen.config import ConsumerConfig

__all__ = ["MAX_TIME_S", "TransactionSettings"]

#: The default time (seconds) for handling the records of one transaction.
MAX_TIME_S = 1.0
#: The share of the time between two polls that handlers may take; the rest is for the transaction itself.
HANDLING_PART = 0.5


@frozen
class TransactionSettings:
    """The settings of one run; times in seconds."""

    max_records: int
    max_time_s: float
    retries: RetryPolicy  # of a record
    pauses: RetryPolicy  # between transactions that fail in a row

    @classmethod
    def of(
        cls, config: ConsumerConfig, max_records: int | None, max_time_s: float, attempts: int
    ) -> TransactionSettings:
        """Check the arguments; raises ValueError for these, ConfigError for an unsuitable configuration."""
        if config.enable_auto_commit:
            raise ConfigError(
                "run_in_transactions() commits offsets in its transactions; enable.auto.commit=true would also commit "
                "those of aborted ones: set enable.auto.commit=false",
                "enable.auto.commit",
            )
        if config.isolation_level is not IsolationLevel.READ_COMMITTED:
            raise ConfigError(
                "run_in_transactions() would also transform records of transactions that were aborted: set "
                "isolation.level=read_committed",
                "isolation.level",
            )
        most = config.max_poll_records if max_records is None else max_records
        for name, value in (("max_records", most), ("attempts", attempts)):
            if value < 1:
                raise ValueError(f"{name}={value} must be at least 1")
        if max_time_s < 0:
            raise ValueError(f"max_time_s={max_time_s} must not be negative")
        granted_s = min(config.rebalance_timeout_ms, config.max_poll_interval_ms) / 1000
        backoff_s, backoff_max_s = config.retry_backoff_ms / 1000, config.retry_backoff_max_ms / 1000
        return cls(
            max_records=most,
            max_time_s=min(max_time_s, granted_s * HANDLING_PART),
            retries=RetryPolicy(attempts, backoff_s, backoff_max_s),
            pauses=RetryPolicy(MOST_FAILURES, backoff_s, backoff_max_s),
        )


#: So many transactions that fail in a row, for reasons other than a rebalance, end the run.
MOST_FAILURES = 10

"""The interface that ``run_in_transactions`` needs; ``Consumer`` implements it."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import Future
from typing import TYPE_CHECKING, Protocol

from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.processing.consumers import BaseConsumerToRun

if TYPE_CHECKING:
    from kafka_nextgen.group_metadata import ConsumerGroupMetadata
    from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["ConsumerInTransactions"]


class ConsumerInTransactions(BaseConsumerToRun[None, Records, Future[None]], Protocol):
    """The methods are documented in ``Consumer``."""

    def _is_poll_awaited(self) -> bool:
        """Whether a rebalance is waiting for the next poll."""

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""

    def committed(
        self, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """Return the group's committed offsets; waits for the end of transactions that may change them."""

    def group_metadata(self) -> ConsumerGroupMetadata:
        """Identify the member whose records are being handled."""

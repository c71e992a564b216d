"""What an application brings to hear of rebalances, and what it may do with the consumer meanwhile.

The methods run where the application polls: inside ``poll``, iteration or ``close``, never on the I/O thread, so
they may take their time while heartbeats go on. They get exactly what changed, in a stable order.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from kafka_nextgen.types import TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.engine.rebalance_view import AsyncRebalanceConsumer, RebalanceConsumer

__all__ = ["AsyncRebalanceListener", "RebalanceListener"]


class RebalanceListener:
    """Hears of rebalances; override what is of interest. For ``Consumer``.

    ``consumer`` is a view that works only while the method runs. An exception raised here reaches the caller of
    ``poll``, and the member does not acknowledge the assignment.
    """

    def on_partitions_assigned(
        self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> Awaitable[None] | None:
        """``partitions`` were added; none of their records is handed out before this returns. May be empty."""
        return None

    def on_partitions_revoked(
        self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> Awaitable[None] | None:
        """``partitions`` are about to go; they are still this member's, so their offsets can be committed."""
        return None

    def on_partitions_lost(
        self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> Awaitable[None] | None:
        """``partitions`` are gone already, perhaps to somebody else; nothing can be committed for them."""
        return None


class AsyncRebalanceListener:
    """The same for ``AsyncConsumer``, with methods that are awaited."""

    async def on_partitions_assigned(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        """``partitions`` were added; none of their records is handed out before this returns. May be empty."""

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        """``partitions`` are about to go; they are still this member's, so their offsets can be committed."""

    async def on_partitions_lost(self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """``partitions`` are gone already, perhaps to somebody else; nothing can be committed for them."""

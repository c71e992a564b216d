"""Rebalance listeners that keep what they hear, and may be told what else to do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from attrs import define, field

from kafka_nextgen import (
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
)

#: What a callback does after it was noted: it gets the view of the consumer and the partitions.
Action = Callable[[Any, Sequence[TopicPartition]], Any]


@define
class Heard(RebalanceListener):
    """``events`` has each callback that began, with the partitions' numbers; ``actions`` go by the same names."""

    actions: Mapping[str, Action] = field(factory=dict)
    events: list[tuple[str, set[int]]] = field(factory=list)

    def moves(self) -> list[tuple[str, set[int]]]:
        """Return the callbacks in which something moved: that nothing was added is worth a callback too."""
        return [event for event in self.events if event[1]]

    def held(self) -> set[int]:
        """Return what the callbacks add up to, which a consumer's assignment may be ahead of."""
        held: set[int] = set()
        for what, partitions in self.events:
            held = held | partitions if what == "assigned" else held - partitions
        return held

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._note("assigned", consumer, partitions)

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._note("revoked", consumer, partitions)

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._note("lost", consumer, partitions)

    def on_standby(self, consumer: RebalanceConsumer, partitions: Collection[TopicPartition]) -> None:
        self._note("standby", consumer, list(partitions))

    def _note(self, what: str, consumer: object, partitions: Sequence[TopicPartition]) -> Any:
        self.events.append((what, {tp.partition for tp in partitions}))
        return self.actions[what](consumer, partitions) if what in self.actions else None


class HeardAsync(AsyncRebalanceListener):
    """The same for coroutines, which are awaited; ``heard`` has what was heard."""

    def __init__(self, actions: Mapping[str, Action] | None = None) -> None:
        self.heard = Heard(actions or {})

    async def _note(self, what: str, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        done = self.heard._note(what, consumer, partitions)
        if done is not None:
            await done

    async def on_partitions_assigned(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await self._note("assigned", consumer, partitions)

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await self._note("revoked", consumer, partitions)

    async def on_partitions_lost(self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        await self._note("lost", consumer, partitions)

"""A rebalance listener that keeps what it hears, and may be told what else to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import define, field

from kafka_nextgen import RebalanceConsumer, RebalanceListener, TopicPartition

__all__ = ["Action", "Heard"]

#: What a callback does after it was noted: it gets the view of the consumer and the partitions.
Action = Callable[[RebalanceConsumer, Sequence[TopicPartition]], None]


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

    def _note(self, what: str, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.events.append((what, {tp.partition for tp in partitions}))
        if what in self.actions:
            self.actions[what](consumer, partitions)

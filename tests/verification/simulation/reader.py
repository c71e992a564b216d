"""Where a client is in the partitions that it has."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from kafka_nextgen.membership import effects as fx
from kafka_nextgen.types import TopicId, TopicPartition


@define(eq=False)
class Reader:
    """What a client has, and how far it has read."""

    applied: frozenset[TopicPartition] = field(default=frozenset(), init=False)
    had_since: dict[TopicPartition, float] = field(factory=dict, init=False)  # by its clock
    topic_ids: dict[str, TopicId] = field(factory=dict, init=False)
    replaced: set[TopicPartition] = field(factory=set, init=False)  # whose topic took the place of another one
    stopped: set[TopicPartition] = field(factory=set, init=False)
    unreleased: set[TopicPartition] = field(factory=set, init=False)  # on_partitions_assigned has not returned
    positions: dict[TopicPartition, int] = field(factory=dict, init=False)
    consumed: dict[TopicPartition, int] = field(factory=dict, init=False)  # was handed out before the latest poll
    found: dict[TopicPartition, int] = field(factory=dict, init=False)  # where reading began
    seeks: dict[TopicPartition, int] = field(factory=dict, init=False)  # how often it began, or the application sought

    @property
    def flowing(self) -> list[TopicPartition]:
        """What records may be handed out of, in order."""
        held_back = self.stopped | self.unreleased
        return [tp for tp in sorted(self.applied) if tp in self.positions and tp not in held_back]

    def to_look_up(self) -> frozenset[TopicPartition]:
        return frozenset(self.applied - self.positions.keys())

    def meaning(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, object]:
        """What an offset of each means: another topic may have taken a name, and reading may have begun elsewhere."""
        return {tp: (self.topic_ids.get(tp.topic), self.seeks.get(tp)) for tp in partitions}

    def take_over(self, effect: fx.ApplyAssignment, now: float) -> None:
        """Have these partitions, at this time by the client's clock."""
        gone = (self.applied - effect.partitions) | effect.added
        for known in (self.positions, self.consumed, self.found):
            for partition in gone:
                known.pop(partition, None)
        self.applied, self.topic_ids = effect.partitions, dict(effect.topic_ids)
        self.had_since.update(dict.fromkeys(effect.added, now))
        self.stopped.clear()
        self.unreleased = (self.unreleased & effect.partitions) | effect.added

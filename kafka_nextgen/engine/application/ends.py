"""The ends of partitions as events: each is reported once, when everything before it has been handed over."""

from __future__ import annotations

from kafka_nextgen.engine.application.core import ConsumerCore
from kafka_nextgen.types import TopicPartition

__all__ = ["ReachedEnds"]


class ReachedEnds:
    """Compares the ends that are reached now with those of the last call."""

    def __init__(self, core: ConsumerCore) -> None:
        self._core = core
        self._reported: dict[TopicPartition, int] = {}

    def new(self) -> dict[TopicPartition, int]:
        """The ends that were not reached at the last call, by partition."""
        given_out = self._core.cursor.given_out()
        progress = self._core.fetches.look(lambda state: state.progress(given_out)).partitions
        reached = {tp: at.log_end for tp, at in progress.items() if at.log_end is not None and at.lag == 0}
        before, self._reported = self._reported, reached
        return {tp: end for tp, end in reached.items() if before.get(tp) != end}

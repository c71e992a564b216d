"""The ends of partitions as events: each is reported once, when everything before it has been handed over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.core import ConsumerCore
    from kafka_nextgen.fetching import FetchState
    from kafka_nextgen.types import TopicPartition
    from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["ReachedEnds"]


class ReachedEnds:
    """Compares the ends that are reached now with the ends of the last call.

    A partition that was assigned again or repositioned in between has reached its end again.
    """

    def __init__(self, core: ConsumerCore) -> None:
        self._core = core
        self._reported: dict[TopicPartition, tuple[int, int]] = {}  # the end, and when the partition started

    def new(self) -> dict[TopicPartition, int]:
        """The ends that were not reached at the last call, by partition."""
        given_out = self._core.cursor.given_out()
        before = self._reported
        self._reported = self._core.fetches.look(lambda state: _reached(state, given_out))
        return {tp: reached[0] for tp, reached in self._reported.items() if before.get(tp) != reached}


def _reached(state: FetchState, given_out: Sequence[ColumnSlice]) -> dict[TopicPartition, tuple[int, int]]:
    return {
        tp: (at.log_end, state.by_partition[tp].started)
        for tp, at in state.progress(given_out).partitions.items()
        if at.log_end is not None and at.lag == 0
    }

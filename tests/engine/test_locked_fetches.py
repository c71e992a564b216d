"""Handing over makes room, and who asks for records is told of it."""

from __future__ import annotations

from typing import cast

import pytest

from kafka_nextgen import TopicPartition
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.fetching import FetchState
from kafka_nextgen.wire.records import Columns, ColumnSlice

PART = ColumnSlice(Columns(TopicPartition("orders", 0), 0), 0, 0)


class State:
    """Counts as done whatever is handed over; a signal handler interrupts the third."""

    def __init__(self, waits_for_room: bool) -> None:
        self.waits_for_room = waits_for_room
        self.runs_done = 0
        self.planning = self.handover = self

    def pass_turn(self, partition: TopicPartition) -> None:
        self.runs_done += 1

    def hand_over(self, part: ColumnSlice) -> None:
        self.runs_done += 1
        if self.runs_done == 3:
            raise KeyboardInterrupt


@pytest.mark.parametrize("waits_for_room", [True, False])
def test_room_is_told_of_to_whoever_waits_for_it(waits_for_room: bool) -> None:
    told: list[int] = []
    state = State(waits_for_room)
    fetches = LockedFetches(cast(FetchState, state), lambda: told.append(state.handover.runs_done))
    fetches.hand_over([])
    fetches.hand_over([PART, PART])
    with pytest.raises(KeyboardInterrupt):
        fetches.hand_over([PART])
    assert told == ([2, 3] if waits_for_room else [])

"""The steps of a poll, taken one by one, and who is told that handing over makes room."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from concurrent.futures import Future
from contextlib import closing
from typing import cast

import pytest

from kafka_nextgen import Consumer, MisuseError, TopicPartition
from kafka_nextgen.engine.application import polling
from kafka_nextgen.engine.application.core import ConsumerCore
from kafka_nextgen.engine.application.polling import Step, WaitForWakeup, leave_steps, poll_steps
from kafka_nextgen.engine.mailbox import CallbackKind, PendingCallback
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.fetching import FetchState
from kafka_nextgen.wire.records import Columns, ColumnSlice
from tests.engine.stage import Stage, tp
from tests.support.waiting import GUARD_S


@pytest.fixture
def core(stage: Stage) -> Iterator[ConsumerCore]:
    """Of a consumer that waits for records which never come."""
    stage.create()
    with closing(stage.consumer(group_id=None)) as consumer:
        assert isinstance(consumer, Consumer)
        consumer.assign([tp()])
        yield consumer._core


def rest(steps: Iterator[Step]) -> WaitForWakeup:
    """Go on until the poll rests; what it tells the member before is told."""
    for step in steps:
        if isinstance(step, WaitForWakeup):
            return step
        assert isinstance(step, Future)
        step.result(GUARD_S)
    raise AssertionError("it ended")


def test_a_close_just_before_the_poll_looked_for_news_is_heard_at_the_first_ring(core: ConsumerCore) -> None:
    core.begin_closing(all_is_processed=True)
    steps = poll_steps(core, 60.0)
    rest(steps)
    with pytest.raises(MisuseError, match="closed"):
        next(steps)
    core.closing = False  # so that it can be closed for good


def test_what_is_left_while_a_poll_looks_whether_there_is_news_rings_once_more(
    core: ConsumerCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = poll_steps(core, 60.0)
    rest(steps)
    is_due = polling._is_due

    def look_and_leave_something(core: ConsumerCore) -> bool:
        found = is_due(core)
        core.engine.mailbox.post_error(ValueError("just now"))
        return found

    monkeypatch.setattr(polling, "_is_due", look_and_leave_something)
    assert rest(steps).seen != core.wakeup.count, "who waits for another ring than these does not wait"
    monkeypatch.undo()
    with pytest.raises(ValueError, match="just now"):
        next(steps)


def test_a_standby_that_leaves_is_not_asked_to_get_ready(core: ConsumerCore) -> None:
    """``on_standby`` may take minutes, and ``close`` would wait for it."""
    lost = PendingCallback(CallbackKind.LOST, 1, (tp(),))
    for callback in (PendingCallback(CallbackKind.STANDBY), lost, PendingCallback(CallbackKind.STANDBY)):
        core.engine.mailbox.post_callback(callback)
    steps = leave_steps(core, Future(), 60.0)
    assert next(steps) is lost
    core.callbacks.ended = lost, None
    core.callbacks.note_end_reported(core.callbacks.ended)
    assert isinstance(next(steps), WaitForWakeup)


# ---- room


PART = ColumnSlice(Columns(TopicPartition("orders", 0), 0), 0, 0)


class State:
    """Counts as done whatever is handed over; a signal handler interrupts the third."""

    def __init__(self, waits_for_room: bool) -> None:
        self.waits_for_room = waits_for_room
        self.runs_done = 0
        self.planning = self.handover = self
        self.sockets = ()

    def pass_turn(self, partition: TopicPartition) -> None:
        self.runs_done += 1

    def hand_over_all(self, parts: Collection[ColumnSlice]) -> None:
        for _ in parts:
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

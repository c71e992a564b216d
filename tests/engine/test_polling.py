"""The steps of a poll, taken one by one: what is heard of what happens between them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing

import pytest

from kafka_nextgen import Consumer, MisuseError
from kafka_nextgen.engine.application.core import ConsumerCore
from kafka_nextgen.engine.application.polling import Step, WaitForWakeup, leave_steps, poll_steps
from kafka_nextgen.engine.mailbox import CallbackKind, PendingCallback
from tests.engine.stage import Stage, tp


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
        step.result(20)
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
    is_due = core.is_poll_due

    def look_and_leave_something() -> bool:
        found = is_due()
        core.engine.mailbox.post_error(ValueError("just now"))
        return found

    monkeypatch.setattr(core, "is_poll_due", look_and_leave_something)
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
    core.ended = lost, None
    core.callback_reported(core.ended)
    assert isinstance(next(steps), WaitForWakeup)

"""The steps of a poll and of leaving a group, for both ``Consumer`` and ``AsyncConsumer``.

A poll takes these steps, in this order: mark all records handed over as processed; report the poll to the member; run
pending callbacks; raise new errors; return records, or nothing if all assigned ranges were read to their ends; wait,
then start again or, after the timeout, raise an error that persists. So no record of a partition is handed over once
its revocation has begun, and all records handed over before that count as processed.

Leaving runs callbacks without a time limit, and raises their errors when everything else is done. It does not start
``on_standby``, which may take long: a member that leaves will not take over.

A step is something to wait for: a future of the I/O thread, a callback to run, or the next wakeup. Each consumer waits
in its own way. A poll that is abandoned between two steps loses nothing: a callback whose end was not reported is the
first step of the next poll.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from typing import NamedTuple

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.core import ConsumerCore
from kafka_nextgen.engine.mailbox import CallbackKind, PendingCallback

__all__ = ["ITERATION_TIMEOUT_S", "Step", "WaitForWakeup", "leave_steps", "poll_steps"]

#: How long (seconds) iteration waits for records at a time. This is also how long unreachable brokers are tolerated, so
#: that a loop raises the error as soon as a poll would.
ITERATION_TIMEOUT_S = 10.0


class WaitForWakeup(NamedTuple):
    """Wait until the wakeup has more than the ``seen`` notifications, at most ``timeout_s`` seconds."""

    seen: int
    timeout_s: float


Step = WaitForWakeup | PendingCallback | Future[None]


def poll_steps(core: ConsumerCore, timeout_s: float) -> Iterator[Step]:
    """Yield the steps of a poll; ends when there are records or after ``timeout_s`` seconds."""
    deadline = core.polls.begin() + core.wait_s(timeout_s)
    try:
        core.cursor.finish_run()
        seen, is_due = core.wakeup.count, True
        while True:
            if is_due:
                core.cursor.mark_news_seen()
                told = core.note_poll()
                if told is not None:
                    yield told
                if core.has_callbacks:
                    yield from _callbacks(core)
                core.raise_pending_error()
            if core.fetches.has_records() or core.fetches.is_all_finished():
                return
            left_s = deadline - core.now()
            if left_s <= 0:
                core.raise_lasting_error()
                return
            yield WaitForWakeup(seen, min(left_s, core.note_interval_s))
            seen = core.wakeup.count  # first: anything that happens from now on wakes the next wait
            is_due = core.is_poll_due()
            if is_due:
                core.check_open()
    finally:
        core.engine.identity.note_poll_ended()
        core.polls.end()


def leave_steps(core: ConsumerCore, leaving: Future[None], timeout_s: float) -> Iterator[Step]:
    """Run callbacks until the member has left; ``leaving`` has its own time limit."""
    deadline = clocks.monotonic() + timeout_s
    leaving.add_done_callback(lambda _: core.wakeup.notify())
    while not leaving.done() and clocks.monotonic() < deadline:
        seen = core.wakeup.count
        yield from _callbacks_of_leaving(core)
        if not leaving.done():
            yield WaitForWakeup(seen, max(0.0, deadline - clocks.monotonic()))
    if leaving.done():
        yield from _callbacks_of_leaving(core)  # of the commits that completed last
    yield leaving


def _callbacks(core: ConsumerCore) -> Iterator[PendingCallback]:
    while (callback := core.next_callback()) is not None:
        yield callback


def _callbacks_of_leaving(core: ConsumerCore) -> Iterator[PendingCallback]:
    core.engine.mailbox.drop_callbacks(CallbackKind.STANDBY)
    for callback in _callbacks(core):
        yield callback
        core.engine.mailbox.drop_callbacks(CallbackKind.STANDBY)

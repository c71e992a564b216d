"""The steps of a poll and of leaving a group, for both ``Consumer`` and ``AsyncConsumer``.

A poll takes these steps, in this order: mark all records handed over as processed; report the poll to the member; run
pending callbacks; raise new errors; return records, or nothing if all assigned ranges were read to their ends; wait,
then start again or, after the timeout, raise an error that persists. So no record of a partition is handed over once
its revocation has begun, and all records handed over before that count as processed.

Leaving the group runs callbacks without a time limit, and raises their errors after everything else. It does not start
``on_standby``, which may take a long time: a leaving member will not take over.

A step is something to wait for: a future of the I/O thread, a callback to run, or the next wakeup. Each consumer waits
in its own way. A poll that is abandoned between two steps loses nothing: a callback whose end was not reported is the
first step of the next poll.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple

from kafka_nextgen import clocks
from kafka_nextgen.engine.mailbox import CallbackKind, PendingCallback
from kafka_nextgen.errors import MisuseError

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.core import ConsumerCore
    from kafka_nextgen.engine.reading.locked_fetches import PollOffer
    from kafka_nextgen.types import Record

__all__ = ["ITERATION_TIMEOUT_S", "Step", "WaitForWakeup", "begin_run", "leave_steps", "poll_steps"]

#: How long (seconds) iteration waits for records at a time. This is also how long unreachable brokers are tolerated, so
#: that a loop raises the error as soon as a poll would.
ITERATION_TIMEOUT_S = 10.0
#: The longest wait (seconds) of a poll after a fatal error, before it raises the error again.
FATAL_WAIT_S = 1.0


class WaitForWakeup(NamedTuple):
    """Wait until the wakeup has counted more than ``seen`` notifications, at most ``timeout_s`` seconds."""

    seen: int
    timeout_s: float


Step = WaitForWakeup | PendingCallback | Future[None]


def poll_steps(core: ConsumerCore, timeout_s: float, follows: str = "") -> Iterator[Step]:
    """Yield the steps of a poll; ends when there are records or after ``timeout_s`` seconds.

    With ``follows``, the name of the call, it also ends when the cursor can wait for records itself.
    """
    deadline = core.polls.begin() + _wait_s(core, timeout_s)
    try:
        core.cursor.finish_run()
        seen, is_due = core.wakeup.count, True
        while True:
            if is_due:
                core.cursor.mark_news_seen()
                told = _note_poll(core)
                if told is not None:
                    yield told
                if core.callbacks.has_any:
                    yield from _callbacks(core)
                _raise_pending_error(core)
            if core.fetches.has_records() or core.fetches.is_all_finished():
                return
            left_s = deadline - core.now()
            if left_s <= 0:
                _raise_lasting_error(core)
                return
            wait_s = min(left_s, core.note_interval_s)
            if follows and _may_follow(core):
                due_at = core.now() + core.note_interval_s
                if core.cursor.follow(seen, core.polls.began_at, due_at, follows):
                    return
            yield WaitForWakeup(seen, wait_s)
            seen = core.wakeup.count  # first: anything that happens from now on wakes the next wait
            is_due = _is_due(core)
            if is_due:
                core.check_open()
    finally:
        identity = core.engine.identity
        identity.polled = identity.last  # this member's records are processed from now on
        core.polls.end()


def _may_follow(core: ConsumerCore) -> bool:
    """Whether the cursor may wait for records itself.

    It may not with hooks, which get the records of each poll when it ends, nor with ``consumer.timeout.ms``, which is
    measured in polls.
    """
    return not core.hooks and core.config.consumer_timeout_ms is None


def _wait_s(core: ConsumerCore, timeout_s: float) -> float:
    """How long (seconds) a poll of ``timeout_s`` waits; shorter after a fatal error, because no records will arrive."""
    return timeout_s if core.engine.mailbox.fatal is None else min(timeout_s, FATAL_WAIT_S)


def _note_poll(core: ConsumerCore) -> Future[None] | None:
    """Note that the application has polled; the returned future, if any, completes when the member knows."""
    if core.config.enable_auto_commit:
        core.fetches.mark_consumed()
    now = core.now()
    if not core.engine.mailbox.wants_poll and now < core.note_at_s:
        return None
    core.note_at_s = now + core.note_interval_s
    return core.engine.thread.call(core.engine.membership.note_poll)


def _is_due(core: ConsumerCore) -> bool:
    """Whether a poll must report to the member, or has callbacks or errors to handle."""
    mailbox = core.engine.mailbox
    has_news = mailbox.news != core.cursor.news_seen
    return core.closing or has_news or mailbox.wants_poll or core.now() >= core.note_at_s


def _raise_pending_error(core: ConsumerCore) -> None:
    """Raise an error from the mailbox, or MisuseError if there is nothing to read."""
    mailbox = core.engine.mailbox
    if mailbox.errors:
        mailbox.raise_error()
    if core.topics is None and not core.engine.manual_assignment.partitions:
        raise MisuseError("poll() has nothing to read: subscribe() or assign() first")


def _raise_lasting_error(core: ConsumerCore) -> None:
    """Raise a fatal error, or the reason why the consumer has not reached any broker for ten seconds."""
    core.engine.mailbox.raise_fatal()
    error = core.engine.unreachable
    if error is not None:
        raise error


def begin_run(core: ConsumerCore, offer: PollOffer | None = None) -> Iterator[Record[Any, Any]] | None:
    """Return the next run of records for iteration, after a poll; empty if another poll is due.

    The records are from ``offer``, if given. None if all assigned ranges were read to their ends.
    """
    if not core.is_reminded:
        core.is_reminded = True
        core.engine.repeat(lambda: _remind(core), core.note_interval_s)
    if core.cursor.is_following:
        return core.cursor.records
    if offer is None:
        records = core.cursor.look(core.config.max_poll_records, core.polls.began_at)
    else:
        records = core.cursor.look_at(offer, core.polls.began_at)
    has_ended = not core.fetches.offer.parts and core.fetches.is_all_finished()
    return None if has_ended else records


def _remind(core: ConsumerCore) -> None:
    """Make iteration poll, so that the poll is reported to the member; called on the I/O thread."""
    if core.cursor.is_in_run:
        core.note_at_s = 0.0
        core.cursor.end_run()
        if core.cursor.is_following:
            core.wakeup.notify()


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
        yield from _callbacks_of_leaving(core)  # those of the last commits
    yield leaving


def _callbacks(core: ConsumerCore) -> Iterator[PendingCallback]:
    while (callback := core.callbacks.next()) is not None:
        yield callback


def _callbacks_of_leaving(core: ConsumerCore) -> Iterator[PendingCallback]:
    core.engine.mailbox.drop_callbacks(CallbackKind.STANDBY)
    for callback in _callbacks(core):
        yield callback
        core.engine.mailbox.drop_callbacks(CallbackKind.STANDBY)

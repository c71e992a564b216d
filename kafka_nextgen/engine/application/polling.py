"""The rules of a poll and of leaving, said once for both fronts: what to do next, without doing it.

A poll is, in this order: the application's progress counts; the member is told that the application polls; the
callbacks that wait are run; what is to be raised is raised; records are handed over, or there will be none any more,
for all that was assigned was read up to its end. So no record of a partition
that is being given up gets out after its revocation began, and everything handed over before counts as processed.

Leaving runs callbacks as long as it takes. What a callback raised is raised when everything else is done.

Each step is something to wait for: a future of the I/O thread, a callback to be run where the application is, or a
rest until something happens. A front takes the steps one by one and waits in its own way. Whoever abandons a poll
between two steps loses nothing: a callback that was not told to be finished is the first step of the next poll.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import NamedTuple

from kafka_nextgen.engine.application.core import ConsumerCore
from kafka_nextgen.engine.mailbox import PendingCallback

__all__ = ["ITERATION_TIMEOUT_S", "Rest", "Step", "leave_steps", "poll_steps"]

#: How long (seconds) iteration waits for records at a time. When that is over, patience with servers that can't be
#: reached is as well, so that a loop says so as soon as a poll does.
ITERATION_TIMEOUT_S = 10.0


class Rest(NamedTuple):
    """Wait for another ring of the signal than the ``rings`` there were, at most ``at_most_s`` seconds."""

    rings: int
    at_most_s: float


Step = Rest | PendingCallback | Future[None]


def poll_steps(core: ConsumerCore, timeout_s: float) -> Iterator[Step]:
    """Do what a poll owes the member, and end when there are records or the time is over."""
    deadline = core.polls.begin() + timeout_s
    try:
        core.cursor.settle()
        rings, is_due = core.signal.rings, True
        while True:
            if is_due:
                core.cursor.heed()
                told = core.note_poll()
                if told is not None:
                    yield told
                if core.has_callbacks:
                    yield from _callbacks(core)
                core.raise_what_stands()
            if core.fetches.has_records() or core.fetches.is_all_finished():
                return
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                core.raise_if_unreachable()
                return
            yield Rest(rings, min(left_s, core.note_interval_s))
            rings = core.signal.rings  # first: whatever happens from here on rings again
            is_due = core.is_poll_due()  # mostly there are records now, and nothing else has happened
            if is_due:
                core.check_open()
    finally:
        core.engine.identity.poll_ended()
        core.polls.end()


def leave_steps(core: ConsumerCore, leaving: Future[None], timeout_s: float) -> Iterator[Step]:
    """Run callbacks until the member is out; ``leaving`` keeps to the time of itself."""
    deadline = time.monotonic() + timeout_s
    leaving.add_done_callback(lambda _: core.signal.ring())
    while not leaving.done() and time.monotonic() < deadline:
        rings = core.signal.rings
        yield from _callbacks(core)
        if not leaving.done():
            yield Rest(rings, max(0.0, deadline - time.monotonic()))
    if leaving.done():
        yield from _callbacks(core)  # of commits that ended last
    yield leaving


def _callbacks(core: ConsumerCore) -> Iterator[PendingCallback]:
    while (callback := core.next_callback()) is not None:
        yield callback

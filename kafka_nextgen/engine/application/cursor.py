"""Iteration: records are handed over one by one, but taken from the buffers in runs.

No lock is taken and nothing is checked between two records. A run that must stop is *ended*: the caller that requests
its next record gets none, polls, and starts the next run. A run is ended by

- an event that a poll has to handle (counted in the mailbox's ``news``);
- a timer on the I/O thread, at the interval at which polls are reported to the member;
- another caller, which polls for its own run, and any other call that advances the positions;
- a fork, in the child.

Ending a run never blocks and is exact: each record either was handed over before or will not be. So the progress of a
run is always known. A record counts as handed over when iteration returns it, and as processed when the next one is
requested.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.arriving_run import ArrivingRun
from kafka_nextgen.engine.application.record_run import DeserializedRows, RecordRun, Watch
from kafka_nextgen.engine.application.wakeup import AsyncWakeup, Wakeup
from kafka_nextgen.wire.records import ColumnSlice

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.deserializers import Deserializers
    from kafka_nextgen.engine.application.deserializing_poll import DeserializingPoll, PutBack
    from kafka_nextgen.engine.mailbox import Mailbox
    from kafka_nextgen.engine.reading.locked_fetches import LockedFetches, PollOffer
    from kafka_nextgen.types import Record

__all__ = ["Cursor"]

_NOTHING = RecordRun(())
_everywhere: WeakSet[Cursor] = WeakSet()


class Cursor(Watch):
    """The current run of iteration.

    ``whoami`` identifies the caller: a thread's ident, or the running task. ``on_handed_over`` gets the records handed
    over in a finished run, and when the poll for it began and ended. ``put_back`` puts back records that can't be
    deserialized.
    """

    def __init__(
        self,
        fetches: LockedFetches,
        mailbox: Mailbox,
        deserializers: Deserializers | None,
        whoami: Callable[[], object],
        on_handed_over: Callable[[Sequence[ColumnSlice], float | None, float], None],
        put_back: PutBack,
        wakeup: Wakeup,
        note_waits: Callable[[int, float], None],
        now: Callable[[], float] = clocks.monotonic,
    ) -> None:
        self._wakeup = wakeup
        self._note_waits = note_waits
        self._fetches = fetches
        self._mailbox = mailbox
        #: The deserializers of the next run.
        self.deserializers = deserializers
        self._put_back = put_back
        self._whoami = whoami
        self._on_handed_over = on_handed_over
        self._now = now
        self._run: RecordRun | ArrivingRun = _NOTHING
        self._caller: object = None
        self._seen = 0  # the wakeup's notifications before an arriving run
        #: The records of the last poll, if there are deserializers.
        self.hand_over: DeserializingPoll | None = None
        #: The mailbox's ``news`` as of the last poll.
        self.news_seen = 0
        self._looked: tuple[float | None, float] = None, 0.0
        mailbox.on_news = self.end_run
        _everywhere.add(self)

    @property
    def records(self) -> Iterator[Record[Any, Any]]:
        """Return the rest of this caller's run, which ends when a poll is due. Raises DeserializationError."""
        return self._run.records if self._caller == self._whoami() else _NOTHING.records

    @property
    def next(self) -> tuple[int, int] | None:
        """Return the slice and row of the next record of this caller's run; None at its end."""
        return self._run.next if self._caller == self._whoami() else None

    def mark_news_seen(self) -> None:
        """Treat all events so far as seen: only later ones end the next run."""
        self.news_seen = self._mailbox.news

    def look(self, max_records: int, began: float | None) -> Iterator[Record[Any, Any]]:
        """Start a run of the next records, after a poll that began at ``began`` (monotonic seconds).

        A run can have more than ``max_records``: it continues to the end of the data that was fetched together, whose
        memory can only be freed as a whole. It is empty if nothing has arrived, or if another poll is due.
        """
        return self.look_at(self._fetches.find(max_records, whole_runs=True), began)

    def look_at(self, offer: PollOffer, began: float | None) -> Iterator[Record[Any, Any]]:
        """Start a run of the records of this offer."""
        run = RecordRun(offer.parts, self.deserializers, self)
        self._looked = began, self._now()
        self._caller, self._run = self._whoami(), run
        # Checked last: from now on, events and a signal handler that polls can find the run and end it.
        if self._mailbox.news != self.news_seen or self._fetches.offer is not offer:
            run.end()
        return run.records

    def fail(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """Put back a record that can't be deserialized; its partition then comes last.

        It may have been handed over, if the run was finished during its deserialization.
        """
        self._put_back([ColumnSlice(part.columns, rows.row, rows.row + 1)], part.partition)

    def follow(self, seen: int, began: float | None, until: float, call: str) -> bool:
        """Start a run of the records that will arrive at lent connections; returns False if there are none.

        ``call`` is the name of the caller's call. The run ends when the wakeup has more than ``seen`` notifications, or
        at ``until`` (monotonic seconds).
        """
        sockets = self._wakeup.sockets
        rows = None if sockets is None or self.deserializers is not None else sockets.begin_rows(seen, until)
        if rows is None:
            return False
        if self.is_in_run:  # a signal handler has iterated
            self.finish_run()
        run = ArrivingRun(rows, call)
        self._looked = began, self._now()
        self._caller, self._run, self._seen = self._whoami(), run, seen
        if self._mailbox.news != self.news_seen:  # checked last, as above
            run.end()
        return True

    @property
    def following(self) -> ArrivingRun | None:
        """This caller's run, if it waits for its records and has not ended."""
        run = self._run
        if isinstance(run, ArrivingRun) and not run.rows.is_over and self._caller == self._whoami():
            return run
        return None

    async def arrival(self, run: ArrivingRun) -> None:
        """Wait until there are records for this run, or it has ended."""
        assert isinstance(self._wakeup, AsyncWakeup)
        run.is_awaited = True
        try:
            await self._wakeup.arrival(self._seen, run.rows)
        finally:
            run.is_awaited = False

    def waiting(self) -> tuple[object, str] | None:
        """Return the caller that waits for records in its run, and the name of its call; None if none does."""
        run = self._run
        if isinstance(run, ArrivingRun) and (run.is_awaited or run.rows.is_running):
            return self._caller, run.call
        return None

    @property
    def is_following(self) -> bool:
        """Whether the run waits for its records itself."""
        return isinstance(self._run, ArrivingRun)

    @property
    def is_in_run(self) -> bool:
        """Whether a run is in progress."""
        return self._run is not _NOTHING

    def end_run(self) -> None:
        """Stop handing over records until the next poll; can be called on any thread, never blocks."""
        self._run.end()

    def given_out(self) -> Sequence[ColumnSlice]:
        """The records handed over in this run, including the current one."""
        return self._run.progress()

    def advance_positions(self) -> None:
        """Advance the positions over the records handed over, including the current one."""
        self.check_hand_over()
        run = self._run
        if isinstance(run, ArrivingRun):
            run.settle(self._fetches.hand_over)
        elif self.is_in_run:
            self._fetches.hand_over(run.progress())

    def check_hand_over(self) -> None:
        """Put back records of the last poll that were not handed over because of an exception."""
        hand_over = self.hand_over
        if hand_over is not None and not hand_over.settle() and self.hand_over is hand_over:
            self.hand_over = None

    def finish_run(self) -> None:
        """End the run, and advance the positions over all records handed over."""
        self._fetches.settle()
        self.check_hand_over()
        run = self._run
        if run is not _NOTHING:
            run.end()
            if isinstance(run, ArrivingRun):
                self._finish_arriving(run)
            given_out = run.progress()
            self._fetches.hand_over(given_out)
            if self._run is run:  # not earlier: an interrupted call is repeated, and needs it
                self._run = _NOTHING
            self._on_handed_over(given_out, *self._looked)

    def _finish_arriving(self, run: ArrivingRun) -> None:
        assert self._wakeup.sockets is not None
        run.rows.finish()
        self._wakeup.sockets.end_rows()
        self._note_waits(run.rows.offers, run.rows.waited_s)

    def mark_processed(self) -> None:
        """Mark all records handed over as processed, except the last one, whose processing was interrupted."""
        if self.is_in_run:
            self._fetches.hand_over(self._run.progress(but_last=True))
            self._fetches.mark_consumed()

    def note_fork(self) -> None:
        """Hand over nothing in this process, the child, and leave the connections alone."""
        self.end_run()
        if self._wakeup.sockets is not None:
            self._wakeup.sockets.stop()


def _end_all_runs() -> None:
    for cursor in _everywhere:
        cursor.note_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_all_runs)

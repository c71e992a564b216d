"""Iterating: records are given out one by one, but fetched from the buffers in runs.

Between two records no lock is taken and nothing is checked. A run that must not go on is *ended*: the caller that wants
its next record gets none, polls, and looks for the next run. A run is ended by

- news, that is, anything a poll would act on since the poll for this run (``mark_news_seen``);
- the interval at which the member is told of polls, by a timer on the I/O thread;
- another caller, which polls for a run of its own, and any other call that advances the positions;
- a fork, in the child.

Ending a run never blocks and is exact: a record was given out before, or is not given out any more. So the progress of
a run is known at any time. A record counts as handed over when it is given out, and as processed when the next one is
requested.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from weakref import WeakSet

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.deserializers import DeserializedRows, Deserializers
from kafka_nextgen.engine.application.record_run import DeserializingPoll, PutBack, RecordRun, Watch
from kafka_nextgen.engine.mailbox import Mailbox
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.types import Record
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["Cursor"]

_NOTHING = RecordRun(())
_everywhere: WeakSet[Cursor] = WeakSet()


class Cursor(Watch):
    """The run of records that iteration is in.

    ``whoami`` identifies the caller: a thread's ident, or the running task. ``on_handed_over`` gets what was given out
    of a finished run, and when the poll for it began and ended. ``put_back`` takes back what can't be deserialized.
    """

    def __init__(
        self,
        fetches: LockedFetches,
        mailbox: Mailbox,
        deserializers: Deserializers | None,
        whoami: Callable[[], object],
        on_handed_over: Callable[[Sequence[ColumnSlice], float | None, float], None],
        put_back: PutBack,
        now: Callable[[], float] = clocks.monotonic,
    ) -> None:
        self._fetches = fetches
        self._mailbox = mailbox
        self._deserializers = deserializers
        self._put_back = put_back
        self._whoami = whoami
        self._on_handed_over = on_handed_over
        self._now = now
        self._run = _NOTHING
        self._caller: object = None
        #: What the last poll handed over, if there are deserializers.
        self.hand_over: DeserializingPoll | None = None
        #: The mailbox's ``news`` as of the last poll.
        self.news_seen = 0
        self._looked: tuple[float | None, float] = None, 0.0
        mailbox.on_news = self.end_run
        _everywhere.add(self)

    @property
    def records(self) -> Iterator[Record]:
        """The rest of this caller's run, which ends when a poll is due. Raises DeserializationError."""
        return self._run.records if self._caller == self._whoami() else _NOTHING.records

    @property
    def next(self) -> tuple[int, int] | None:
        """A position that changes with each record of this caller's run; None at its end."""
        return self._run.next if self._caller == self._whoami() else None

    def mark_news_seen(self) -> None:
        """From here on, news ends the run that is started next."""
        self.news_seen = self._mailbox.news

    def look(self, max_records: int, began: float | None) -> Iterator[Record]:
        """Start a run of the records that come next, after a poll that ``began`` then (monotonic seconds).

        A run has ``max_records`` or more: it goes on to the end of what was fetched together, whose memory is freed
        only as a whole. It is empty if nothing has arrived, or if another poll is due.
        """
        offer = self._fetches.find(max_records, whole_runs=True)
        run = RecordRun(offer.parts, self._deserializers, self)
        self._looked = began, self._now()
        self._caller, self._run = self._whoami(), run
        # Checked last: from here on, news and a signal handler that polls find the run.
        if self._mailbox.news != self.news_seen or self._fetches.offer is not offer:
            run.end()
        return run.records

    def fail(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """Put back a record that can't be deserialized, behind the other partitions.

        It may have been handed over, if the run was finished while it was being deserialized.
        """
        self._put_back([ColumnSlice(part.columns, rows.row, rows.row + 1)], part.partition)

    @property
    def is_in_run(self) -> bool:
        """Whether records are being given out."""
        return self._run is not _NOTHING

    def end_run(self) -> None:
        """Give out nothing more before the next poll; callable from any thread, never blocks."""
        self._run.end()

    def given_out(self) -> Sequence[ColumnSlice]:
        """What was given out of the run, including the record in hand."""
        return self._run.progress()

    def advance_positions(self) -> None:
        """Advance the positions over what was given out, including the record in hand."""
        self.check_hand_over()
        if self.is_in_run:
            self._fetches.hand_over(self._run.progress())

    def check_hand_over(self) -> None:
        """Put back records of the last poll that an exception kept from being given out."""
        hand_over = self.hand_over
        if hand_over is not None and not hand_over.settle() and self.hand_over is hand_over:
            self.hand_over = None

    def finish_run(self) -> None:
        """End the run, and advance the positions over all that was handed over."""
        self._fetches.settle()
        self.check_hand_over()
        run = self._run
        if run is not _NOTHING:
            run.end()
            given_out = run.progress()
            self._fetches.hand_over(given_out)
            if self._run is run:  # only now: an interrupted call is repeated up to here
                self._run = _NOTHING
            self._on_handed_over(given_out, *self._looked)

    def mark_processed(self) -> None:
        """Count all that was given out as processed, except the last record, whose processing was cut short."""
        if self.is_in_run:
            self._fetches.hand_over(self._run.progress(but_last=True))
            self._fetches.mark_consumed()


def _end_all_runs() -> None:
    for cursor in _everywhere:
        cursor.end_run()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_all_runs)

"""Iterating: records are handed over one by one, but looked at in runs.

Between two records nothing is locked, nobody is asked and nothing is compared: a run that must not go on is *ended*,
and whoever wants its next record finds that there is none, polls properly and looks again. What ends it:

- news: something that a poll would act on, from the moment on at which the poll for this run looked (``heed``);
- the interval at which the member is to be told of polls, on a timer of the I/O thread;
- another caller, who has to poll for a run of their own, and whatever else settles what was given out;
- a fork, in the child.

Ending a run waits for nothing and is exact: a record was given out before, or it is not any more. So anybody may ask
at any time how far it went. A record counts as handed over when it is given out, and as processed when the next one is
asked for.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from weakref import WeakSet

from kafka_nextgen.engine.application.deserializers import DeserializedRows, Deserializers
from kafka_nextgen.engine.application.record_run import HandOver, PutBack, RecordRun
from kafka_nextgen.engine.mailbox import Mailbox
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.types import Record
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["Cursor"]

_NOTHING = RecordRun(())
_everywhere: WeakSet[Cursor] = WeakSet()


class Cursor:
    """The run of records that iteration is in.

    ``whoami`` tells callers apart: a thread's ident, or the running task. ``on_handed_over`` is told what was given out
    of a run that is over, and when the poll for it began and ended. ``put_back`` takes back what can't be deserialized.
    """

    def __init__(
        self,
        fetches: LockedFetches,
        mailbox: Mailbox,
        deserializers: Deserializers | None,
        whoami: Callable[[], object],
        on_handed_over: Callable[[Sequence[ColumnSlice], float | None, float], None],
        put_back: PutBack,
    ) -> None:
        self._fetches = fetches
        self._mailbox = mailbox
        self._deserializers = deserializers
        self._put_back = put_back
        self._whoami = whoami
        self._on_handed_over = on_handed_over
        self._run = _NOTHING
        self._caller: object = None
        #: What the last poll handed over, if that is deserialized.
        self.hand_over: HandOver | None = None
        #: How many news were heeded.
        self.heeded = 0
        self._looked: tuple[float | None, float] = None, 0.0
        mailbox.on_news = self.end_run
        _everywhere.add(self)

    @property
    def records(self) -> Iterator[Record]:
        """What is left of this caller's run; ends as soon as there has to be a poll. Raises DeserializationError."""
        return self._run.records if self._caller == self._whoami() else _NOTHING.records

    @property
    def next(self) -> tuple[int, int] | None:
        """What changes with each record of this caller's run; None if there is no more of it."""
        return self._run.next if self._caller == self._whoami() else None

    def heed(self) -> None:
        """What happens from here on ends the run that is looked at next."""
        self.heeded = self._mailbox.news

    def look(self, max_records: int, began: float | None) -> Iterator[Record]:
        """Look at the records that would be handed over next, after a poll that ``began`` then (monotonic).

        These are ``max_records``, and on to the end of what was fetched together, whose memory is free only then.
        None come if there are none, or if it takes another poll.
        """
        offer = self._fetches.find(max_records, whole_runs=True)
        run = RecordRun(offer.parts, self._deserializers, self)
        self._looked = began, time.monotonic()
        self._caller, self._run = self._whoami(), run
        # Looked at last: news from here on finds the run, and so does a signal handler that polls.
        if self._mailbox.news != self.heeded or self._fetches.offer is not offer:
            run.end()
        return run.records

    def begin(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """A run begins with these records."""

    def fail(self, part: ColumnSlice, rows: DeserializedRows) -> None:
        """A run ended in front of a record that can't be deserialized: other partitions come before it.

        It may have been handed over if the run was settled while it was being deserialized.
        """
        self._put_back([ColumnSlice(part.columns, rows.row, rows.row + 1)], part.partition)

    def stop_behind(self, part: ColumnSlice) -> None:
        """A run ended between two partitions: the next poll goes on there."""

    @property
    def is_in_run(self) -> bool:
        """Whether records are being given out."""
        return self._run is not _NOTHING

    def end_run(self) -> None:
        """Give out no more before the next poll; may be called from any thread, and waits for nothing."""
        self._run.end()

    def given_out(self) -> Sequence[ColumnSlice]:
        """What was given out of the run, the record in hand included, for whoever only looks where reading stands."""
        return self._run.progress()

    def advance_positions(self) -> None:
        """Advance the positions over what was given out: the record in hand is not told apart any more."""
        self.check_hand_over()
        if self.is_in_run:
            self._fetches.hand_over(self._run.progress())

    def check_hand_over(self) -> None:
        """Put back what an exception kept from being given out of what a poll handed over."""
        hand_over = self.hand_over
        if hand_over is not None and not hand_over.settle() and self.hand_over is hand_over:
            self.hand_over = None

    def finish_run(self) -> None:
        """Advance the positions over all that was handed over; the rest is looked at anew."""
        self._fetches.settle()
        self.check_hand_over()
        run = self._run
        if run is not _NOTHING:
            run.end()
            given_out = run.progress()
            self._fetches.hand_over(given_out)
            if self._run is run:  # first: what is interrupted until here is done again
                self._run = _NOTHING
            self._on_handed_over(given_out, *self._looked)

    def mark_processed(self) -> None:
        """Count all that was given out as processed, but the last record: its processing was cut short."""
        if self.is_in_run:
            self._fetches.hand_over(self._run.progress(but_last=True))
            self._fetches.mark_consumed()


def _end_all_runs() -> None:
    for cursor in _everywhere:
        cursor.end_run()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_all_runs)

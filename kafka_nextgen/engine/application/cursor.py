"""Iterating: records are handed over one by one, but looked at in runs.

Between two records nothing is locked and nobody is asked, as long as the run is *fresh*: nothing has happened that
a poll would act on, it was looked at not long ago, by this very caller, in this very process. Else iteration
polls properly and looks again. A record counts as handed over when it is given out, and as processed when the next
one is asked for.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

from kafka_nextgen.engine.application.records import Deserializers, RecordIterator
from kafka_nextgen.engine.mailbox import Mailbox
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.types import Record
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["Cursor"]

_NOTHING = RecordIterator((), Deserializers())


class Cursor:
    """The run of records that iteration is in.

    ``fresh_s`` is how long (seconds) it may go on without a poll. ``on_handed_over`` is told what was given out of a
    run that is over, and when the poll for it began and ended.
    """

    def __init__(
        self,
        fetches: LockedFetches,
        mailbox: Mailbox,
        deserializers: Deserializers,
        whoami: Callable[[], object],
        fresh_s: float,
        on_handed_over: Callable[[Sequence[ColumnSlice], float | None, float], None],
    ) -> None:
        self._fetches = fetches
        self._mailbox = mailbox
        self._deserializers = deserializers
        self._whoami = whoami
        self._fresh_s = fresh_s
        self._on_handed_over = on_handed_over
        self._run = _NOTHING
        self._fresh_while: tuple[int, object, int] | None = None
        self._fresh_until_s = 0.0
        self._looked: tuple[float | None, float] = None, 0.0

    def next(self) -> Record | None:
        """The next record of a fresh run; None if there is none. Raises DeserializationError."""
        if self._run is _NOTHING or time.monotonic() > self._fresh_until_s or self._fresh_while != self._now():
            return None
        return next(self._run, None)

    def look(self, max_records: int, began: float | None) -> Record | None:
        """Look at the records that would be handed over next, after a poll that ``began`` then (monotonic).

        Gives the first; None if there are none.
        """
        self._fresh_while = self._now()  # noted first: what happens while looking makes the run stale
        self._fresh_until_s = time.monotonic() + self._fresh_s
        self._run = RecordIterator(self._fetches.peek(max_records), self._deserializers)
        self._looked = began, time.monotonic()
        return next(self._run, None)

    def _now(self) -> tuple[int, object, int]:
        return self._mailbox.news, self._whoami(), os.getpid()

    def given_out(self) -> Sequence[ColumnSlice]:
        """What was given out of the run, the record in hand included, for whoever only looks where reading stands."""
        return self._run.progress()

    def given_out_here(self) -> Sequence[ColumnSlice]:
        """The same, if it was given to this very caller.

        Anybody else would look at a run that is moving: what is under way then shows a little later.
        """
        is_mine = self._fresh_while is not None and self._fresh_while[1] == self._asker()
        return self.given_out() if is_mine else ()

    def settle_progress(self) -> None:
        """Advance the positions over what was given out: the record in hand is not told apart any more."""
        if self._run is not _NOTHING:
            self._fetches.hand_over(self._run.progress())

    def _asker(self) -> object:
        try:
            return self._whoami()
        except RuntimeError:  # another thread than the event loop's asks for its current task
            return None

    def settle(self) -> None:
        """Advance the positions over what was given out; the rest is looked at anew."""
        self.settle_progress()
        run, self._run = self._run, _NOTHING
        if run is not _NOTHING:
            self._on_handed_over(run.progress(), *self._looked)

    def mark_processed(self) -> None:
        """Count all that was given out as processed, but the last record: its processing was cut short."""
        if self._run is not _NOTHING:
            self._fetches.hand_over(self._run.progress(but_last=True))
            self._fetches.mark_consumed()

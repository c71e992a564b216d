"""Keeps the callback that runs on the polling thread or task until its end is reported to the member.

A signal handler may raise anywhere, and a poll may be cancelled. Then the callback stays in the mailbox, or here, and
is the first step of the next poll.
"""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from kafka_nextgen.engine.mailbox import CallbackEnd, CallbackKind, PendingCall, PendingCallback
from kafka_nextgen.engine.observability.hooks import wall_s

if TYPE_CHECKING:
    from kafka_nextgen.engine.engine import Engine

__all__ = ["Callbacks"]


class Callbacks:
    """The callbacks of one consumer; at most one at a time is ``current``."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._polls = engine.counters.polls
        #: The callback that has begun, until its end is reported.
        self.current: PendingCallback | None = None
        #: How the current callback ended; None while it is running.
        self.ended: CallbackEnd | None = None

    @property
    def has_any(self) -> bool:
        """Whether there is a callback to run, await, or report to the member."""
        return self.current is not None or bool(self._engine.mailbox.callbacks)

    @property
    def is_running(self) -> bool:
        """Whether a callback is running."""
        return self.current is not None and self.ended is None

    @property
    def is_on_standby(self) -> bool:
        """Whether ``on_standby`` has begun and its end has not been reported."""
        return self.current is not None and self.current.kind is CallbackKind.STANDBY

    def next(self) -> PendingCallback | None:
        """Return the callback to run, or to wait for if it is running; the same one until its end is reported."""
        if self.current is None:
            self._polls.begin_callback()
            self.current = self._engine.mailbox.first_callback()
        if self.current is not None:  # dropped only now, so that after an exception it is still here or in the mailbox
            self._engine.mailbox.drop_callback(self.current)
        return self.current

    def report(self, ended: CallbackEnd) -> Future[None]:
        """Report the end of a callback to the member, ahead of other calls. May be repeated."""
        self._polls.note_callback_end()
        callback, error = ended
        if isinstance(callback, PendingCall):
            done: Future[None] = Future()
            done.set_result(None)
            return done
        return self._engine.thread.call(lambda: self._engine.membership.callback_finished(callback, error))

    def note_end_reported(self, ended: CallbackEnd) -> None:
        """Forget a callback whose end has been reported."""
        began, now = self._polls.end_callback()
        if self.ended is ended:
            self.current = None
            self.ended = None
        callback, error = ended
        hooks = self._engine.hooks
        if hooks and not isinstance(callback, PendingCall):
            kind, partitions, began_at = callback.kind.short, callback.partitions, wall_s(began)
            hooks.each(lambda each: each.called_back(kind, partitions, began_at, now - began, error))

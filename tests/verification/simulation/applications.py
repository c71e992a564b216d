"""What an application does with its consumer: it polls, processes, commits, and at times does something odd.

One thing at a time, as a thread does: what it waits for keeps it from polling. A poll counts what was handed out before
as processed, runs callbacks, and then hands out records of what flows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import define, field, frozen

from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.offsets.events import GroupEntered
from kafka_nextgen.types import LeaveMode, TopicPartition
from tests.verification.simulation.clients import Client
from tests.verification.simulation.dice import Dice, Fault
from tests.verification.simulation.member_effects import Callback
from tests.verification.simulation.timing import Timing
from tests.verification.simulation.whims import Whims

_IDLE_POLL_S = 1.0


@frozen
class Habits:
    """How an application behaves when nothing goes wrong."""

    processing_s: float
    records: int
    is_static: bool
    commits_waiting: float  # how often it commits by itself after a poll, and waits
    commits_beside: float  # and does not wait
    commit_timeout_s: float
    max_poll_interval_s: float


@define(eq=False)
class Application:
    """One application, for as long as its consumer lives."""

    client: Client
    dice: Dice
    habits: Habits
    wishes: Sequence[ev.Subscribed]  # what it may subscribe to
    on_over: Callable[[Application], None]  # its consumer is closed, or failed for good
    wanted: ev.Subscribed | None = None
    is_closing: bool = False
    is_over: bool = False
    gets_stuck: bool = False  # in the next callback, for good
    is_stuck: bool = False
    polled_at: float = 0.0
    _is_busy: bool = False
    _is_polling: bool = False
    _polls: int = 0
    _error: fx.RaiseToApplication | None = field(default=None)
    _whims: Whims = field(init=False)
    _timing: Timing = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._whims = Whims(self, self.dice.stream(f"whims of {self.client.name}"))
        self._timing = Timing(self, self.dice.stream(f"timing of {self.client.name}"))

    @property
    def instance(self) -> str:
        """What stays the same from one life of it to the next."""
        return self.client.name.partition("/")[0]

    def start(self) -> None:
        """Subscribe to anything, and begin to poll."""
        self.client.on_callback = self._wake
        self.client.on_step = self._notice
        self.client.on_error = self._note_error
        self.client.on_left = self._note_left
        self.subscribe(self.dice.pick(self.wishes))
        self._poll_after(self.dice.between(0.0, self.habits.processing_s))

    def subscribe(self, wanted: ev.Subscribed) -> None:
        self.wanted = wanted
        self.client.is_subscribed = True
        self.client.committer.feed_offsets(GroupEntered())
        self.client.feed(wanted)

    def storm(self) -> None:
        self._whims.storm()

    def unsubscribe(self) -> None:
        """Give the subscription up; it subscribes again some time later."""
        self.wanted, self.client.is_subscribed = None, False
        self.client.feed(ev.Unsubscribed())
        self.client.later(self.dice.between(0.1, 20.0), self._subscribe_again)

    def _subscribe_again(self) -> None:
        if self.wanted is None and not self.is_closing:
            self.subscribe(self.dice.pick(self.wishes))

    def close(self) -> None:
        """Close the consumer: everything handed out counts as processed."""
        if not self.is_closing:
            self.is_closing = True
            client = self.client
            if client.member.status.name in ("RECONCILING", "COMPLETING", "PREPARING"):
                self.dice.note(Fault.CLOSED_IN_THE_MIDDLE)
            client.consumed = {tp: at for tp, at in client.positions.items() if tp in client.applied}
            client.is_subscribed = False
            mode = self.dice.pick(tuple(LeaveMode))
            client.leaves_silently = mode is LeaveMode.REMAIN
            client.feed(ev.Closed(mode))

    def _note_error(self, error: fx.RaiseToApplication) -> None:
        self._error = error

    def _note_left(self) -> None:
        if self.is_closing:
            self._finish()

    def _finish(self) -> None:
        if not self.is_over:
            self.is_over = True
            self.on_over(self)

    def subscribe_to_any(self) -> None:
        if not self.is_closing:
            self.subscribe(self._whims.dice.pick(self.wishes))

    def poll_early(self) -> None:
        if not self._is_busy:
            self._poll_after(0.0)

    def commit(self) -> None:
        self.commit_beside([tp for tp in sorted(self.client.applied) if tp in self.client.positions])

    def commit_beside(self, flowing: Sequence[TopicPartition]) -> None:
        offsets = {tp: self.client.positions[tp] for tp in flowing}
        if offsets:
            self.client.committer.commit(offsets, self.habits.commit_timeout_s, lambda _: None)

    def _commit_by_name(self) -> None:
        """Commit offsets ahead of what counts as processed."""
        client = self.client
        offsets = {tp: client.positions[tp] for tp in client.flowing}
        if offsets:
            client.committer.commit(offsets, self.habits.commit_timeout_s, lambda _: None, counts=False)

    def _notice(self) -> None:
        self._whims.move_on()
        self._timing.notice()

    def _poll_after(self, seconds: float) -> None:
        self._polls += 1
        number = self._polls
        self.client.later(seconds, lambda: self._poll(number))

    def _wake(self) -> None:
        """A callback waits: an application that waits in a poll runs it at once."""
        if (self._is_polling or self.is_closing) and not self._is_busy:
            self._poll_after(0.0)

    def _poll(self, number: int) -> None:
        if number != self._polls or self.is_over or self._is_busy:
            return
        self._is_polling = False
        if self.is_closing:
            self._run_callbacks(self._done_closing)
            return
        if self._error is not None and self._error.fatal:
            self.close()
            self._run_callbacks(self._done_closing)
            return
        self._error = None
        self.polled_at = self.client.timeline.now
        self.client.note_poll()
        self._timing.polled()
        self._run_callbacks(self._take_records)

    def _done_closing(self) -> None:
        """The rest comes by itself."""

    def _take_records(self) -> None:
        if self.is_closing:
            return
        flowing = self.client.flowing
        for partition in flowing:
            self.client.hand_out(partition, self.dice.whole(1, self.habits.records))
        if flowing:
            self._commit_then_go_on()
        else:
            self._is_polling = True
            self._poll_after(_IDLE_POLL_S)

    def _commit_then_go_on(self) -> None:
        client, draw = self.client, self.dice.chance()
        offsets = {tp: client.positions[tp] for tp in client.flowing}
        if draw < self.habits.commits_waiting and offsets:
            self._is_busy = True
            client.committer.commit(offsets, self.habits.commit_timeout_s, lambda _: self._go_on())
            return
        if draw < self.habits.commits_waiting + self.habits.commits_beside:
            self.commit_beside(client.flowing)
        elif self._whims.dice.chance() > 0.8:
            self._commit_by_name()
        if self._whims.dice.comes_up(Fault.SOUGHT, 0.05):
            self._whims.seek()
        self._go_on()

    def _go_on(self) -> None:
        self._is_busy = False
        if self.is_over:
            return
        self._poll_after(self._pause())

    def _pause(self) -> float:
        outlasts_s = self._timing.outlasts(0.01)
        if outlasts_s is not None:
            return outlasts_s
        if self.dice.happens(Fault.POLL_PAUSE, 0.02):
            return self.habits.max_poll_interval_s * self.dice.between(0.5, 3.0)
        return self.habits.processing_s * self.dice.between(0.5, 1.5)

    def _run_callbacks(self, then: Callable[[], None]) -> None:
        if not self.client.callbacks:
            self._is_busy = False
            then()
            return
        self._is_busy = True
        if self.gets_stuck:
            self.is_stuck = True
            return
        callback = self.client.callbacks[0]
        outlasts_s = self._timing.outlasts_in(callback)
        if outlasts_s is not None:
            self.client.later(outlasts_s, lambda: self._end_callback(callback, then))
        elif self.dice.happens(Fault.SLOW_CALLBACK, 0.5):
            slow_s = self.dice.pick((self.dice.between(0.5, 20.0), self.dice.between(25.0, 45.0)))
            self.client.later(slow_s, lambda: self._end_callback(callback, then))
        else:
            self._end_callback(callback, then)

    def _end_callback(self, callback: Callback, then: Callable[[], None]) -> None:
        self._timing.end_callback(callback)
        if self._whims.dice.happens(Fault.CALLBACK_REENTERS, 0.3):
            self._whims.reenter()
        if self.dice.happens(Fault.CALLBACK_UNSUBSCRIBES, 0.1) and not self.is_closing:
            self.unsubscribe()
        raises = self.dice.happens(Fault.CALLBACK_RAISES, 0.2) or self._timing.raises(callback)
        error = "raised" if raises else None
        self.client.end_callback(callback, error)
        if error is not None:
            self._is_busy = False
            self._poll_after(0.0 if self.is_closing else self.habits.processing_s)
            return
        self._run_callbacks(then)

"""The pauses of a wait, in real time and on an advanced clock, and polls between its attempts."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kafka_nextgen import clocks
from kafka_nextgen.testing.arguments import seconds
from kafka_nextgen.types import TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.consumer import Consumer

__all__ = ["Patience", "poll_without_taking", "refuse_unpollable"]

#: The pauses between attempts in seconds: short at first, since most conditions hold soon, and as long as a turned
#: clock moves between them: it waits by itself for all that is due.
_FIRST_PAUSE_S, _PAUSE_WHILE_TURNING_S, _LONGEST_PAUSE_S = 0.001, 0.002, 0.02
#: How far a turned clock moves between two attempts in seconds, at first and at most: a heartbeat may be due only after
#: some seconds, but consumers are polled between the steps, and ``max.poll.interval.ms`` may be a second.
_FIRST_STEP_S, _LONGEST_STEP_S = 0.25, 0.5


class Patience:
    """The limits of a wait, in seconds of real time and of an advanced clock, and its pauses."""

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = seconds("timeout", timeout_s)
        self.strangers: Sequence[str] = ()  # why the clock was not turned before the last attempt
        self._over_at = clocks.real_monotonic() + self.timeout_s
        self._left_s = self.timeout_s  # of a turned clock
        self._pause_s = _FIRST_PAUSE_S

    @property
    def is_over(self) -> bool:
        """Whether the real time is over."""
        return clocks.real_monotonic() >= self._over_at

    def next_step_s(self, strangers: Sequence[str]) -> float:
        """Return how far to turn the clock before the next attempt; 0 once it was turned by the whole timeout.

        It is not turned while there are ``strangers``, clients that can't follow it.
        """
        self.strangers = strangers
        if strangers:
            return 0.0
        passed_s = self.timeout_s - self._left_s
        step_s = min(max(_FIRST_STEP_S, min(passed_s, _LONGEST_STEP_S)), self._left_s)
        self._left_s -= step_s
        return step_s

    def next_pause_s(self) -> float:
        """Return how long to sleep before the next attempt."""
        is_turning = self._left_s > 0 and not self.strangers
        longest_s = _PAUSE_WHILE_TURNING_S if is_turning else _LONGEST_PAUSE_S
        pause_s, self._pause_s = self._pause_s, min(2 * self._pause_s, longest_s)
        return pause_s


def refuse_unpollable(consumers: Iterable[object]) -> None:
    """Raise TypeError for an object without ``poll``, such as a list, and for an AsyncConsumer.

    Also for a consumer in place of a list: to iterate over it would read its records, and wait for more.
    """
    if hasattr(consumers, "poll") or not isinstance(consumers, Iterable):
        raise TypeError(f"polling is a list of consumers, not a {type(consumers).__name__}")
    for each in consumers:
        poll = getattr(each, "poll", None)
        if poll is None:
            raise TypeError(f"only a Consumer can be polled, not a {type(each).__name__}")
        if inspect.iscoroutinefunction(poll):
            raise TypeError("an AsyncConsumer polls in its event loop: wait with cluster.wait_until_async(...) there")


def poll_without_taking(consumer: Consumer[object, object]) -> None:
    """Poll a consumer, and rewind it to the first of the returned records."""
    firsts: dict[TopicPartition, int] = {}
    for record in consumer.poll(0):
        firsts.setdefault(TopicPartition(record.topic, record.partition), record.offset)
    for partition, offset in firsts.items():
        consumer.seek(partition, offset)

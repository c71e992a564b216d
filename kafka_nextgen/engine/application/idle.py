"""The end of a loop over a consumer when no record arrives for ``consumer.timeout.ms``.

kafka-python's loop ends when no record has arrived for that long, even while the member still joins, a callback runs,
or a broker is down. A job that reads a topic once would then miss records without an error. Here the time counts only
while everything is read: the member has joined its group and does not rebalance, and each partition that is not paused
is read to the end that its last fetch found. It begins again with each record, and when the assignment changes.

An end that was found earlier is not valid if the broker went down after that. So when the time has passed, the loop
still waits until each partition's broker has answered after everything was read, and within the time in which a healthy
broker answers a fetch: ``fetch.max.wait.ms``, or ``RECENT_S`` if that is more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.engine.application.polling import ITERATION_TIMEOUT_S
from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from kafka_nextgen.membership.states import Status

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.core import ConsumerCore
    from kafka_nextgen.engine.observability.health import Health

__all__ = ["RECENT_S", "RETRY_S", "IdleLimit", "is_settled"]

#: An answer that is no older (seconds) shows that a broker is there, even if ``fetch.max.wait.ms`` is less.
RECENT_S = 0.5
#: How long (seconds) polls wait when the time is over, and a broker has not answered.
RETRY_S = 0.1


class IdleLimit:
    """Measures how long a loop has been waiting at the end; without the key it never ends a loop."""

    def __init__(self, core: ConsumerCore) -> None:
        self._core = core
        limit_ms = core.config.consumer_timeout_ms
        self._limit_s = None if limit_ms is None else limit_ms / 1000
        self._recent_s = max(RECENT_S, core.config.fetch_max_wait_ms / 1000)
        #: When everything was read and the loop began to wait; None while it does not wait there.
        self.since: float | None = None
        self._assigned = core.fetches.assignment()
        self._is_waiting = False

    def wait_s(self) -> float:
        """How long (seconds) the next poll of a loop waits."""
        if self._limit_s is None:
            return ITERATION_TIMEOUT_S
        if self._is_waiting:  # the last poll raised
            self.since = None
        self._is_waiting = True
        if self.since is None and not self._core.fetches.has_records() and self._is_all_read():
            self._assigned, self.since = self._core.fetches.assignment(), self._core.now()
        left_s = self._limit_s if self.since is None else self.since + self._limit_s - self._core.now()
        return min(ITERATION_TIMEOUT_S, left_s if left_s > 0 else RETRY_S)

    def is_over(self) -> bool:
        """Whether the loop ends, after a poll that returned no records."""
        if self._limit_s is None:
            return False
        self._is_waiting = False
        if self._core.fetches.assignment() != self._assigned or not self._is_all_read():
            self.since = None
        if self.since is None:
            return False
        waited_s = self._core.now() - self.since
        if waited_s < self._limit_s or self._silent_s() > min(waited_s, self._recent_s):
            return False
        self.since = None  # another loop waits again
        return True

    def note_records(self) -> None:
        """Records have come."""
        self.since, self._is_waiting = None, False

    def _is_all_read(self) -> bool:
        core = self._core
        if core.topics is not None and not is_settled(core.engine.health()):
            return False
        given_out = core.cursor.given_out()
        progress, gone = core.fetches.look(lambda state: (state.progress(given_out).partitions, state.gone()))
        return all(at.lag == 0 or at.is_paused or tp in gone for tp, at in progress.items())

    def _silent_s(self) -> float:
        """How long ago (seconds) the last answer was for the partition that has waited for one the longest."""
        now = self._core.now()
        silence_s, gone = self._core.fetches.look(lambda state: (state.planning.silence_s(now), state.gone()))
        return max((silent_s for tp, silent_s in silence_s.items() if tp not in gone), default=0.0)


def is_settled(health: Health) -> bool:
    """Whether the member has joined its group, and no rebalance of it is under way."""
    return health.status in (Status.STABLE, ClassicStatus.STABLE) and health.rebalancing is None

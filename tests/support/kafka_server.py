"""What every kind of broker looks like to a test, and the settings that all of them run with.

The settings use Kafka's names and are the same for a real broker and the embedded one: heartbeats are quick
and sessions short, so that a rebalance takes half a second and a killed member is noticed in six seconds. A group's
next assignment waits for a moment, as it does by default, where that is known (4.3). A real broker waits a second for
the members of a new classic group, which scenarios see it do. The embedded one does not wait. No group is forgotten
while tests run: every ten minutes a real broker would forget those that have nothing left.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from tests.support.waiting import slowness

#: Six seconds, or as many times that as this machine is slower than it should be: members that are alive are not lost.
SESSION_TIMEOUT_S = 6 * int(slowness())
SESSION_TIMEOUT_MS = str(SESSION_TIMEOUT_S * 1000)

BROKER_SETTINGS = {
    "auto.create.topics.enable": "false",
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.session.timeout.ms": SESSION_TIMEOUT_MS,
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "200",
    "group.consumer.assignment.interval.ms": "200",
    "group.initial.rebalance.delay.ms": "1000",
    "offsets.retention.check.interval.ms": "86400000",
}


class KafkaStartError(Exception):
    """A Kafka was found, but did not start; the message ends with the last lines of its log."""


@define
class KafkaServer:
    """A running broker: ``version`` is Kafka's version number, ``embedded`` with one, or ``external``."""

    bootstrap_servers: str
    version: str
    _stop: Callable[[], None] = field(repr=False, default=lambda: None)

    @property
    def release(self) -> tuple[int, ...]:
        """Major and minor number: of a real broker, or of the release that an embedded one is like."""
        return tuple(map(int, self.version.removeprefix("embedded").split(".")[:2]))

    def stop(self) -> None:
        self._stop()

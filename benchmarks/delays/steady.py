"""Records that come at a steady rate into a topic of their own, and clients that handle them, each in a process."""

from __future__ import annotations

import random
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from attrs import Factory, frozen

from benchmarks.delays.feed import Acknowledged, Feed
from benchmarks.delays.task import Delays, Task, Window
from benchmarks.delays.trace import TRACED, Trace
from benchmarks.kafka import create_topic, delete_topics
from benchmarks.processes import ask, running
from benchmarks.profiling.sampling import sampled
from benchmarks.turns import turns

__all__ = ["Elsewhere", "Steady", "steady"]

#: Handlers that are not run in a process of Python, by name.
Elsewhere = Mapping[str, Callable[[Task], Delays]]

#: A broker gives these to connections by turns (num.network.threads of Kafka); the producer keeps one of them busy.
NETWORK_THREADS = 3


@frozen
class Steady:
    """Such a topic."""

    bootstrap_servers: str
    topic: str
    partitions: int
    ask_feed: Callable[[str], Mapping[str, Any]]
    elsewhere: Elsewhere = Factory(dict)

    def acknowledged(self, window_ns: Window) -> Acknowledged:
        """What was between these moments, if the feed notes it."""
        begin, end = window_ns
        return Acknowledged(**self.ask_feed(f"{begin} {end}"))

    def handle(self, handler: str, warm_up_s: float, seconds: float, watches: bool = False) -> Delays:
        """Have the records handled, and their delays noted after ``warm_up_s``, with the strain if it watches.

        Which of the broker's network threads it begins with is chance, not who came before it.
        """
        for _ in range(random.randrange(NETWORK_THREADS)):
            _take_a_turn(self.bootstrap_servers)
        task = self._task(handler, warm_up_s, seconds, watches)
        if handler in self.elsewhere:
            return self.elsewhere[handler](task)
        return ask("benchmarks.delays.handle", task, Delays)

    def handle_in_turns(
        self, handlers: Mapping[str, str], rounds: int, warm_up_s: float, seconds: float
    ) -> dict[str, list[Delays]]:
        """Have ``handlers``, which have names, take turns; the delays of each round, by name."""
        delays: dict[str, list[Delays]] = {name: [] for name in handlers}
        for name in turns(list(handlers), rounds):
            delays[name].append(self.handle(handlers[name], warm_up_s, seconds))
        return delays

    def trace(self, warm_up_s: float, seconds: float) -> Trace:
        """Have the records handled by ours, and their delays taken apart after ``warm_up_s``."""
        return ask("benchmarks.delays.trace", self._task(TRACED, warm_up_s, seconds), Trace)

    def sample(self, handler: str, warm_up_s: float, seconds: float, hz: int) -> Sequence[str]:
        """Have the records handled while py-spy looks at it, so many times a second: lines as of ``sampled``."""
        return sampled("benchmarks.delays.handle", self._task(handler, warm_up_s, seconds), hz)

    def _task(self, handler: str, warm_up_s: float, seconds: float, watches: bool = False) -> Task:
        return Task(handler, self.bootstrap_servers, self.topic, self.partitions, warm_up_s, seconds, watches)


def _take_a_turn(bootstrap_servers: str) -> None:
    """Connect for a moment."""
    host, port = bootstrap_servers.split(",")[0].rsplit(":", 1)
    socket.create_connection((host, int(port))).close()


@contextmanager
def steady(
    bootstrap_servers: str,
    partitions: int,
    records_per_s: int,
    notes_acknowledged: bool = False,
    elsewhere: Elsewhere | None = None,
) -> Iterator[Steady]:
    """Make the topic, and write to it all the time; it is deleted at the end."""
    topic = create_topic(bootstrap_servers, partitions, name="latency")
    feed = Feed(bootstrap_servers, topic, partitions, records_per_s, notes_acknowledged)
    with running("benchmarks.delays.feed", feed) as ask_feed:
        yield Steady(bootstrap_servers, topic, partitions, ask_feed, elsewhere or {})
    delete_topics(bootstrap_servers, [topic])

"""Kafka's own consumer, in one process of Java for all its turns, so that what it has compiled stays compiled.

Between its turns there is no consumer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import nan
from pathlib import Path
from typing import Any

from attrs import frozen

from benchmarks.delays.task import Delays, Task
from benchmarks.idling.task import Idleness
from benchmarks.idling.task import Task as WaitingTask
from benchmarks.processes import asking

__all__ = ["CLIENT_VERSION", "Java", "java"]

SOURCE = Path(__file__).with_name("JavaHandler.java")

#: The release of kafka-clients, whichever broker it reads from.
CLIENT_VERSION = "4.4.0"

#: Threads that compile don't end meanwhile, for the time of those that have ended is not told.
OPTIONS = ("-XX:-UseDynamicNumberOfCompilerThreads", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error")


@frozen
class Java:
    """The process, which obeys lines."""

    ask: Callable[[str], Mapping[str, Any]]

    def handle(self, task: Task) -> Delays:
        told = self._ask("handle", task, task.warm_up_s)
        return Delays.of(told["delays_ns"], told["cpu_s"], None, told["window_ns"])

    def wait(self, task: WaitingTask) -> Idleness:
        """Its memory is not told: it is what the heap may have."""
        return Idleness(self._ask("wait", task, task.settle_s)["cpu_share"], nan)

    def _ask(self, what: str, task: Task | WaitingTask, uncounted_s: float) -> Mapping[str, Any]:
        times_ns = int(uncounted_s * 1e9), int(task.seconds * 1e9)
        return self.ask(" ".join(map(str, (what, task.bootstrap_servers, task.topic, task.partitions, *times_ns))))


@contextmanager
def java() -> Iterator[Java]:
    """Run it as long as the context, with jars that are fetched as the tests do."""
    from kafka_nextgen.testing.real_kafka.maven import find_java
    from tests.support.kafka_from_maven import fetch_jars

    command = [find_java(), *OPTIONS, "-cp", str(fetch_jars(CLIENT_VERSION) / "*"), str(SOURCE)]
    with asking(SOURCE.name, command) as ask:
        yield Java(ask)

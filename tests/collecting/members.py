"""Members of a group that poll on threads of their own, as members do, and a sink that keeps what they tell."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from kafka_nextgen import Consumer, EventLog, LeaveMode, RebalanceListener
from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.events import Event, EventKind
from tests.support.waiting import GUARD_S, eventually


class Kept:
    dropped = 0

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.is_closed = False

    @property
    def written(self) -> int:
        return len(self.events)

    def take(self) -> list[Event]:
        events, self.events = self.events, []
        return events

    def write(self, event: Event) -> None:
        self.events.append(event)

    def close(self, timeout_s: float = 5.0) -> None:
        self.is_closed = True

    def of(self, *kinds: EventKind) -> list[Event]:
        return [event for event in self.events if event.kind in kinds]

    def of_group(self, group: str) -> list[Event]:
        return [event for event in self.events if event.group == group]

    def facts(self, group: str, name: str) -> list[Any]:
        """What the events of the group come to so far."""
        return list(analyze(self.of_group(group)).facts[name])


class Member:
    """A consumer with an event log, polled by a thread until it is closed or dies; closed by ``with``."""

    def __init__(
        self,
        config: dict[str, object],
        topic: str,
        log: EventLog,
        listener: RebalanceListener | None = None,
        leave: LeaveMode = LeaveMode.DEFAULT,
    ) -> None:
        self.records = 0
        self.id = ""  # the last one it had
        self._consumer: Consumer | None = Consumer(config)
        self._consumer.hooks.add(log)
        self._consumer.subscribe([topic], listener)
        self._leave = leave
        self._asked: list[Callable[[Consumer], object]] = []
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._poll)
        self._thread.start()

    def __enter__(self) -> Member:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def owned(self) -> int:
        return 0 if self._consumer is None else len(self._consumer.assignment())

    def do(self, call: Callable[[Consumer], object]) -> None:
        """Have the thread do this instead of polling, and wait until it is done."""
        done = threading.Event()

        def run(consumer: Consumer) -> None:
            try:
                call(consumer)
            finally:
                done.set()

        self._asked.append(run)
        assert done.wait(GUARD_S)

    def busy(self, seconds: float) -> None:
        """Have its application do something else, without polling; returns at once."""
        self._asked.append(lambda _: time.sleep(seconds))

    def close(self) -> None:
        consumer = self._stop()
        if consumer is not None:
            consumer.close(leave=self._leave)

    def die(self) -> None:
        """Be gone without a word, as after a crash."""
        consumer = self._stop()
        assert consumer is not None
        consumer._core.engine.abandon()

    def _stop(self) -> Consumer | None:
        self._is_over.set()
        self._thread.join()
        consumer, self._consumer = self._consumer, None
        return consumer

    def _poll(self) -> None:
        consumer = self._consumer
        assert consumer is not None
        while not self._is_over.is_set():
            self.records += len(consumer.poll(0.02))
            self.id = consumer.group_metadata().member_id or self.id
            if self._asked:
                self._asked.pop(0)(consumer)


def shared(partitions: int, *members: Member) -> None:
    """Wait until the members have all partitions, evenly."""

    def is_so() -> bool:
        sizes = [member.owned for member in members]
        is_known = all(member.id for member in members)
        return is_known and sum(sizes) == partitions and max(sizes) - min(sizes) <= 1

    eventually(f"{partitions} partitions are shared by {len(members)}", is_so)

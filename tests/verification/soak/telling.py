"""What every worker of the soak does: tell each thing before anything follows from it, and hear what it is to do.

It tells what the workers of other end-to-end tests tell (``tests.endtoend.report``), by places and keys, and besides:

* ``delivered`` is told when records were handed over, or when a handler of ``run`` is through with one;
* ``committed``: ``since`` is when it was asked for;
* ``sought``: about to go to these offsets; ``paused`` and ``resumed``: what is paused from now on;
* ``leaving``: a member by the classic protocol is about to close;
* ``trouble``: a call raised, or a commit failed; ``note`` says what;
* ``vitals``: ``note`` has them as JSON.
"""

from __future__ import annotations

import json
import os
import queue
import socket
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from attrs import frozen

from kafka_nextgen import Record, SubscriptionPattern, TopicPartition
from tests.endtoend.report import Line, Run
from tests.support.descriptors import open_descriptors
from tests.verification.soak.places import key_at, partition_at, place_of, places_of, runs_of, topic_of

_LOCK = threading.Lock()


class Interrupted(Exception):  # noqa: N818  (no error)
    """Raised by a signal handler in the middle of a call."""


def tell(
    what: str,
    *,
    runs: Iterable[Run] = (),
    partitions: Iterable[int] = (),
    offsets: Mapping[int, int] | None = None,
    since: float | None = None,
    note: str = "",
) -> None:
    """Write one line whole, or nothing of it; lines of all threads are in the order of their times."""
    with _LOCK:
        line = Line(time.monotonic(), what, tuple(runs), tuple(partitions), offsets or {}, since, note)
        os.write(1, line.dump().encode() + b"\n")


def is_in_callback(frame: FrameType | None) -> bool:
    """Whether a callback is at work; what is raised there is the application's own affair."""
    while frame is not None:
        if frame.f_code.co_name.startswith(("on_", "tell")):
            return True
        frame = frame.f_back
    return False


@frozen
class Command:
    """One line that the worker was told by its standard input, such as ``pause 3.0``."""

    verb: str
    amount: float


class Orders:
    """The commands that have come, and ``is_stopped`` once SIGTERM has, or the input has ended."""

    def __init__(self) -> None:
        self.is_stopped = False
        self._came: queue.SimpleQueue[Command] = queue.SimpleQueue()
        threading.Thread(target=self._listen, name="orders", daemon=True).start()

    def next(self) -> Command | None:
        try:
            return self._came.get_nowait()
        except queue.Empty:
            return None

    def _listen(self) -> None:
        for line in sys.stdin:
            verb, amount = line.split()
            if verb == "cut":
                cut_connections()
            else:
                self._came.put(Command(verb, float(amount)))


def cut_connections() -> None:
    """Break every TCP connection of this process, as a network does that gives up on them."""
    for descriptor, target in open_descriptors().items():
        if target.startswith("socket:"):
            # Not connected, or closed meanwhile, is well.
            with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as shared:
                if shared.family in (socket.AF_INET, socket.AF_INET6):
                    shared.shutdown(socket.SHUT_RDWR)


class Book:
    """How far each partition was processed by this worker, by key; and what its specification says."""

    def __init__(self, specification: Mapping[str, Any]) -> None:
        self.specification = specification
        self.prefix: str = specification["prefix"]
        self.commits: str = specification["commits"]
        self.processed: dict[int, int] = {}
        self.records = 0
        self.rebalances = 0
        self._lock = threading.Lock()  # handlers of run() are at work side by side

    @classmethod
    def of_arguments(cls) -> Book:
        return cls(json.loads(sys.argv[1]))

    def config(self) -> dict[str, object]:
        automatic = {"enable.auto.commit": self.commits == "auto"}
        return {**self.specification["config"], **automatic, **self._password()}

    def _password(self) -> dict[str, Callable[[], str]]:
        """The password as the file has it at each login, if there is one."""
        place = self.specification.get("password_file")
        return {} if place is None else {"sasl.password": Path(place).read_text}

    def topics(self) -> SubscriptionPattern | list[str]:
        if self.specification["pattern"]:
            return SubscriptionPattern(self.prefix + "-[0-9]+")
        return [topic_of(self.prefix, number) for number in range(self.specification["topics"])]

    def leave(self) -> None:
        if self.specification["config"]["group.protocol"] == "classic":
            tell("leaving")

    # ---- records

    def deliver(self, records: Sequence[Record]) -> None:
        """Tell of records; from now on they count as processed."""
        if not records:
            return
        runs, misplaced = runs_of(records)
        with self._lock:
            if runs:
                tell("delivered", runs=runs)
            if misplaced:
                tell("misplaced", runs=misplaced)
            self.records += len(records)
            for run in runs:
                self._drop_other_incarnations(run.partition)
                self.processed[run.partition] = run.last + 1

    def _drop_other_incarnations(self, key: int) -> None:
        if key not in self.processed:
            self._forget([key_at(key, 0)])

    def _forget(self, places: Collection[int]) -> None:
        for key in [key for key in self.processed if key_at(key, 0) in places]:
            del self.processed[key]

    # ---- commits

    def offsets(self, keys: Iterable[int]) -> dict[TopicPartition, int]:
        return {partition_at(self.prefix, key): self.processed[key] for key in keys}

    def key_of(self, at: TopicPartition) -> int | None:
        """Return the key that was processed last of a partition, None if nothing was."""
        place = place_of(at)
        return next((key for key in self.processed if key_at(key, 0) == place), None)

    # ---- rebalances

    def took(self, partitions: Iterable[TopicPartition]) -> None:
        self.rebalances += 1
        tell("assigned", partitions=places_of(partitions))

    def gave_up(self, what: str, partitions: Sequence[TopicPartition]) -> None:
        self.rebalances += 1
        with self._lock:
            self._forget(places_of(partitions))
        tell(what, partitions=places_of(partitions))

"""A fault in a test: it is active in a ``with`` block, or from ``start`` to ``stop``."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Protocol

from kafka_nextgen.errors import FaultNotMetError, MisuseError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.arguments import seconds
from kafka_nextgen.testing.faults.kind import Kind, Taken
from kafka_nextgen.testing.faults.question import Named, Question
from kafka_nextgen.testing.faults.selection import Selection
from kafka_nextgen.types import TopicPartition

__all__ = ["Definition", "Fault"]

_MOST_TOLD = 6


@frozen
class Definition:
    """The kind of a fault, and the selected requests."""

    kind: Kind
    selection: Selection

    def __str__(self) -> str:
        return f"{self.kind} {self.selection}"


class _Faults(Protocol):
    def add(self, fault: Fault) -> None: ...

    def remove(self, fault: Fault) -> None: ...


class Fault:
    """One fault of a cluster; see ``Cluster.fault``. It can be active once.

    ``faults`` are the cluster's faults, and ``call`` calls a function where the cluster runs.
    """

    def __init__(self, definition: Definition, faults: _Faults, call: Callable[..., Any]) -> None:
        self.definition = definition
        self.selection = definition.selection
        self.ended = asyncio.Event()
        self._faults = faults
        self._call = call
        self._is_started = self._is_stopped = False
        self._met = self._passed = self._unplaced = 0
        self._seen: Counter[tuple[str, str]] = Counter()
        self._named: dict[Named, None] = {}
        self._changed = threading.Condition()

    @property
    def met(self) -> int:
        """How many requests have met the fault so far."""
        return self._met

    @property
    def is_used_up(self) -> bool:
        """Whether it has applied the maximum number of times."""
        return self.selection.times is not None and self._met >= self.selection.times

    def start(self) -> Fault:
        """Let the fault apply to requests that arrive from now on.

        Raises ``MisuseError`` if it was started before, the same fault is active, the cluster is not running, or the
        cluster lacks the topic, partition or node of the fault.
        """
        if self._is_started:
            raise MisuseError(f"this fault was started before: create another ({self})")
        self._call(self._faults.add, self)
        self._is_started = True
        return self

    def stop(self) -> None:
        """End the fault. Requests that it holds are handled now.

        Raises ``FaultNotMetError`` if no request met it, ``MisuseError`` unless it is active.
        """
        if not self._is_started or self._is_stopped:
            raise MisuseError(f"this fault is not active ({self})")
        self._end()
        if not self._met:
            raise FaultNotMetError(self._explain("was never met"))

    def wait_until_met(self, times: int = 1, timeout: float = 10.0) -> None:
        """Wait until this number of requests have met the fault. Raises ``FaultNotMetError`` after ``timeout`` seconds.

        The timeout uses the system's clock, even if the cluster has another one. Raises ``MisuseError`` in a thread
        with an event loop: ``await cluster.wait_until_async(lambda: fault.met >= times)`` there.
        """
        if asyncio._get_running_loop() is not None:  # noqa: SLF001  (that does not raise)
            raise MisuseError(
                "wait_until_met() blocks this thread's event loop: "
                f"await cluster.wait_until_async(lambda: fault.met >= {times})"
            )
        limit_s = seconds("timeout", timeout)
        with self._changed:
            if not self._changed.wait_for(lambda: self._met >= times, limit_s):
                raise FaultNotMetError(self._explain(f"affected {self._met} of {times} times within {timeout:g} s"))

    def __enter__(self) -> Fault:
        return self.start()

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._is_stopped:
            return
        if exc_type is None:
            self.stop()
        else:
            self._end()

    def __str__(self) -> str:
        return str(self.definition)

    def __repr__(self) -> str:
        return f"<Fault: {self}, met {self._met} {'time' if self._met == 1 else 'times'}>"

    # ---- where the cluster runs

    def saw(self, question: Question) -> None:
        """Note a request that arrived while the fault was active."""
        self._seen[question.request.api.name, question.context.client_id] += 1
        if self.selection.topic is not None and len(self._named) < _MOST_TOLD and self.selection.is_near(question):
            self._named.update(dict.fromkeys(question.named()))

    def take(self, question: Question) -> Taken | None:
        """The effect on a request; None if the fault does not apply to it."""
        if self.is_used_up or not self.selection.selects(question):
            return None
        taken = self.definition.kind.take(question, self)
        if taken is None:
            self._unplaced += 1
            return None
        if self._passed < self.selection.after:
            self._passed += 1
            return None
        if not taken.counts_itself:
            self.count()
        return taken

    def count(self) -> None:
        """Count a request that met the fault."""
        with self._changed:
            self._met += 1
            self._changed.notify_all()

    # ---- the test's side

    def _end(self) -> None:
        self._is_stopped = True
        with suppress(MisuseError):  # the cluster has stopped, and the fault with it
            self._call(self._faults.remove, self)

    def _explain(self, what: str) -> str:
        told = [f"the fault {what}: {self}", f"meanwhile the cluster received {_listed(self._seen)}"]
        if self._passed:
            told.append(f"{self._passed} matched, but it applies after {self.selection.after}")
        if self._unplaced:
            told.append(f"{self._unplaced} matched, but it could not apply: no topic, or no error field")
        if self._named:
            told.append(f"such requests were for {_partitions(self._named)}")
        return "; ".join(told)


def _listed(seen: Counter[tuple[str, str]]) -> str:
    if not seen:
        return "no requests"
    most = [f"{count} {api} from client {client!r}" for (api, client), count in seen.most_common(_MOST_TOLD)]
    more = len(seen) - len(most)
    return ", ".join(most) + (f", and {more} other kinds" if more else "")


def _partitions(named: dict[Named, None]) -> str:
    return ", ".join(topic if index is None else str(TopicPartition(topic, index)) for topic, index in named)

"""Hooks, which observe a consumer, for example for tracing, and never change its behaviour.

A hook is called on the thread on which the event happens, so it must not block. Its exceptions are logged and ignored.
Without hooks the cost is one check per poll, commit or rebalance and, only in ``run``, per record.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from types import TracebackType

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.observability.rebalance import MemberName, Rebalance
from kafka_nextgen.logs import logger_of
from kafka_nextgen.types import OffsetAndMetadata, Record, TopicPartition

__all__ = ["LATE_S", "HookList", "Hooks", "wall_s"]

#: An application that has not polled for longer than this (seconds) is late.
LATE_S = 1.0
#: The time limit (seconds) for calling ``detached`` on removed hooks.
REMOVING_S = 5.0

logger = logger_of("kafka_nextgen.hooks")


class Hooks:
    """Override the methods you need, and pass an instance to ``consumer.hooks.add``.

    ``began_at`` is in seconds since the epoch, ``took_s`` in seconds.
    """

    def attached(self, name: Callable[[], MemberName]) -> None:
        """The hooks were added to a consumer. ``name`` returns its identity, at any time and on any thread."""

    def reached(self) -> None:
        """The cluster has been reached, so ``name`` now includes its id, or it has refused this client.

        Called on the I/O thread; for hooks that are added later, immediately on the thread that adds them.
        """

    def detached(self, timeout_s: float) -> None:
        """The consumer was closed or the hooks were removed: the last call, which may take ``timeout_s`` seconds."""

    def received(self, records: Records, began_at: float, took_s: float) -> None:
        """A poll that began at ``began_at`` has returned ``records``. Called on the thread that polls.

        Iteration reports all records of one poll together, when it polls again. ``records`` have a DeserializationError
        in place of each key or value that can't be deserialized, with any setting of
        ``on.deserialization.error``.
        """

    def processing(self, record: Record) -> AbstractContextManager[object]:
        """Return a context manager for the handler of ``record`` in ``run``, entered on the handler's thread or task.

        Each attempt enters a new one. Its ``__exit__`` gets the handler's exception, but can't suppress it.
        """
        return nullcontext()

    def committed(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        began_at: float,
        took_s: float,
        error: BaseException | None,
    ) -> None:
        """A commit of ``offsets`` has ended; ``error`` is set if it failed. Called on the I/O thread."""

    def rebalanced(self, rebalance: Rebalance) -> None:
        """A rebalance has ended. Called on the I/O thread."""

    def called_back(
        self,
        callback: str,
        partitions: Sequence[TopicPartition],
        began_at: float,
        took_s: float,
        error: BaseException | None,
    ) -> None:
        """A listener's callback was called with ``partitions``. Called on the thread that polls.

        ``callback`` is assigned, revoked, lost or standby; ``error`` is the exception that it raised. For standby,
        ``partitions`` are those that this member may take over.
        """

    def polled_late(self, began_at: float, took_s: float) -> None:
        """The application polled again more than ``LATE_S`` seconds after ``began_at``.

        Called on the thread that polls.
        """

    def stalled(self, partitions: Sequence[TopicPartition], silent_s: float) -> None:
        """No replica has answered a fetch for these partitions for up to ``silent_s`` seconds.

        Called on the I/O thread once partitions stall; ``consumer.health()`` shows whether they are still stalled.
        """


class HookList:
    """The hooks of one consumer. They can be added and removed at any time, on any thread."""

    def __init__(self, name: Callable[[], MemberName] = MemberName) -> None:
        self._name = name
        self._hooks: tuple[Hooks, ...] = ()
        self._has_reached = False
        self._lock = threading.RLock()  # reentrant: a signal handler may change the hooks while the lock is held

    def __bool__(self) -> bool:
        return bool(self._hooks)

    def add(self, hooks: Hooks) -> None:
        """Add these hooks; they are called after the existing ones."""
        _tell(hooks, lambda hooks: hooks.attached(self._name))
        with self._lock:
            self._hooks = (*self._hooks, hooks)
            has_reached = self._has_reached
        if has_reached:
            _tell(hooks, lambda hooks: hooks.reached())

    def remove(self, hooks: Hooks) -> None:
        """Remove these hooks; does nothing if they were not added."""
        with self._lock:
            others = tuple(other for other in self._hooks if other is not hooks)
            was_there = len(others) < len(self._hooks)
            self._hooks = others
        if was_there:
            _tell(hooks, lambda hooks: hooks.detached(REMOVING_S))

    def reached(self) -> None:
        """Call ``reached`` on all hooks, and on any that are added later."""
        with self._lock:
            self._has_reached = True
            present = self._hooks  # not each(): for hooks that are added later, add() calls it
        for hooks in present:
            _tell(hooks, lambda hooks: hooks.reached())

    def each(self, tell: Callable[[Hooks], None]) -> None:
        """Call ``tell`` with each hook."""
        for hooks in self._hooks:
            _tell(hooks, tell)

    @contextmanager
    def processing(self, record: Record) -> Iterator[None]:
        """Enter the ``processing`` contexts of all hooks, in the order in which they were added."""
        with ExitStack() as stack:
            for hooks in self._hooks:
                stack.enter_context(_Shielded(hooks, record))
            yield


class _Shielded(AbstractContextManager[None]):
    """Wraps the context of one hook, so that it can neither raise nor suppress the handler's exception."""

    def __init__(self, hooks: Hooks, record: Record) -> None:
        self._hooks = hooks
        self._record = record
        self._inner: AbstractContextManager[object] = nullcontext()

    def __enter__(self) -> None:
        try:
            inner = self._hooks.processing(self._record)
            inner.__enter__()
        except Exception:
            _log_failure(self._hooks)
        else:
            self._inner = inner

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._inner.__exit__(kind, error, trace)
        except Exception as raised:
            if raised is not error:
                _log_failure(self._hooks)


def _tell(hooks: Hooks, tell: Callable[[Hooks], None]) -> None:
    try:
        tell(hooks)
    except Exception:
        _log_failure(hooks)


def _log_failure(hooks: Hooks) -> None:
    logger.exception("%s raised; the error is ignored", type(hooks).__qualname__)


def wall_s(moment: float) -> float:
    """Convert a time from monotonic seconds to seconds since the epoch."""
    return clocks.time() - (clocks.monotonic() - moment)

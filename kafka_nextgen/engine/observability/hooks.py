"""Hooks, which observe a consumer, for example for traces, and never change what it does.

A hook is called on the thread where the event happens, so it must not block. What it raises is logged and ignored. A
consumer without hooks pays one check per poll, commit or rebalance, and per record only in ``run``.
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

#: An application that does not poll for longer than this (seconds) is late.
LATE_S = 1.0
#: How long (seconds) ``detached`` of removed hooks may take.
REMOVING_S = 5.0

logger = logger_of("kafka_nextgen.hooks")


class Hooks:
    """Override the methods you need, and pass an instance to ``consumer.hooks.add``.

    ``began_at`` is in seconds since the epoch, ``took_s`` in seconds.
    """

    def attached(self, name: Callable[[], MemberName]) -> None:
        """The hooks were added to a consumer; ``name`` identifies it, at any time and on any thread."""

    def reached(self) -> None:
        """The cluster was reached, so ``name`` has its id, or refused this client; on the I/O thread.

        Hooks that are added later are told so at once, where they are added.
        """

    def detached(self, timeout_s: float) -> None:
        """The consumer was closed, or the hooks removed: the last call. May take up to ``timeout_s`` seconds."""

    def received(self, records: Records, began_at: float, took_s: float) -> None:
        """A poll that began then handed these over; where the application polls.

        Iteration reports the records it gave out when it polls again, all of one poll at once. A key or value that
        can't be deserialized is the DeserializationError here, under any ``on.deserialization.error``.
        """

    def processing(self, record: Record) -> AbstractContextManager[object]:
        """A context for the handler of ``record`` in ``run``, entered on the handler's thread or task.

        It is entered anew for each attempt. It sees what the handler raises, but can't suppress it.
        """
        return nullcontext()

    def committed(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        began_at: float,
        took_s: float,
        error: BaseException | None,
    ) -> None:
        """A commit of these ended, with ``error`` if it failed; on the I/O thread."""

    def rebalanced(self, rebalance: Rebalance) -> None:
        """A rebalance is over; on the I/O thread."""

    def called_back(
        self,
        callback: str,
        partitions: Sequence[TopicPartition],
        began_at: float,
        took_s: float,
        error: BaseException | None,
    ) -> None:
        """The listener was told that these were ``callback`` (assigned, revoked or lost); where the application polls.

        Or that this member stands by (standby), and may get them. ``error`` is what it raised.
        """

    def polled_late(self, began_at: float, took_s: float) -> None:
        """The application polls again, after more than ``LATE_S`` seconds since ``began_at``; where it polls."""

    def stalled(self, partitions: Sequence[TopicPartition], silent_s: float) -> None:
        """No replica has answered for these partitions for too long, up to ``silent_s`` seconds; on the I/O thread.

        Called once when they stall; ``consumer.health()`` says whether they still do.
        """


class HookList:
    """The hooks of one consumer; they may be changed at any time, from any thread."""

    def __init__(self, name: Callable[[], MemberName] = MemberName) -> None:
        self._name = name
        self._hooks: tuple[Hooks, ...] = ()
        self._has_reached = False
        self._lock = threading.RLock()  # a signal handler may change them from within

    def __bool__(self) -> bool:
        return bool(self._hooks)

    def add(self, hooks: Hooks) -> None:
        """Call these from now on, after the present ones."""
        _tell(hooks, lambda hooks: hooks.attached(self._name))
        with self._lock:
            self._hooks = (*self._hooks, hooks)
            has_reached = self._has_reached
        if has_reached:
            _tell(hooks, lambda hooks: hooks.reached())

    def remove(self, hooks: Hooks) -> None:
        """Stop calling these; does nothing if they were not added."""
        with self._lock:
            others = tuple(other for other in self._hooks if other is not hooks)
            was_there = len(others) < len(self._hooks)
            self._hooks = others
        if was_there:
            _tell(hooks, lambda hooks: hooks.detached(REMOVING_S))

    def reached(self) -> None:
        """Tell the hooks, and all that will be added, that the cluster was reached."""
        with self._lock:
            self._has_reached = True
            present = self._hooks  # not by each(): hooks that are added from now on are told by add()
        for hooks in present:
            _tell(hooks, lambda hooks: hooks.reached())

    def each(self, tell: Callable[[Hooks], None]) -> None:
        """Have ``tell`` call a method of all hooks, one after the other."""
        for hooks in self._hooks:
            _tell(hooks, tell)

    @contextmanager
    def processing(self, record: Record) -> Iterator[None]:
        """Enter the ``processing`` contexts of all hooks, the oldest first."""
        with ExitStack() as stack:
            for hooks in self._hooks:
                stack.enter_context(_Shielded(hooks, record))
            yield


class _Shielded(AbstractContextManager[None]):
    """The context of one hook, made unable to raise or to suppress what the handler raised."""

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
    """A moment (monotonic seconds) in seconds since the epoch."""
    return clocks.time() - (clocks.monotonic() - moment)

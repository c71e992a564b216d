"""Hooks: what watches a consumer at work, such as traces, and never changes what it does.

A hook is called where the thing happens, so it must not block. What a hook raises is logged, and nothing else comes
of it. A consumer without hooks pays for looking whether there are any, once per poll, commit or rebalance, and once
per record only in ``run``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from types import TracebackType

from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.observability.rebalance import MemberName, Rebalance
from kafka_nextgen.logs import logger_of
from kafka_nextgen.types import OffsetAndMetadata, Record, TopicPartition

__all__ = ["LATE_S", "HookList", "Hooks"]

#: An application that does not poll for longer than this (seconds) is late.
LATE_S = 1.0
#: Hooks that are removed may take so long (seconds) to end.
REMOVING_S = 5.0

logger = logger_of("kafka_nextgen.hooks")


class Hooks:
    """Override what is of interest, and give it to ``consumer.hooks.add``.

    ``began_at`` is in seconds since the epoch, ``took_s`` in seconds.
    """

    def attached(self, name: Callable[[], MemberName]) -> None:
        """They were added to a consumer; ``name`` tells at any time, on any thread, who this is to its group."""

    def reached(self) -> None:
        """The cluster is known, as ``name`` tells from now on, or refuses this client; on the I/O thread."""

    def detached(self, timeout_s: float) -> None:
        """The consumer is closed, or they were removed: nothing more is told. May take up to ``timeout_s`` seconds."""

    def received(self, records: Records, began_at: float, took_s: float) -> None:
        """A poll that began then handed these over; where the application polls.

        Iteration tells of the records it gave out when it polls again, all of one poll at once. A key or value that
        can't be deserialized is the DeserializationError here, whatever ``on.deserialization.error`` says.
        """

    def processing(self, record: Record) -> AbstractContextManager[object]:
        """What to be in while ``run`` has a handler at work on ``record``; entered on the handler's thread or task.

        Entered anew for each attempt. It sees what the handler raises, and can't keep it from being raised.
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

        ``error`` is what it raised.
        """

    def polled_late(self, began_at: float, took_s: float) -> None:
        """From ``began_at`` on nothing was polled for longer than ``LATE_S``; where the application polls again."""

    def stalled(self, partitions: Sequence[TopicPartition], silent_s: float) -> None:
        """Nothing was heard of these partitions for too long, up to ``silent_s`` seconds; on the I/O thread.

        Said once when it begins; ``consumer.health()`` says whether it still holds.
        """


class HookList:
    """The hooks of one consumer; may be changed at any time, from any thread."""

    def __init__(self, name: Callable[[], MemberName] = MemberName) -> None:
        self._name = name
        self._hooks: tuple[Hooks, ...] = ()
        self._lock = threading.RLock()  # a signal handler may change them from within

    def __bool__(self) -> bool:
        return bool(self._hooks)

    def add(self, hooks: Hooks) -> None:
        """Call these from now on, after those there are."""
        _tell(hooks, lambda hooks: hooks.attached(self._name))
        with self._lock:
            self._hooks = (*self._hooks, hooks)

    def remove(self, hooks: Hooks) -> None:
        """Call these no more; does nothing if they were not added."""
        with self._lock:
            others = tuple(other for other in self._hooks if other is not hooks)
            was_there = len(others) < len(self._hooks)
            self._hooks = others
        if was_there:
            _tell(hooks, lambda hooks: hooks.detached(REMOVING_S))

    # ---- for those who are watched; moments are monotonic, in seconds

    def reached(self) -> None:
        """Say that the cluster was reached for the first time."""
        self._each(lambda hooks: hooks.reached())

    def detached(self, timeout_s: float) -> None:
        """Say that the consumer is closed; may be said again."""
        self._each(lambda hooks: hooks.detached(timeout_s))

    def received(self, records: Records, began: float, ended: float) -> None:
        """Say that a poll handed records over."""
        began_at = _wall_s(began)
        self._each(lambda hooks: hooks.received(records, began_at, ended - began))

    def committed(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        began: float,
        ended: float,
        error: BaseException | None,
    ) -> None:
        """Say that a commit ended."""
        began_at = _wall_s(began)
        self._each(lambda hooks: hooks.committed(offsets, began_at, ended - began, error))

    def called_back(
        self,
        callback: str,
        partitions: Sequence[TopicPartition],
        began: float,
        ended: float,
        error: BaseException | None,
    ) -> None:
        """Say that a method of the listener returned, or raised."""
        began_at = _wall_s(began)
        self._each(lambda hooks: hooks.called_back(callback, partitions, began_at, ended - began, error))

    def polled_late(self, began: float, ended: float) -> None:
        """Say that the application polls again, after a long time."""
        began_at = _wall_s(began)
        self._each(lambda hooks: hooks.polled_late(began_at, ended - began))

    def rebalanced(self, rebalance: Rebalance) -> None:
        """Say that a rebalance is over."""
        self._each(lambda hooks: hooks.rebalanced(rebalance))

    def stalled(self, partitions: Sequence[TopicPartition], silent_s: float) -> None:
        """Say that partitions have stalled."""
        self._each(lambda hooks: hooks.stalled(partitions, silent_s))

    @contextmanager
    def processing(self, record: Record) -> Iterator[None]:
        """Be in what each of them wants to be in, first the oldest."""
        with ExitStack() as stack:
            for hooks in self._hooks:
                stack.enter_context(_Shielded(hooks, record))
            yield

    def _each(self, tell: Callable[[Hooks], None]) -> None:
        for hooks in self._hooks:
            _tell(hooks, tell)


class _Shielded(AbstractContextManager[None]):
    """The context of one hook, which neither raises anything of its own nor stops what the handler raised."""

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
    logger.exception("%s raised; nothing else comes of it", type(hooks).__qualname__)


def _wall_s(moment: float) -> float:
    return time.time() - (time.monotonic() - moment)

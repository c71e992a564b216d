"""Rebalance listeners: the interface for applications, what a listener may call, and how its methods are run.

The methods run where the application polls: inside ``poll``, iteration, ``unsubscribe`` or ``close``, never on the I/O
thread, so heartbeats continue even while a method takes long. Their arguments are exactly the partitions that changed,
in a stable order.

``AsyncConsumer`` accepts both kinds, and mixtures. A coroutine function is awaited and gets an
``AsyncRebalanceConsumer``. Any other method gets a ``RebalanceConsumer``, whose ``commit`` and ``position`` block the
event loop: a coroutine that such a method does not await would be lost silently.

A listener may use the consumer itself, too, except for calls that would wait for the callback they are made from. A
context variable marks callers inside a callback, so tasks that a callback awaits count as part of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING

from kafka_nextgen.engine.application.arguments import Offsets, checked_seconds
from kafka_nextgen.engine.mailbox import CallbackKind, PendingCall, PendingCallback, StandbyCallback
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.transport.futures import await_result, wait_for_result
from kafka_nextgen.types import OffsetAndMetadata, StandbyState, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.core import ConsumerCore
    from kafka_nextgen.transport.offset_lookup import OffsetAndTimestamp

__all__ = [
    "AsyncRebalanceConsumer",
    "AsyncRebalanceListener",
    "RebalanceConsumer",
    "RebalanceListener",
    "call",
    "call_async",
    "is_in_callback",
    "loads_as_standby",
    "refuse_coroutines",
]


class _View:
    """The common part of both views: calls that do not wait. A view expires with its callback."""

    def __init__(self, core: ConsumerCore) -> None:
        self._core = core
        self._expired = False
        self._token: Token[_View | None] | None = None

    def __enter__(self) -> None:
        self._token = _current.set(self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._expired = True
        assert self._token is not None
        _current.reset(self._token)

    def _is_for(self, core: ConsumerCore) -> bool:
        return self._core is core and not self._expired and core.callbacks.is_running

    def _alive(self) -> ConsumerCore:
        if self._expired:
            raise MisuseError("this view of the consumer expired when the rebalance callback it was created for ended")
        return self._core

    def _limit_s(self, timeout: float | None) -> float:
        return self._core.config.default_api_timeout_ms / 1000 if timeout is None else checked_seconds(timeout)

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions this member owns now."""
        return self._alive().fetches.assignment()

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Continue reading ``partition`` at ``offset``; raises MisuseError if it is not assigned."""
        self._alive().seek(partition, offset)

    def seek_to_beginning(self, partitions: Collection[TopicPartition]) -> None:
        """Continue reading at the first available offset."""
        self._alive().seek_to(partitions, OffsetReset.EARLIEST)

    def seek_to_end(self, partitions: Collection[TopicPartition]) -> None:
        """Continue reading after the last available record."""
        self._alive().seek_to(partitions, OffsetReset.LATEST)

    def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Stop handing over records of ``partitions`` until they are resumed."""
        self._alive().pause(partitions)

    def resume(self, partitions: Collection[TopicPartition]) -> None:
        """Undo ``pause``."""
        self._alive().resume(partitions)

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        return self._alive().fetches.under_lock(lambda state: state.paused())


_current: ContextVar[_View | None] = ContextVar("kafka_nextgen_rebalance_view", default=None)


def is_in_callback(core: ConsumerCore) -> bool:
    """Whether the caller is inside a rebalance callback of this consumer."""
    view = _current.get()
    return view is not None and view._is_for(core)  # noqa: SLF001  (defined in this file)


class RebalanceConsumer(_View):
    """The calls that a ``RebalanceListener`` may make while one of its methods runs."""

    def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets``, the position after a record, or the positions after everything handed over.

        ``timeout`` is in seconds, None for default.api.timeout.ms. Raises CommitFailedError, or RequestTimeoutError
        after the timeout.
        """
        limit_s = self._limit_s(timeout)
        wait_for_result(self._alive().commit(offsets, limit_s), limit_s)

    def committed(
        self, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """Return the group's committed offsets, None for a partition without one, like ``Consumer.committed``."""
        limit_s = self._limit_s(timeout)
        return wait_for_result(self._alive().committed(partitions, limit_s), limit_s)

    def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """Return the offset of the next record in ``partition``, waiting while the position is being looked up.

        Raises MisuseError if it is not assigned, or RequestTimeoutError after the timeout.
        """
        limit_s = self._limit_s(timeout)
        return wait_for_result(self._alive().find_position(partition, limit_s), limit_s)

    def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """Return the first offset whose record is not older than the timestamp, like ``Consumer.offsets_for_times``."""
        limit_s = self._limit_s(timeout)
        return wait_for_result(self._alive().list_offsets(timestamps, limit_s), limit_s)


class _Done:
    """The result of a call that does not wait. It can be awaited, as with ``AsyncConsumer``, but need not be."""

    def __await__(self) -> Generator[None, None, None]:
        return
        yield


_DONE = _Done()


class AsyncRebalanceConsumer(_View):
    """The calls that an ``AsyncRebalanceListener`` may make while one of its methods runs.

    ``seek``, ``pause`` and similar calls take effect before they return. They can be awaited, as with
    ``AsyncConsumer``.
    """

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> _Done:  # type: ignore[override]
        """Continue reading ``partition`` at ``offset``; raises MisuseError if it is not assigned."""
        super().seek(partition, offset)
        return _DONE

    def seek_to_beginning(self, partitions: Collection[TopicPartition]) -> _Done:  # type: ignore[override]
        """Continue reading at the first available offset."""
        super().seek_to_beginning(partitions)
        return _DONE

    def seek_to_end(self, partitions: Collection[TopicPartition]) -> _Done:  # type: ignore[override]
        """Continue reading after the last available record."""
        super().seek_to_end(partitions)
        return _DONE

    def pause(self, partitions: Collection[TopicPartition]) -> _Done:  # type: ignore[override]
        """Stop handing over records of ``partitions`` until they are resumed."""
        super().pause(partitions)
        return _DONE

    def resume(self, partitions: Collection[TopicPartition]) -> _Done:  # type: ignore[override]
        """Undo ``pause``."""
        super().resume(partitions)
        return _DONE

    async def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets``, the position after a record, or the positions after everything handed over.

        ``timeout`` is in seconds, None for default.api.timeout.ms. Raises CommitFailedError, or RequestTimeoutError
        after the timeout.
        """
        await await_result(self._alive().commit(offsets, self._limit_s(timeout)))

    async def committed(
        self, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """Return the group's committed offsets, None for a partition without one, like ``Consumer.committed``."""
        return await await_result(self._alive().committed(partitions, self._limit_s(timeout)))

    async def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """Return the offset of the next record in ``partition``, waiting while the position is being looked up.

        Raises MisuseError if it is not assigned, or RequestTimeoutError after the timeout.
        """
        return await await_result(self._alive().find_position(partition, self._limit_s(timeout)))

    async def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """Return the first offset whose record is not older than the timestamp, like ``Consumer.offsets_for_times``."""
        return await await_result(self._alive().list_offsets(timestamps, self._limit_s(timeout)))


#: The methods of a listener.
_LISTENERS = (CallbackKind.ASSIGNED, CallbackKind.REVOKED, CallbackKind.LOST, CallbackKind.STANDBY)


class RebalanceListener:
    """Called during rebalances; override the methods you need.

    ``consumer`` is a view that is valid only while the method runs. With ``AsyncConsumer`` these methods block the
    event loop while they run; those of an ``AsyncRebalanceListener`` do not.

    ``poll`` raises exceptions that a method raises. After an exception in ``on_partitions_assigned``, each poll calls
    the method again, until it returns. After one in ``on_partitions_revoked`` or ``on_partitions_lost`` the partitions
    are still given up, because other members are waiting for them. After one in ``on_standby`` the member continues,
    too.
    """

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """``partitions`` were added, possibly none; their records are handed over only after this method returns.

        If it raises, the next poll calls it again, with the same partitions or, if the assignment has changed by then,
        with the current ones; the others have been revoked or lost by then.
        """

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """``partitions`` are about to be revoked; this member still owns them, so their offsets can be committed.

        A commit in this method that covers any of them leaves out partitions whose topic the coordinator does not know,
        for example because it was deleted, even if the member keeps these partitions. The log reports this; the next
        commit covers the partitions that are kept.
        """

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """``partitions`` are no longer owned, and may belong to another member; nothing can be committed for them."""

    def on_standby(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> StandbyState | None:
        """This member is a standby (``group.target.size``): it gets some of ``partitions`` if an active member fails.

        Load their state in this method. While it runs, the member takes over only if no standby is ready; once it has
        returned, the member is ready. If loading can take as long as ``max.poll.interval.ms``, after which the member
        would leave its group, load in the background: return ``StandbyState.LOADING``, and call
        ``consumer.standby_ready(partitions)`` when done. A member whose method raised is not ready.

        The method is called again when these partitions change, and when this member becomes a standby again after
        being active. Only coordinators with extensions support standbys.
        """
        return None


class AsyncRebalanceListener:
    """The listener for ``AsyncConsumer``, whose methods are awaited. See ``RebalanceListener``."""

    async def on_partitions_assigned(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        """``partitions`` were added, possibly none; their records are handed over only after this method returns."""

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        """``partitions`` are about to be revoked; this member still owns them, so their offsets can be committed."""

    async def on_partitions_lost(self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """``partitions`` are no longer owned, and may belong to another member; nothing can be committed for them."""

    async def on_standby(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> StandbyState | None:
        """This member is a standby (``group.target.size``): it may get some of ``partitions`` if a member fails."""
        return None


def loads_as_standby(listener: RebalanceListener | AsyncRebalanceListener | None) -> bool:
    """Whether the listener has its own ``on_standby``, so that a standby is not ready before it has returned."""
    method = getattr(listener, CallbackKind.STANDBY.value, None)
    return getattr(method, "__func__", method) not in (
        None,
        RebalanceListener.on_standby,
        AsyncRebalanceListener.on_standby,
    )


def refuse_coroutines(listener: RebalanceListener | None) -> None:
    """Raise TypeError for a listener with methods that ``Consumer`` can't await."""
    if any(inspect.iscoroutinefunction(getattr(listener, kind.value, None)) for kind in _LISTENERS):
        raise TypeError("a listener with async methods needs AsyncConsumer; Consumer can't await them")


def call(listener: RebalanceListener | None, callback: PendingCallback, core: ConsumerCore) -> None:
    """Run the listener's method for ``callback``, or the pending call in it."""
    if isinstance(callback, PendingCall):
        callback.run()
    elif listener is not None:
        view = RebalanceConsumer(core)
        with view:
            _take_outcome(callback, _method(listener, callback)(view, list(callback.partitions)))


async def call_async(
    listener: RebalanceListener | AsyncRebalanceListener | None, callback: PendingCallback, core: ConsumerCore
) -> None:
    """Run the listener's method for ``callback``, or the pending call in it; a coroutine function is awaited."""
    if isinstance(callback, PendingCall):
        callback.run()
        return
    if listener is None:
        return
    method = _method(listener, callback)
    view = AsyncRebalanceConsumer(core) if inspect.iscoroutinefunction(method) else RebalanceConsumer(core)
    with view:
        outcome = method(view, list(callback.partitions))
        _take_outcome(callback, await outcome if inspect.isawaitable(outcome) else outcome)


def _take_outcome(callback: PendingCallback, outcome: object) -> None:
    """Note if ``on_standby`` returned before everything was loaded."""
    if isinstance(callback, StandbyCallback) and outcome is StandbyState.LOADING:
        callback.say_loading()


def _method(listener: object, callback: PendingCallback) -> Callable[..., object]:
    method: Callable[..., object] = getattr(listener, callback.kind.value)
    return method

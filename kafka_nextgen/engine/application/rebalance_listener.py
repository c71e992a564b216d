"""Rebalance listeners: what the application implements, what it may call in there, and how its methods are called.

The methods run where the application polls: inside ``poll``, iteration, ``unsubscribe`` or ``close``, never on the
I/O thread, so they may take their time while heartbeats go on. They get exactly what changed, in a stable order.

``AsyncConsumer`` takes both kinds, and mixtures. A coroutine function is awaited and gets an
``AsyncRebalanceConsumer``. Any other method gets a ``RebalanceConsumer``, whose ``commit`` and ``position`` block the
event loop; a ``commit`` that is not awaited would be lost silently.

A listener may use the consumer itself, too, except for calls that would wait for the callback they are made from. A
context variable tells that a caller is in a callback, so tasks that a callback awaits count as part of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextvars import ContextVar, Token
from types import TracebackType

from kafka_nextgen.engine.application.arguments import Offsets, checked_seconds
from kafka_nextgen.engine.application.core import ConsumerCore
from kafka_nextgen.engine.mailbox import CallbackKind, PendingCall, PendingCallback
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.fetching import FetchState
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.transport.futures import await_result, wait_for_result
from kafka_nextgen.transport.offset_lookup import OffsetAndTimestamp
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "AsyncRebalanceConsumer",
    "AsyncRebalanceListener",
    "RebalanceConsumer",
    "RebalanceListener",
    "call",
    "call_async",
    "is_in_callback",
    "refuse_coroutines",
]


class _View:
    """What both views can do without waiting; they expire with the callback."""

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
        return self._core is core and not self._expired and core.is_in_callback

    def _alive(self) -> ConsumerCore:
        if self._expired:
            raise MisuseError("this view of the consumer ended with the rebalance callback it was made for")
        return self._core

    def _limit_s(self, timeout: float | None) -> float:
        return self._core.config.default_api_timeout_ms / 1000 if timeout is None else checked_seconds(timeout)

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions this member owns now."""
        return self._alive().fetches.assignment()

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Go on reading ``partition`` at ``offset``; raises MisuseError if it is not assigned."""
        self._alive().seek(partition, offset)

    def seek_to_beginning(self, partitions: Collection[TopicPartition]) -> None:
        """Go on reading at the first offset there is."""
        self._alive().seek_to(partitions, OffsetReset.EARLIEST)

    def seek_to_end(self, partitions: Collection[TopicPartition]) -> None:
        """Go on reading behind the last record there is."""
        self._alive().seek_to(partitions, OffsetReset.LATEST)

    def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Hand out no record of ``partitions`` until they are resumed."""
        self._alive().pause(partitions)

    def resume(self, partitions: Collection[TopicPartition]) -> None:
        """Undo ``pause``."""
        self._alive().resume(partitions)

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        return self._alive().fetches.under_lock(FetchState.paused)


_current: ContextVar[_View | None] = ContextVar("kafka_nextgen_rebalance_view", default=None)


def is_in_callback(core: ConsumerCore) -> bool:
    """Whether the caller is inside a rebalance callback of this consumer."""
    view = _current.get()
    return view is not None and view._is_for(core)  # noqa: SLF001  (of this very file)


class RebalanceConsumer(_View):
    """What a ``RebalanceListener`` may do while one of its methods runs."""

    def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets``, or what was handed over; ``timeout`` in seconds (default.api.timeout.ms).

        Raises CommitFailedError, or RequestTimeoutError when the time is over.
        """
        limit_s = self._limit_s(timeout)
        wait_for_result(self._alive().commit(offsets, limit_s), limit_s)

    def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """The offset of the next record of ``partition``; waits while it is being looked up.

        Raises MisuseError if it is not assigned, or RequestTimeoutError when the time is over.
        """
        limit_s = self._limit_s(timeout)
        return wait_for_result(self._alive().find_position(partition, limit_s), limit_s)

    def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """The first offset whose record is not older than the timestamp; as ``Consumer.offsets_for_times``."""
        limit_s = self._limit_s(timeout)
        return wait_for_result(self._alive().list_offsets(timestamps, limit_s), limit_s)


class _Done:
    """The result of a call that does not wait: it may be awaited, as that of ``AsyncConsumer``, or not."""

    def __await__(self) -> Generator[None, None, None]:
        return
        yield


_DONE = _Done()


class AsyncRebalanceConsumer(_View):
    """What an ``AsyncRebalanceListener`` may do while one of its methods runs.

    ``seek``, ``pause`` and the like are done when they return. They may be awaited, as those of ``AsyncConsumer``.
    """

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> _Done:  # type: ignore[override]
        """Go on reading ``partition`` at ``offset``; raises MisuseError if it is not assigned."""
        super().seek(partition, offset)
        return _DONE

    def seek_to_beginning(self, partitions: Collection[TopicPartition]) -> _Done:  # type: ignore[override]
        """Go on reading at the first offset there is."""
        super().seek_to_beginning(partitions)
        return _DONE

    def seek_to_end(self, partitions: Collection[TopicPartition]) -> _Done:  # type: ignore[override]
        """Go on reading behind the last record there is."""
        super().seek_to_end(partitions)
        return _DONE

    def pause(self, partitions: Collection[TopicPartition]) -> _Done:  # type: ignore[override]
        """Hand out no record of ``partitions`` until they are resumed."""
        super().pause(partitions)
        return _DONE

    def resume(self, partitions: Collection[TopicPartition]) -> _Done:  # type: ignore[override]
        """Undo ``pause``."""
        super().resume(partitions)
        return _DONE

    async def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets``, or what was handed over; ``timeout`` in seconds (default.api.timeout.ms).

        Raises CommitFailedError, or RequestTimeoutError when the time is over.
        """
        await await_result(self._alive().commit(offsets, self._limit_s(timeout)))

    async def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """The offset of the next record of ``partition``; waits while it is being looked up.

        Raises MisuseError if it is not assigned, or RequestTimeoutError when the time is over.
        """
        return await await_result(self._alive().find_position(partition, self._limit_s(timeout)))

    async def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """The first offset whose record is not older than the timestamp; as ``AsyncConsumer.offsets_for_times``."""
        return await await_result(self._alive().list_offsets(timestamps, self._limit_s(timeout)))


#: The methods of a listener.
_LISTENERS = (CallbackKind.ASSIGNED, CallbackKind.REVOKED, CallbackKind.LOST, CallbackKind.STANDBY)


class RebalanceListener:
    """Is called in rebalances; override the methods you need.

    ``consumer`` is a view that works only while the method runs. With ``AsyncConsumer`` a method blocks the event
    loop as long as it runs; ``AsyncRebalanceListener`` does not.

    An exception raised here reaches the caller of ``poll``. ``on_partitions_assigned`` is called again by the next
    poll, until it returns. After ``on_partitions_revoked`` and ``on_partitions_lost`` the member goes on: the
    partitions are given up all the same, for others wait for them. It goes on after ``on_standby``, too.
    """

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """``partitions`` were added; none of their records is handed out before this returns. May be empty.

        If this raises, the next poll calls it again, with the same partitions or, if the assignment has changed by
        then, with those there are now; what is not there any more has been revoked or lost before.
        """

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """``partitions`` are about to go; they are still this member's, so their offsets can be committed.

        A commit in here that covers any of them leaves out partitions whose topic the coordinator does not know, for
        instance because it was deleted, even if they are kept. The log says so; the next commit covers what is kept.
        """

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """``partitions`` are gone already, perhaps to another member; nothing can be committed for them."""

    def on_standby(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """This member stands by (``group.target.size``): it gets any of ``partitions`` when an active member fails.

        Load the state they need here, or in the background if that takes as long as ``max.poll.interval.ms``, after
        which the member would leave its group. It is called again when these partitions change, and after this member
        was active. Coordinators without extensions have no standbys.
        """


class AsyncRebalanceListener:
    """The same for ``AsyncConsumer``, with methods that are awaited."""

    async def on_partitions_assigned(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        """``partitions`` were added; none of their records is handed out before this returns. May be empty."""

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        """``partitions`` are about to go; they are still this member's, so their offsets can be committed."""

    async def on_partitions_lost(self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """``partitions`` are gone already, perhaps to another member; nothing can be committed for them."""

    async def on_standby(self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        """This member stands by (``group.target.size``): it gets any of ``partitions`` when an active member fails."""


def refuse_coroutines(listener: RebalanceListener | None) -> None:
    """Raise TypeError for a listener with methods that ``Consumer`` can't await."""
    if any(inspect.iscoroutinefunction(getattr(listener, kind.value, None)) for kind in _LISTENERS):
        raise TypeError("a listener with async methods needs AsyncConsumer; Consumer can't await them")


def call(listener: RebalanceListener | None, callback: PendingCallback, core: ConsumerCore) -> None:
    """Run the listener's method for ``callback``, or the pending call."""
    if isinstance(callback, PendingCall):
        callback.run()
    elif listener is not None:
        view = RebalanceConsumer(core)
        with view:
            _method(listener, callback)(view, list(callback.partitions))


async def call_async(
    listener: RebalanceListener | AsyncRebalanceListener | None, callback: PendingCallback, core: ConsumerCore
) -> None:
    """Run the listener's method for ``callback``, awaited if it is a coroutine function, or the pending call."""
    if isinstance(callback, PendingCall):
        callback.run()
        return
    if listener is None:
        return
    method = _method(listener, callback)
    view = AsyncRebalanceConsumer(core) if inspect.iscoroutinefunction(method) else RebalanceConsumer(core)
    with view:
        outcome = method(view, list(callback.partitions))
        if inspect.isawaitable(outcome):
            await outcome


def _method(listener: object, callback: PendingCallback) -> Callable[..., object]:
    method: Callable[..., object] = getattr(listener, callback.kind.value)
    return method

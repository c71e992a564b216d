"""What an application brings to hear of rebalances, and how its methods are called.

The methods run where the application polls: inside ``poll``, iteration, ``unsubscribe`` or ``close``, never on the
I/O thread, so they may take their time while heartbeats go on. They get exactly what changed, in a stable order.

``AsyncConsumer`` takes either kind, and mixtures: a method that is a coroutine function is awaited and gets an
``AsyncRebalanceConsumer``, any other gets the ``RebalanceConsumer`` that it is written for, whose ``commit`` and
``position`` block, and with them the event loop. A ``commit`` that nobody awaits would be lost without a word.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

from kafka_nextgen.engine.application.core import ConsumerCore
from kafka_nextgen.engine.application.rebalance_view import AsyncRebalanceConsumer, RebalanceConsumer
from kafka_nextgen.engine.mailbox import CallbackKind, PendingCall, PendingCallback
from kafka_nextgen.types import TopicPartition

__all__ = ["AsyncRebalanceListener", "RebalanceListener", "call", "call_async", "refuse_coroutines"]


#: The methods of a listener.
_LISTENERS = (CallbackKind.ASSIGNED, CallbackKind.REVOKED, CallbackKind.LOST)


class RebalanceListener:
    """Hears of rebalances; override what is of interest.

    ``consumer`` is a view that works only while the method runs. With ``AsyncConsumer`` a method blocks the event
    loop as long as it runs; ``AsyncRebalanceListener`` does not.

    An exception raised here reaches the caller of ``poll``. ``on_partitions_assigned`` is called again by the next
    poll, until it returns. After ``on_partitions_revoked`` and ``on_partitions_lost`` the member goes on: the
    partitions are given up all the same, for others wait for them.
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
        """``partitions`` are gone already, perhaps to somebody else; nothing can be committed for them."""


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
        """``partitions`` are gone already, perhaps to somebody else; nothing can be committed for them."""


def refuse_coroutines(listener: RebalanceListener | None) -> None:
    """Raise TypeError for a listener with methods that ``Consumer`` can't await."""
    if any(inspect.iscoroutinefunction(getattr(listener, kind.value, None)) for kind in _LISTENERS):
        raise TypeError("a listener with async methods needs AsyncConsumer; Consumer can't await them")


def call(listener: RebalanceListener | None, callback: PendingCallback, core: ConsumerCore) -> None:
    """Run the listener's method for ``callback``, or what else there is to run."""
    if isinstance(callback, PendingCall):
        callback.run()
    elif listener is not None:
        view = RebalanceConsumer(core)
        with view:
            _method(listener, callback)(view, list(callback.partitions))


async def call_async(
    listener: RebalanceListener | AsyncRebalanceListener | None, callback: PendingCallback, core: ConsumerCore
) -> None:
    """Run the listener's method for ``callback``, or the assignor's, and await what that returns if it can be."""
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

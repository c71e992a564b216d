"""What the I/O thread leaves is taken in order, and whoever waits is woken, thread or task."""

from __future__ import annotations

import asyncio
import threading

from kafka_nextgen.engine.mailbox import AsyncSignal, CallbackKind, Mailbox, PendingCallback, ThreadSignal
from kafka_nextgen.membership.events import AssignFinished, LossFinished, RevokeFinished
from kafka_nextgen.types import TopicPartition

ORDERS_0 = TopicPartition("orders", 0)


def test_callbacks_and_errors_come_out_in_the_order_they_went_in() -> None:
    mailbox = Mailbox(ThreadSignal())
    callbacks = [PendingCallback(CallbackKind.REVOKED, n, (ORDERS_0,)) for n in range(3)]
    for callback in callbacks:
        mailbox.post_callback(callback)
    first, second = ValueError("first"), ValueError("second")
    mailbox.post_error(first)
    mailbox.post_error(second)
    assert [mailbox.take_callback() for _ in range(4)] == [*callbacks, None]
    assert [mailbox.take_error() for _ in range(3)] == [first, second, None]


def test_a_finished_callback_names_its_number_and_its_error() -> None:
    table = {
        CallbackKind.ASSIGNED: AssignFinished,
        CallbackKind.REVOKED: RevokeFinished,
        CallbackKind.LOST: LossFinished,
    }
    for kind, event in table.items():
        callback = PendingCallback(kind, 7, (ORDERS_0,))
        assert callback.finished(None) == event(7, None)
        assert callback.finished(ValueError("no")) == event(7, "ValueError('no')")


def test_a_waiting_thread_is_woken() -> None:
    signal = ThreadSignal()
    mailbox = Mailbox(signal)
    threading.Timer(0.01, mailbox.post_error, [ValueError()]).start()
    signal.wait(60)
    assert mailbox.take_error() is not None


def test_a_waiting_task_is_woken_from_another_thread() -> None:
    async def scene() -> None:
        signal = AsyncSignal()
        threading.Timer(0.01, signal.ring).start()
        await asyncio.wait_for(signal.wait(60), 30)

    asyncio.run(scene())


def test_a_ring_before_the_wait_is_not_lost() -> None:
    async def scene() -> None:
        signal = AsyncSignal()
        signal.ring()
        await asyncio.wait_for(signal.wait(60), 30)

    asyncio.run(scene())


def test_a_cleared_signal_waits_again_up_to_its_timeout() -> None:
    async def scene() -> None:
        signal = AsyncSignal()
        signal.ring()
        signal.clear()
        waiting = asyncio.ensure_future(signal.wait(60))
        await asyncio.sleep(0)
        assert not waiting.done()
        signal.ring()
        await asyncio.wait_for(waiting, 30)

    asyncio.run(scene())

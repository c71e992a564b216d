"""What the I/O thread leaves is taken in order; what is fatal stays."""

from __future__ import annotations

import pytest

from kafka_nextgen.engine.application.wakeup import ThreadWakeup
from kafka_nextgen.engine.mailbox import CallbackKind, Mailbox, PendingCallback
from kafka_nextgen.engine.member import member_driver
from kafka_nextgen.errors import (
    AuthenticationError,
    DecodeError,
    FencedInstanceError,
    FrameTooLargeError,
    RequestTimeoutError,
)
from kafka_nextgen.membership.events import AssignFinished, LossFinished, RevokeFinished
from kafka_nextgen.types import TopicPartition

ORDERS_0 = TopicPartition("orders", 0)


def taken(mailbox: Mailbox) -> PendingCallback | None:
    callback = mailbox.first_callback()
    if callback is not None:
        mailbox.drop_callback(callback)
    return callback


def test_callbacks_and_errors_come_out_in_the_order_they_went_in() -> None:
    mailbox = Mailbox(ThreadWakeup())
    callbacks = [PendingCallback(CallbackKind.REVOKED, n, (ORDERS_0,)) for n in range(3)]
    for callback in callbacks:
        mailbox.post_callback(callback)
    mailbox.post_error(ValueError("first"))
    mailbox.post_error(ValueError("second"))
    assert [taken(mailbox) for _ in range(4)] == [*callbacks, None]
    for expected in ("first", "second"):
        with pytest.raises(ValueError, match=expected):
            mailbox.raise_error()
    mailbox.raise_error()


def test_an_error_that_waits_already_is_not_kept_twice() -> None:
    mailbox = Mailbox(ThreadWakeup())
    for _ in range(3):
        mailbox.post_error(ValueError("the same"))
    with pytest.raises(ValueError, match="the same"):
        mailbox.raise_error()
    mailbox.raise_error()


def test_a_fatal_error_is_news_once_and_raised_by_every_poll_whose_time_is_over() -> None:
    mailbox = Mailbox(ThreadWakeup())
    mailbox.post_error(ValueError("before"))
    mailbox.post_fatal(FencedInstanceError("out", code=82))
    mailbox.post_fatal(FencedInstanceError("another", code=82))
    with pytest.raises(ValueError, match="before"):
        mailbox.raise_error()
    with pytest.raises(FencedInstanceError, match="out"):
        mailbox.raise_error()
    mailbox.raise_error()
    for _ in range(2):
        with pytest.raises(FencedInstanceError, match="out"):
            mailbox.raise_fatal()


def test_weather_is_not_the_applications_business() -> None:
    mailbox = Mailbox(ThreadWakeup())
    mailbox.post_unless_transient(RequestTimeoutError("later"))
    mailbox.post_unless_transient(DecodeError("not Kafka"))
    mailbox.post_unless_transient(AuthenticationError("refused"))  # which was told where it was refused
    mailbox.raise_error()
    mailbox.post_unless_transient(FrameTooLargeError("never fits"))
    with pytest.raises(FrameTooLargeError):
        mailbox.raise_error()
    mailbox.post_unless_transient(FencedInstanceError("never", code=82))
    with pytest.raises(FencedInstanceError):
        mailbox.raise_error()


def test_whatever_is_posted_is_news_and_rings() -> None:
    wakeup = ThreadWakeup()
    mailbox = Mailbox(wakeup)
    mailbox.post_callback(PendingCallback(CallbackKind.LOST, 1, ()))
    mailbox.post_error(ValueError())
    mailbox.post_fatal(ValueError())
    assert (mailbox.news, wakeup.count) == (3, 3)
    mailbox.wake()
    assert (mailbox.news, wakeup.count) == (3, 4)


def test_a_callback_that_nobody_waits_for_is_dropped_unless_it_was_taken() -> None:
    mailbox = Mailbox(ThreadWakeup())
    first, second = (PendingCallback(CallbackKind.LOST, number, ()) for number in (1, 2))
    mailbox.post_callback(first)
    mailbox.post_callback(second)
    assert taken(mailbox) == first
    mailbox.drop_callback(first)
    mailbox.drop_callback(second)
    assert mailbox.first_callback() is None


def test_a_finished_callback_names_its_number_and_its_error() -> None:
    table = {
        CallbackKind.ASSIGNED: AssignFinished,
        CallbackKind.REVOKED: RevokeFinished,
        CallbackKind.LOST: LossFinished,
    }
    for kind, event in table.items():
        callback = PendingCallback(kind, 7, (ORDERS_0,))
        assert member_driver._ended(callback, None) == event(7, None)
        assert member_driver._ended(callback, ValueError("no")) == event(7, "ValueError: no")

"""Whatever a signal handler raises, and wherever: nothing is lost, ``close`` closes, and no member is stuck."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
import threading
from collections.abc import Iterator

import pytest

from kafka_nextgen import AsyncConsumer, Consumer
from kafka_nextgen.compiled import ACCELERATED
from tests.engine.injected_callbacks import PROTOCOLS, Awaited, Blocking, Trap, throw_out, try_all_of_callbacks
from tests.engine.injected_calls import ASYNC_CALLS, ASYNC_READING, READING, SYNC_CALLS, TRIED_ELSEWHERE
from tests.engine.injected_log import (
    ASYNC_TELLING,
    TELLING,
    logged_stage,
    try_all_in_async_log,
    try_all_in_closing_log,
    try_all_in_log,
)
from tests.engine.injection import (
    InjectedError,
    Reader,
    full_stage,
    try_all,
    try_all_async,
    try_all_of_async_close,
    try_all_of_async_reading,
    try_all_of_async_run,
    try_all_of_close,
    try_all_of_reading,
    try_all_of_run,
)
from tests.engine.stage import TOPIC, Stage
from tests.support.examples import every
from tests.support.signals import handled_by
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.timeout(300 * 7 // every(7)),  # a night's run takes as much longer
    # A coroutine that was about to be handed to the I/O thread is dropped.
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning"),
    # It is raised in a generator that is dropped, so the call goes on.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def full() -> Iterator[Stage]:
    with full_stage() as stage:
        yield stage


def public_names(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_every_call_is_tried() -> None:
    others = {"assign a range", "for", "__next__", "async for", "__anext__"}
    assert public_names(Consumer) - TRIED_ELSEWHERE.keys() == SYNC_CALLS.keys() - others
    assert READING.keys() <= SYNC_CALLS.keys()
    assert ASYNC_READING.keys() <= ASYNC_CALLS.keys()
    assert public_names(AsyncConsumer) - TRIED_ELSEWHERE.keys() == ASYNC_CALLS.keys() - others


def stride_of(call: str) -> int:
    """Every place of what hands records over, and of the others one in seven, but in a night's run."""
    return 1 if call in {"poll", "batches", "for", "__next__", "async for", "__anext__"} else every(7)


@pytest.mark.parametrize("call", SYNC_CALLS)
def test_after_an_exception_anywhere_in_a_call_reading_goes_on_where_it_was(full: Stage, call: str) -> None:
    assert try_all(full, call, stride=stride_of(call)) > 5


@pytest.mark.parametrize("call", ASYNC_CALLS)
def test_after_an_exception_anywhere_in_an_awaited_call_reading_goes_on_where_it_was(full: Stage, call: str) -> None:
    assert asyncio.run(try_all_async(full, call, stride=stride_of(call))) > 5


IN_C = pytest.mark.skipif(not ACCELERATED, reason="an exception may end records that Python makes without a word")


@pytest.mark.parametrize("name", ["for", "__next__", *(pytest.param(name, marks=IN_C) for name in ("poll", "batches"))])
def test_after_an_exception_around_a_deserializer_reading_goes_on_with_the_record(full: Stage, name: str) -> None:
    assert try_all_of_reading(full, name, stride=every(5)) > 50


@pytest.mark.parametrize("name", ["async for", *(pytest.param(name, marks=IN_C) for name in ("poll", "batches"))])
def test_after_an_exception_around_a_deserializer_an_awaited_loop_goes_on_with_the_record(
    full: Stage, name: str
) -> None:
    assert asyncio.run(try_all_of_async_reading(full, name, stride=every(5))) > 50


def test_after_an_exception_in_close_the_next_one_closes_and_commits_what_was_handed_over(full: Stage) -> None:
    assert try_all_of_close(full, stride=every(7)) > 100


def test_after_an_exception_in_an_awaited_close_the_next_one_closes(full: Stage) -> None:
    assert asyncio.run(try_all_of_async_close(full, stride=every(7))) > 50


@pytest.fixture(scope="module")
def logged() -> Iterator[Stage]:
    with logged_stage() as stage:
        yield stage


@pytest.mark.parametrize("call", TELLING)
def test_after_an_interrupt_anywhere_in_an_event_log_reading_goes_on_where_it_was(logged: Stage, call: str) -> None:
    assert try_all_in_log(logged, call) > 5


@pytest.mark.parametrize("call", ASYNC_TELLING)
def test_after_an_interrupt_in_an_event_log_an_awaited_call_goes_on_where_it_was(logged: Stage, call: str) -> None:
    assert asyncio.run(try_all_in_async_log(logged, call)) > 5


def test_after_an_exception_in_close_the_next_one_closes_a_consumer_with_an_event_log(logged: Stage) -> None:
    assert try_all_of_close(logged, stride=every(7)) > 100
    assert asyncio.run(try_all_of_async_close(logged, stride=every(7))) > 50


def test_after_an_interrupt_in_a_log_that_is_closed_the_next_close_closes_it(logged: Stage) -> None:
    assert try_all_in_closing_log(logged) > 5


def test_after_an_exception_in_a_run_the_next_one_leaves_out_no_record(full: Stage) -> None:
    assert try_all_of_run(full, stride=every(61)) > 100


def test_after_an_exception_in_an_awaited_run_the_next_one_leaves_out_no_record(full: Stage) -> None:
    assert asyncio.run(try_all_of_async_run(full, stride=every(31))) > 100


def poll_through(consumer: Consumer, trap: Trap, partitions: int) -> None:
    """Poll, whatever is raised, until the member has come to rest with so many partitions."""

    def is_settled() -> bool:
        try:
            consumer.poll(0.01, max_records=1)
        except InjectedError:
            pass
        finally:
            sys.setprofile(None)
        is_heard = not trap.kind or trap.kind in trap.heard
        return is_heard and len(consumer.assignment()) == partitions and consumer.health().rebalancing is None

    eventually(f"the member goes on: {trap.injection}", is_settled)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", ["assigned", "revoked", "lost"])
def test_an_exception_between_the_end_of_a_callback_and_its_report_keeps_no_member_waiting(
    full: Stage, kind: str, protocol: str
) -> None:
    trap, place = Trap(), 0
    listener = Blocking(trap)
    with full.consumer(**PROTOCOLS[protocol]) as consumer:
        consumer.subscribe([TOPIC], listener)
        poll_through(consumer, trap, partitions=2)
        while trap.injection.where is not None or not place:
            place += 1
            change(full, consumer, listener, trap, kind, place)
        assert place > 5
        assert consumer.poll(10, max_records=1)
    assert full.members() == 0


def change(stage: Stage, consumer: Consumer, listener: Blocking, trap: Trap, kind: str, place: int) -> None:
    """Have the method called, and raise at that place after its end."""
    trap.arm(kind if kind != "revoked" else "", place)
    if kind == "lost":
        throw_out(stage, consumer)
        poll_through(consumer, trap, partitions=2)
        return
    consumer.subscribe([TOPIC, "audit"], listener)
    poll_through(consumer, trap, partitions=3)
    where = trap.injection
    trap.arm(kind if kind == "revoked" else "", place)
    consumer.subscribe([TOPIC], listener)
    poll_through(consumer, trap, partitions=2)
    trap.injection = trap.injection if kind == "revoked" else where


@pytest.mark.parametrize("kind", ["assigned", "revoked", "lost"])
@pytest.mark.parametrize(("made", "protocol"), [(Blocking, "classic"), (Awaited, "consumer")])
def test_an_exception_between_the_end_of_an_awaited_callback_and_its_report_keeps_no_member_waiting(
    full: Stage, made: type[Blocking] | type[Awaited], protocol: str, kind: str
) -> None:
    assert asyncio.run(try_all_of_callbacks(full, made, kind, protocol, stride=7)) > 20
    assert full.members() == 0


def test_a_consumer_that_is_interrupted_in_a_poll_is_closed_by_its_block(full: Stage) -> None:
    chance, is_in_block = random.Random(7), False

    def interrupt(*_: object) -> None:
        if is_in_block:
            raise KeyboardInterrupt

    def block(reader: Reader, timer: threading.Timer) -> None:
        nonlocal is_in_block
        with reader.consumer as consumer:
            is_in_block = True
            timer.start()
            try:
                while True:
                    reader.note(consumer.poll(max_records=1))
            finally:
                is_in_block = False

    with handled_by(interrupt):
        for _ in range(20):
            reader = Reader.begin(full)
            timer = threading.Timer(chance.random() / 50, signal.pthread_kill, [threading.get_ident(), signal.SIGUSR1])
            with pytest.raises(KeyboardInterrupt):
                block(reader, timer)
            assert reader.consumer._is_closed
            reader.check_gone()

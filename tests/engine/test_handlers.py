"""A signal handler closes the consumer wherever it finds its thread, and nothing ever waits for itself."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import partial

import pytest

from kafka_nextgen import Consumer, MisuseError, RebalanceConsumer, RebalanceListener, TopicPartition
from kafka_nextgen.engine.application.call_guard import CallTracker
from kafka_nextgen.fetching.handing_over import Handover
from kafka_nextgen.transport.futures import sleep_until_ended
from kafka_nextgen.transport.io_thread import IoThread
from kafka_nextgen.wire.apis import LIST_OFFSETS, OFFSET_COMMIT, OFFSET_FETCH, Api
from tests.engine.stage import TOPIC, Stage, poll_for, poll_until, read, tp
from tests.support.signals import handled_by, shower
from tests.support.waiting import GUARD_S, eventually

LOOPS: dict[str, Callable[[Consumer], object]] = {
    "poll": lambda consumer: consumer.poll(0),
    "waiting poll": lambda consumer: consumer.poll(0.01),
    "next": next,
    "lag": Consumer.lag,
    "assignment": Consumer.assignment,
    "metrics": lambda consumer: (consumer.metrics(), consumer.health()),  # the former may be had once closed, too
    "committed": lambda consumer: consumer.committed([tp()]),
    "commit": lambda consumer: consumer.commit({tp(): 1}),
}


class Handler:
    """Closes the consumer it is given, with the first signal."""

    consumer: Consumer | None = None
    timeout_s = 10.0
    closings = 0

    def __call__(self, *_: object) -> None:
        if self.consumer is not None:
            self.closings += 1
            self.consumer.close(self.timeout_s)


@pytest.fixture
def handler() -> Iterator[Handler]:
    handler = Handler()
    with handled_by(handler):
        yield handler


def for_ever(call: Callable[[Consumer], object], consumer: Consumer) -> None:
    while True:
        call(consumer)


def is_gone(consumer: Consumer) -> bool:
    return not consumer._core.engine.thread._thread.is_alive()


@pytest.mark.parametrize("call", LOOPS.values(), ids=LOOPS.keys())
def test_signals_end_a_busy_loop_wherever_they_come(
    stage: Stage, handler: Handler, call: Callable[[Consumer], object]
) -> None:
    stage.create(records=500)
    chance = random.Random(7)
    for _ in range(2):
        consumer = handler.consumer = stage.subscribed(max_poll_records=5)
        poll_until(consumer, lambda: bool(consumer.assignment()))  # noqa: B023  (asked at once)
        with shower(chance.random() / 50), pytest.raises(MisuseError, match="closed"):
            for_ever(call, consumer)
        assert is_gone(consumer)
        assert stage.members() == 0


def test_a_handler_that_finds_the_fetches_locked_waits_for_nothing_and_no_record_is_lost(
    stage: Stage, handler: Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(handover: Handover, max_records: int, whole_runs: bool) -> object:
        signal.raise_signal(signal.SIGUSR1)
        return original(handover, max_records, whole_runs)

    stage.create(records=10)
    consumer = stage.subscribed(enable_auto_commit=True, auto_commit_interval_ms=3_600_000)
    read(consumer, 4)
    handler.consumer, original = consumer, Handover.peek
    monkeypatch.setattr(Handover, "peek", interrupted)
    with pytest.raises(MisuseError, match="closed"):
        poll_for(consumer)
    assert is_gone(consumer)
    assert stage.committed() == {0: 4}, "what this poll would have brought was never handed over"


WAITS: dict[str, tuple[Api, float, Callable[[Consumer], object]]] = {
    "committed": (OFFSET_FETCH, 3600.0, lambda consumer: consumer.committed([tp()], timeout=3600)),
    "end_offsets": (LIST_OFFSETS, 3600.0, lambda consumer: consumer.end_offsets([tp()], timeout=3600)),
    "commit": (OFFSET_COMMIT, 0.1, lambda consumer: consumer.commit({tp(): 1}, timeout=3600)),
}


def kill_the_process() -> None:
    os.kill(os.getpid(), signal.SIGUSR1)


def kill_another_thread() -> None:
    """Let the signal come without waking the main thread, as one does that comes when it is just falling asleep."""
    signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)


def main_thread_sleeps() -> bool:
    frame = sys._current_frames()[threading.main_thread().ident or 0]
    return frame.f_code is sleep_until_ended.__code__


def begin(stage: Stage, handler: Handler, name: str) -> tuple[Consumer, Callable[[], object], threading.Event]:
    """Return a consumer that is the handler's to close, a call of it that is never answered, and what tells of it."""
    api, handler.timeout_s, call = WAITS[name]
    consumer = handler.consumer = stage.after_reading(5)
    asked = stage.never(api) if api is LIST_OFFSETS else stage.busy(api)  # which leaves the way to the coordinator free
    return consumer, partial(call, consumer), asked


@pytest.mark.parametrize("kill", [kill_the_process, kill_another_thread])
@pytest.mark.parametrize("name", WAITS)
def test_a_handler_ends_a_call_that_waits_for_an_answer(
    stage: Stage, handler: Handler, name: str, kill: Callable[[], None]
) -> None:
    def interrupt() -> None:
        asked.wait(GUARD_S)
        eventually("the call sleeps", main_thread_sleeps)
        kill()

    consumer, call, asked = begin(stage, handler, name)
    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    with pytest.raises(MisuseError, match="closed during the call"):
        call()
    interrupting.join()
    assert is_gone(consumer)
    assert stage.members() == 0


@pytest.mark.parametrize("first", ["signal", "question"])
@pytest.mark.parametrize("name", WAITS)
def test_a_handler_ends_a_call_that_is_about_to_ask(
    stage: Stage, handler: Handler, name: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(thread: IoThread, work: Coroutine[object, object, object]) -> object:
        if threading.current_thread() is not threading.main_thread() or handler.closings:
            return original(thread, work)
        both = threading.Event()
        thread._loop.call_soon_threadsafe(both.wait)  # so that it hears of the signal and of the question together
        if first == "signal":
            signal.raise_signal(signal.SIGUSR1)
        future = original(thread, work)
        if first == "question":
            signal.raise_signal(signal.SIGUSR1)
        both.set()
        return future

    consumer, call, _ = begin(stage, handler, name)
    original = IoThread._hand_over
    monkeypatch.setattr(IoThread, "_hand_over", interrupted)
    with pytest.raises(MisuseError, match="closed during the call"):
        call()
    assert is_gone(consumer)
    assert stage.members() == 0


class Interrupted(RebalanceListener):
    def __init__(self) -> None:
        self.calls: list[str] = []

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        signal.raise_signal(signal.SIGUSR1)
        self.calls.append("assigned")

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        signal.raise_signal(signal.SIGUSR1)
        self.calls.append("revoked")


def test_a_handler_that_interrupts_a_callback_lets_it_end_first(stage: Stage, handler: Handler) -> None:
    stage.create(records=5)
    listener = Interrupted()

    def block() -> None:
        with stage.consumer() as consumer:
            handler.consumer = consumer
            consumer.subscribe([TOPIC], listener)
            poll_for(consumer)

    with pytest.raises(MisuseError, match="closed"):
        block()
    assert listener.calls == ["assigned", "revoked"], "closing calls back, too, and is interrupted in that as well"
    assert handler.closings == 2
    assert stage.members() == 0


def test_what_a_callback_raises_while_closing_comes_out_of_the_call_that_was_interrupted(
    stage: Stage, handler: Handler
) -> None:
    class Broken(Interrupted):
        def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
            raise ZeroDivisionError

    stage.create()
    consumer = handler.consumer = stage.subscribed(Broken())
    with pytest.raises(ZeroDivisionError):
        poll_for(consumer)
    assert is_gone(consumer)


def test_only_the_thread_that_was_interrupted_does_what_was_left_to_be_done() -> None:
    presence, done = CallTracker(), list[str]()

    def do() -> bool:
        done.append("done")
        return True

    def call_elsewhere() -> None:
        with presence:
            assert presence.is_inside

    def interrupted() -> None:
        with presence, presence:
            presence.when_out(do)
            elsewhere = threading.Thread(target=call_elsewhere)
            elsewhere.start()
            elsewhere.join()
            assert done == []

    with pytest.raises(MisuseError, match="closed during the call"):
        interrupted()
    assert done == ["done"]
    assert not presence.is_inside


def test_what_was_left_to_be_done_is_done_by_the_next_call_if_doing_it_is_interrupted() -> None:
    presence, done, interrupts = CallTracker(), list[str](), [KeyboardInterrupt()]

    def do() -> bool:
        if interrupts:
            raise interrupts.pop()
        done.append("done")
        return True

    def interrupted() -> None:
        with presence:
            presence.when_out(do)

    def next_call() -> None:
        with presence:
            pass

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with pytest.raises(MisuseError, match="closed during the call"):
        next_call()
    assert done == ["done"]

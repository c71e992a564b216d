"""The end is asked for by a handle, or by a signal."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from itertools import count
from types import SimpleNamespace

import pytest

from kafka_nextgen.processing import StopHandle, stopping
from kafka_nextgen.processing.stopping import STOP_SIGNALS, stopped_by_signals
from tests.engine.injection import InjectedError, injected
from tests.support.signals import Signals, handled_by
from tests.support.waiting import GUARD_S


def test_a_handle_may_be_stopped_twice() -> None:
    handle = StopHandle()
    assert not handle.is_stopped
    handle.stop()
    handle.stop()
    assert handle.is_stopped


def send(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The time that handlers of signals see."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(stopping, "clocks", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


@pytest.fixture(autouse=True)
def _defaults() -> Iterator[None]:
    """Begin with Python's own handlers, and put back what there was."""
    with handled_by(signal.default_int_handler, signal.SIGINT), handled_by(signal.SIG_DFL, signal.SIGTERM):
        yield


@pytest.mark.parametrize("number", STOP_SIGNALS)
def test_a_handler_that_was_there_is_called_too_and_put_back(number: signal.Signals) -> None:
    handler = Signals()
    with handled_by(handler, number):
        with stopped_by_signals(StopHandle()) as handle:
            send(number)
            assert (handle.is_stopped, handler.handled) == (True, 1)
            send(number)
            assert handler.handled == 2
        assert signal.getsignal(number) is handler


@pytest.mark.parametrize("number", STOP_SIGNALS)
def test_after_an_exception_anywhere_in_a_block_signals_act_as_before_it(number: signal.Signals) -> None:
    for place in count(1):
        with (
            handled_by(signal.default_int_handler, signal.SIGINT),
            handled_by(signal.default_int_handler, signal.SIGTERM),
        ):
            with injected(place) as injection, suppress(InjectedError), stopped_by_signals(StopHandle()):
                pass
            with pytest.raises(KeyboardInterrupt):
                send(number)
        if injection.where is None:
            break
    assert place > 8


def test_a_second_sigterm_does_nothing_while_the_stop_and_the_closing_take_their_time(clock: SimpleNamespace) -> None:
    with stopped_by_signals(StopHandle(), stop_timeout_s=5.0):
        send(signal.SIGTERM)
        clock.now += 4.0
        send(signal.SIGTERM)
    send(signal.SIGTERM)  # the consumer is not closed yet


def test_a_sigterm_ends_the_process_once_the_stop_should_have_ended() -> None:
    program = """
import os, signal
from kafka_nextgen.processing.stopping import StopHandle, stopped_by_signals
with stopped_by_signals(StopHandle(), stop_timeout_s=0.0):
    os.kill(os.getpid(), signal.SIGTERM)
    print("not reached")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGTERM, b"", b"")


@pytest.mark.parametrize("first", STOP_SIGNALS)
def test_another_interrupt_ends_at_once_but_not_within_a_second(clock: SimpleNamespace, first: signal.Signals) -> None:
    with stopped_by_signals(StopHandle()):
        send(first)
        clock.now += 0.9
        send(signal.SIGINT)  # the same Ctrl-C, by another way
        clock.now += 0.2
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):  # nor is it held up while the consumer closes
        send(signal.SIGINT)


def test_what_an_earlier_handler_raises_waits_for_the_orderly_stop() -> None:
    handler = Signals()
    handler.then = sys.exit
    commits: list[str] = []

    def run() -> None:
        with stopped_by_signals(StopHandle()):
            send(signal.SIGTERM)
            commits.append("committed")

    with handled_by(handler, signal.SIGTERM), pytest.raises(SystemExit):
        run()
    assert commits == ["committed"]


def test_without_a_signal_the_defaults_are_put_back() -> None:
    with stopped_by_signals(StopHandle()) as handle:
        handle.stop()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_ignored_signal_stops_too_and_is_ignored_afterwards() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with stopped_by_signals(StopHandle()) as handle:
        send(signal.SIGTERM)
        assert handle.is_stopped
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN


def test_runs_side_by_side_all_stop_and_may_end_in_any_order() -> None:
    """Two runs of one event loop: the one that began first may end first."""
    first, second, handler = StopHandle(), StopHandle(), Signals()
    with handled_by(handler, signal.SIGTERM):
        with ExitStack() as one, ExitStack() as other:
            one.enter_context(stopped_by_signals(first))
            other.enter_context(stopped_by_signals(second))
            send(signal.SIGTERM)
            assert (first.is_stopped, second.is_stopped, handler.handled) == (True, True, 1)
            one.close()
        assert signal.getsignal(signal.SIGTERM) is handler


def test_a_handler_put_on_top_meanwhile_stays_and_the_signal_goes_on_down() -> None:
    """As by a server that is started after ``run``, and puts back what it found when ``run`` is over."""
    handler, server = Signals(), Signals()
    with handled_by(handler, signal.SIGTERM), ExitStack() as block:
        block.enter_context(stopped_by_signals(StopHandle()))
        with handled_by(server, signal.SIGTERM):
            block.close()
            assert signal.getsignal(signal.SIGTERM) is server
        send(signal.SIGTERM)
        assert handler.handled == 1


@pytest.mark.skipif(sys.version_info < (3, 11), reason="asyncio.run handles SIGINT itself since Python 3.11")
def test_asyncio_cancels_nothing_unless_the_interrupt_is_repeated_later(clock: SimpleNamespace) -> None:
    async def main() -> None:
        with stopped_by_signals(StopHandle()) as handle:
            send(signal.SIGINT)
            send(signal.SIGINT)
            await asyncio.sleep(0)
            assert handle.is_stopped
            clock.now += 1.5
            send(signal.SIGINT)
            with pytest.raises(asyncio.CancelledError):
                await asyncio.sleep(0)
            raise asyncio.CancelledError

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(main())


def test_what_an_event_loop_does_at_a_signal_it_still_does() -> None:
    async def main() -> None:
        asked = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asked.set)
        with stopped_by_signals(StopHandle()) as handle:
            send(signal.SIGTERM)
            await asyncio.wait_for(asked.wait(), GUARD_S)
            assert handle.is_stopped

    asyncio.run(main())


def test_other_threads_leave_the_signals_alone() -> None:
    before = signal.getsignal(signal.SIGTERM)
    inside: list[object] = []

    def look() -> None:
        with stopped_by_signals(StopHandle()):
            inside.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert inside == [before]

"""The clock itself: what is refused, and that a program without one has the system's functions."""

from __future__ import annotations

import asyncio
import os
import selectors
import socket
import subprocess
import sys
import threading
import time
import warnings
from datetime import timedelta
from types import SimpleNamespace

import pytest

from kafka_nextgen import clocks
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.testing import Clock, Cluster
from kafka_nextgen.transport import turned_clock
from kafka_nextgen.transport.private_loop import new_private_loop
from kafka_nextgen.transport.turned_clock import ApplicationWait, clock_of
from kafka_nextgen.transport.turned_loop import TurnedLoop
from tests.support.forking import in_forked_process
from tests.support.waiting import GUARD_S
from tests.testing.turned_time.running import running


def test_a_loop_that_closes_while_the_clock_looks_at_it_is_not_at_rest() -> None:
    loop = TurnedLoop(selectors.DefaultSelector(), Clock())
    loop._watched.is_asleep = True  # what the clock sees first
    loop.close()
    assert not loop.is_at_rest(turning_since=0)
    assert loop.descriptors() == ()


def test_a_program_without_a_clock_has_the_functions_of_the_system() -> None:
    script = (
        "import kafka_nextgen.testing, time\n"
        "from kafka_nextgen import clocks\n"
        "assert all(type(getattr(clocks, name)) is type(time.time) for name in ('monotonic', 'time', 'time_ns'))\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_clock_that_was_not_moved_on_has_the_time_of_the_system() -> None:
    clock = Clock()
    for ours, theirs in ((time.monotonic, clock.monotonic), (time.time, clock.time)):
        before, told, after = ours(), theirs(), ours()
        assert before <= told <= after


@pytest.mark.parametrize("now", ["monotonic", "time"])
def test_the_real_time_of_a_call_does_not_count(now: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system = SimpleNamespace(monotonic=100.0, time=1000.0)
    monkeypatch.setattr(clocks, "real_monotonic", lambda: system.monotonic)
    monkeypatch.setattr(clocks, "real_time", lambda: system.time)
    clock, moments = Clock(), list[float]()
    read = getattr(clock, now)

    class Slow(ApplicationWait):
        def is_at_rest(self, turning_since: float) -> bool:
            moments.append(read())
            system.monotonic += 30
            system.time += 30
            return True

    slow, began = Slow(clock, count=lambda: 0, notify=lambda: None), read()
    clock.add(slow)
    clock.advance(20)
    assert set(moments) == {began, began + 20}
    assert read() == began + 20
    assert clock.advanced_s == 20
    system.monotonic += 5
    system.time += 5
    assert read() == began + 25


def test_after_a_call_that_failed_the_clock_continues() -> None:
    class Broken(ApplicationWait):
        def is_at_rest(self, turning_since: float) -> bool:
            raise KeyboardInterrupt

    clock = Clock()
    broken = Broken(clock, count=lambda: 0, notify=lambda: None)
    clock.add(broken)
    with pytest.raises(KeyboardInterrupt):
        clock.advance(20)
    clock.remove(broken)
    assert not clock.is_turning
    before = clock.monotonic()
    clock.advance(20)
    seen = clock.monotonic()
    assert seen >= before + 20
    while clock.monotonic() == seen:
        pass


def test_a_thread_that_reads_the_clock_while_it_is_turned_sees_no_step_back() -> None:
    clock, steps_back, is_over = Clock(), list[float](), threading.Event()

    def read() -> None:
        last_s = clock.monotonic()
        while not is_over.is_set():
            now_s = clock.monotonic()
            if now_s < last_s:
                steps_back.append(last_s - now_s)
            last_s = now_s

    reading, interval_s = threading.Thread(target=read), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        reading.start()
        for _ in range(2000):
            clock.advance(0.001)
    finally:
        is_over.set()
        reading.join()
        sys.setswitchinterval(interval_s)
    assert steps_back == []


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_time_neither_goes_back_nor_ends(seconds: float) -> None:
    with pytest.raises(ValueError, match="0 seconds or more"):
        Clock().advance(seconds)


@pytest.mark.parametrize("seconds", ["45", timedelta(seconds=45), None])
def test_time_is_a_number_of_seconds(seconds: object) -> None:
    with pytest.raises(TypeError, match=r"takes a number of seconds, not "):
        Clock().advance(seconds)  # type: ignore[arg-type]


def test_a_cluster_without_a_clock_is_not_moved_on() -> None:
    with Cluster() as cluster, pytest.raises(MisuseError, match=r"Cluster\(clock=Clock\(\)\)"):
        cluster.advance(seconds=1)


def test_a_cluster_that_does_not_run_is_not_moved_on() -> None:
    cluster = Cluster(clock=Clock())
    with pytest.raises(MisuseError, match="is not running"):
        cluster.advance(seconds=1)


def test_an_event_loop_is_not_blocked() -> None:
    async def advance() -> None:
        Clock().advance(1)

    with pytest.raises(MisuseError, match="to_thread"):
        asyncio.run(advance())


def test_a_thread_has_the_clock_of_its_loop_and_others_the_systems() -> None:
    clock, told = Clock(), list[float]()
    clock.advance(1000)
    loop = new_private_loop(clock)

    async def tell() -> None:
        told.extend((clocks.monotonic(), clocks.time(), loop.time()))
        told.extend((clocks.monotonic_ns() / 1e9, clocks.time_ns() / 1e9))

    loop.run_until_complete(tell())
    loop.close()
    ours = time.monotonic(), time.time(), time.monotonic(), time.monotonic(), time.time()
    assert [abs(1000 - (theirs - mine)) < 60 for theirs, mine in zip(told, ours, strict=True)] == [True] * 5
    assert abs(clocks.monotonic() - time.monotonic()) < 60


def test_timers_of_all_loops_fire_in_the_order_of_their_times() -> None:
    clock, fired = Clock(), list[float]()
    loops = [new_private_loop(clock) for _ in range(3)]
    for number, loop in enumerate(loops):
        for step in range(20):
            loop.call_later(100 * (1 + number + 3 * step), fired.append, number + 3 * step)
    with running(*loops):
        clock.advance(6001)
    assert fired == list(range(60))


def test_what_a_thread_does_for_a_loop_is_waited_for() -> None:
    clock, seen = Clock(), list[float]()
    loop, is_working, may_end = new_private_loop(clock), threading.Event(), threading.Event()
    began = clock.monotonic()

    async def work() -> None:
        is_working.set()
        await loop.run_in_executor(None, may_end.wait)
        seen.append(clock.monotonic() - began)

    loop.call_later(1000, lambda: loop.create_task(work()))
    with running(loop):
        turning = threading.Thread(target=clock.advance, args=(5000,))
        turning.start()
        assert is_working.wait(GUARD_S)
        may_end.set()
        turning.join()
    assert 1000 <= seen[0] < 1200


def test_a_cluster_that_never_rests_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turned_clock, "REST_LIMIT_S", 0.05)
    clock = Clock()
    loop = new_private_loop(clock)

    def again() -> None:
        loop.call_soon(again)

    loop.call_soon(again)
    with running(loop), pytest.raises(TimeoutError, match="did not become idle"):
        clock.advance(1)


def test_the_clock_of_a_cluster_is_that_of_its_addresses_while_it_runs() -> None:
    clock = Clock()
    with Cluster(clock=clock) as cluster:
        servers = cluster.bootstrap_servers
        port = servers.rpartition(":")[2]
        assert clock_of(["example.org:9092", servers]) is clock is clock_of([f"localhost:{port}"])
        assert clock_of(["example.org:9092"]) is None
    assert clock_of([servers]) is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
def test_a_forked_process_has_the_clock_of_the_system() -> None:
    with Cluster(clock=Clock()) as cluster:
        servers = [cluster.bootstrap_servers]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 3.12 warns, since this process has threads
            child = os.fork()
        if child == 0:
            os._exit(0 if clock_of(servers) is None else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert clock_of(servers) is cluster.clock


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
def test_a_process_that_is_forked_while_a_thread_reads_the_clock_can_read_it() -> None:
    clock, is_over, interval_s = Clock(), threading.Event(), sys.getswitchinterval()

    def read() -> None:
        while not is_over.is_set():
            clock.monotonic()

    reading = threading.Thread(target=read)
    sys.setswitchinterval(1e-6)
    try:
        reading.start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 3.12 warns, since this process has threads
            for _ in range(30):
                in_forked_process(clock.monotonic)
    finally:
        is_over.set()
        reading.join()
        sys.setswitchinterval(interval_s)


def test_a_loop_knows_its_ends_of_connections() -> None:
    loop = TurnedLoop(selectors.DefaultSelector(), Clock())

    async def connect() -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            host, port = server.getsockname()
            transport, _ = await loop.create_connection(asyncio.Protocol, host, port)
            own = transport.get_extra_info("sockname")
            assert loop.has_end(*own)
            assert loop.has_end("::ffff:127.0.0.1", own[1])
            assert not loop.has_end(host, port)
            transport.close()
            assert not loop.has_end(*own)

    loop.run_until_complete(connect())
    loop.close()

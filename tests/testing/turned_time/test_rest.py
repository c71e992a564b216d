"""When the clock checks its followers: when one comes to rest, and only those that may still do something."""

from __future__ import annotations

import threading

import pytest

from kafka_nextgen.testing import Clock, Cluster
from kafka_nextgen.transport import turned_clock
from kafka_nextgen.transport.private_loop import new_private_loop
from kafka_nextgen.transport.turned_clock import ApplicationWait
from tests.support.waiting import GUARD_S
from tests.testing.turned_time.conftest import NewConsumer
from tests.testing.turned_time.running import running


class Told:
    """In place of the clock's lock: a check that nobody asked for fails."""

    def __init__(self) -> None:
        self._lock = threading.Semaphore(0)
        self.checks = 0

    def acquire(self, timeout: float) -> bool:
        self.checks += 1
        assert self._lock.acquire(timeout=GUARD_S), "no follower has said that it came to rest"
        return True

    def release(self) -> None:
        self._lock.release()


@pytest.fixture
def told(clock: Clock) -> Told:
    clock._has_rested = told = Told()  # type: ignore[assignment]
    return told


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_loops_say_that_they_came_to_rest(clock: Clock, told: Told) -> None:
    fired = list[int]()
    loops = [new_private_loop(clock) for _ in range(3)]
    for number, loop in enumerate(loops):
        loop.call_later(1000 * (1 + number), loops[0].call_soon_threadsafe, fired.append, number)
    with running(*loops):
        clock.advance(4000)
    assert fired == [0, 1, 2]
    assert told.checks < 100


def test_an_application_says_that_it_waits_again(clock: Clock, told: Told) -> None:
    woken, is_waiting = threading.Event(), threading.Event()
    wait = ApplicationWait(clock, count=lambda: 0, notify=woken.set)

    def application() -> None:
        with wait.until(0, timeout_s=1000):
            is_waiting.set()
            woken.wait(GUARD_S)
        with wait.until(0, timeout_s=10_000):
            may_end.wait(GUARD_S)

    may_end, thread = threading.Event(), threading.Thread(target=application)
    thread.start()
    assert is_waiting.wait(GUARD_S)
    clock.advance(2000)
    assert wait.due_at - clock.monotonic() == pytest.approx(9000, abs=GUARD_S)
    may_end.set()
    thread.join()


def test_a_loop_that_ends_is_no_longer_waited_for(clock: Clock, told: Told) -> None:
    loop, other = new_private_loop(clock), new_private_loop(clock)
    loop.call_later(1000, loop.stop)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    with running(other):
        clock.advance(5000)
    thread.join()
    loop.close()


def test_a_thread_that_never_calls_again_is_not_waited_for_long(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turned_clock, "RETURN_S", 0.0)
    woken = threading.Event()
    wait = ApplicationWait(clock, count=lambda: 0, notify=woken.set)
    is_waiting = threading.Event()

    def application() -> None:
        with wait.until(0, timeout_s=1000):
            is_waiting.set()
            woken.wait(GUARD_S)

    thread = threading.Thread(target=application)
    thread.start()
    assert is_waiting.wait(GUARD_S)
    clock.advance(2000)
    thread.join()


def test_time_moves_in_as_many_steps_as_something_is_due(
    cluster: Cluster, new_consumer: NewConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_consumer(fetch_max_wait_ms=500)
    steps, rest = [], Clock._rest
    monkeypatch.setattr(Clock, "_rest", lambda clock: steps.append(1) or rest(clock))
    cluster.advance(seconds=45)
    fetches, heartbeats, commits = 90, 9, 9
    assert fetches <= len(steps) <= fetches + heartbeats + commits + 20


def test_consumers_that_do_not_wait_are_not_checked(cluster: Cluster, new_consumer: NewConsumer) -> None:
    before = followers(cluster)
    consumers = [new_consumer(group_id=group) for group in ("a", "b", "c")]
    assert len(followers(cluster) - before) == 3, "the threads that read and send for them"
    for consumer in consumers:
        consumer.close()
    assert followers(cluster) == before


def followers(cluster: Cluster) -> set[object]:
    return set(cluster.clock._followers)

"""Whoever waits for a bell sees to the relays that ring it while another thread offers them, and else that one does."""

from __future__ import annotations

import os
import resource
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.transport.relays import HAS_RELAYS
from tests.support.signals import Signals, shower
from tests.support.waiting import eventually
from tests.wire.test_fetch_relay import LONG_S, NUMBER, Broker, Events, Line, bring, frame_of, lent, served

pytestmark = pytest.mark.skipif(not HAS_RELAYS, reason="there are no relays here")

#: So many relays of one bell are offered to whoever waits for it.
MOST_OFFERED = 16
SHORT_S = 0.05


@pytest.fixture
def line() -> Iterator[Line]:
    with lent() as line:
        yield line


def is_left(line: Line) -> bool:
    """Whether the thread that waits has the socket, and not the epoll of the one that serves: Linux tells of that."""
    told = Path(f"/proc/self/fdinfo/{line.epoll.fileno()}").read_text()
    entries = [entry.split() for entry in told.splitlines() if entry.startswith("tfd:")]
    (events,) = (int(entry[3], 16) for entry in entries if int(entry[1]) == line.fd)
    return not events & select.EPOLLIN


@contextmanager
def waiting(*lines: Line, rings: int | None = None) -> Iterator[threading.Thread]:
    """Have a thread wait for the bell of these, and have their relays. It is rung for at the end."""
    bell = lines[0].bell
    thread = threading.Thread(target=bell.wait, args=(bell.rings if rings is None else rings, LONG_S))
    thread.start()
    eventually("it has them", lambda: all(is_left(line) for line in lines))
    yield thread
    bell.ring()
    thread.join(LONG_S)
    assert not thread.is_alive()


@contextmanager
def serving(*lines: Line) -> Iterator[list[Events]]:
    """Have a thread serve these by the first one's epoll until something is told, which is on the list in the end.

    At the end the first one is told of something that is not for a relay.
    """
    told: list[Events] = []
    relays = tuple(line.relay for line in lines)
    thread = threading.Thread(target=lambda: told.append(accelerator.serve(lines[0].epoll.fileno(), LONG_S, relays)))
    thread.start()
    eventually("they are offered", lambda: told or lines[0].bell.offered == min(len(lines), MOST_OFFERED))
    yield told
    if not told:
        lines[0].broker.sendall(frame_of(b"", NUMBER - 1))
    thread.join(LONG_S)
    assert not thread.is_alive()


def several(stack: ExitStack, count: int) -> list[Line]:
    """Lines with one bell and one epoll for all."""
    lines = [stack.enter_context(lent()) for _ in range(count)]
    for line in lines[1:]:
        line.relay.ring(lines[0].bell)
        lines[0].epoll.register(line.fd, select.EPOLLIN)
        line.epoll.close()
        line.bell, line.epoll = lines[0].bell, lines[0].epoll
    return lines


def test_who_waits_has_what_is_offered_until_it_waits_no_more(line: Line) -> None:
    with serving(line):
        assert not is_left(line)
        with waiting(line):
            assert line.bell.is_awaited
        assert not is_left(line)
        assert not line.bell.is_awaited


def test_who_waits_passes_answers_on(line: Line) -> None:
    with serving(line) as told, waiting(line) as thread:
        line.broker.sendall(frame_of(bring(3)))
        thread.join(LONG_S)
        assert (line.take(), line.bell.rings, told) == ([bring(3)], 1, [])
        assert line.broker.recv(1 << 16)


def test_an_answer_is_waited_for_to_its_end(line: Line) -> None:
    frame = frame_of(bring(3))
    with serving(line), waiting(line) as thread:
        for at in range(len(frame) - 1):
            line.broker.sendall(frame[at : at + 1])
        thread.join(SHORT_S)
        assert thread.is_alive()
        assert is_left(line)
        line.broker.sendall(frame[-1:])
        thread.join(LONG_S)
        assert line.take() == [bring(3)]


def test_who_serves_is_told_at_once_of_what_is_over(line: Line) -> None:
    with serving(line) as told, waiting(line):
        line.broker.sendall(frame_of(bring(3), NUMBER + 1))
        eventually("it is told", lambda: bool(told))
        assert told == [line.over]
        assert line.relay.is_over
        assert not is_left(line)


def test_who_serves_is_told_at_once_of_the_end_of_a_connection(line: Line) -> None:
    with serving(line) as told, waiting(line):
        line.broker.shutdown(socket.SHUT_WR)
        eventually("it is told", lambda: bool(told))
        assert told == [line.over]


def test_what_is_over_can_not_be_attended_again(line: Line) -> None:
    line.relay.end()
    with serving(line) as told:
        rings = line.bell.rings
        line.broker.sendall(frame_of(bring(3)))
        line.bell.wait(rings, SHORT_S)
    assert (told, line.take()) == ([line.over], [])


def test_who_serves_is_told_at_once_of_what_is_ended_meanwhile(line: Line) -> None:
    with serving(line) as told, waiting(line) as thread:
        line.relay.end()
        eventually("it is told", lambda: bool(told))
        assert told == [line.over]
        assert thread.is_alive()


def test_who_serves_is_told_also_if_the_other_one_waits_again_at_once() -> None:
    """That one must not take back what it has just left."""
    with ExitStack() as stack:
        lines = several(stack, 2)
        with serving(*lines) as told:
            for at in range(50):
                with waiting(*lines[1:]) as thread:
                    lines[1].broker.sendall(frame_of(bring(3 + at), NUMBER + at))
                    thread.join(LONG_S)
            lines[0].broker.sendall(frame_of(b"", NUMBER - 1))
            while not told:
                lines[0].bell.wait(lines[0].bell.rings, 1e-5)
        assert told == [lines[0].over]


def test_a_socket_is_closed_at_once_though_somebody_was_waiting_at_it(line: Line) -> None:
    with serving(line) as told, waiting(line) as thread:
        line.relay.end()
        eventually("it is told", lambda: bool(told))
        line.socket.close()
        assert select.select([line.broker], [], [], LONG_S / 2)[0]
        assert thread.is_alive()


def test_a_relay_that_is_served_keeps_its_bell(line: Line) -> None:
    with serving(line), pytest.raises(RuntimeError, match="keeps its bell"):
        line.relay.ring(accelerator.Bell())
    line.relay.ring(accelerator.Bell())


def test_a_relay_is_served_once(line: Line) -> None:
    twice = (line.relay, line.relay)
    with pytest.raises(RuntimeError, match="once"):
        accelerator.serve(line.epoll.fileno(), 0.0, twice)
    with serving(line), pytest.raises(RuntimeError, match="one thread"):
        line.serve()
    line.begin(line.given)
    assert line.answer(frame_of(bring(3))) == []
    assert line.take() == [bring(3)]


def test_nobody_passes_on_what_is_not_offered(line: Line) -> None:
    with serving(line):
        line.bell.wait(0, SHORT_S)
    line.begin(line.given)
    line.broker.sendall(frame_of(bring(3)))
    line.bell.wait(line.bell.rings, SHORT_S)
    assert line.take() == []
    assert not is_left(line)


def one_that_waits(line: Line) -> threading.Thread:
    """A thread that waits for the bell, had the socket and lost it again, as nobody serves any more."""
    thread = threading.Thread(target=line.bell.wait, args=(0, LONG_S))
    with serving(line) as told:
        thread.start()
        eventually("it has it", lambda: is_left(line))
        with other_epoll_event(line):
            eventually("the serving has ended", lambda: bool(told))
    assert not is_left(line)
    return thread


def test_who_waits_has_it_again_when_it_is_offered_again(line: Line) -> None:
    thread = one_that_waits(line)
    assert not line.relay.is_over
    with serving(line):
        eventually("it has it again", lambda: is_left(line))
        line.broker.sendall(frame_of(bring(3)))
        thread.join(LONG_S)
        assert line.take() == [bring(3)]


@contextmanager
def other_epoll_event(line: Line) -> Iterator[None]:
    """Something for Python on the same epoll: the serving ends."""
    ours, peer = socket.socketpair()
    with ours, peer:
        line.epoll.register(ours.fileno(), select.EPOLLIN)
        peer.send(b"!")
        yield
        line.epoll.unregister(ours.fileno())


def test_an_answer_that_comes_in_between_is_for_who_serves(line: Line) -> None:
    thread = threading.Thread(target=line.bell.wait, args=(0, LONG_S))
    with serving(line) as told:
        thread.start()
        eventually("it has it", lambda: is_left(line))
        with other_epoll_event(line):
            eventually("it is given back", lambda: bool(told))
            line.broker.sendall(frame_of(bring(3)))
            thread.join(SHORT_S)
            assert thread.is_alive()
            assert line.take() == []
    line.serve()
    thread.join(LONG_S)
    assert line.take() == [bring(3)]


def test_what_had_its_socket_before_is_not_meant(line: Line) -> None:
    before, thread = line.bell, one_that_waits(line)
    line.bell = accelerator.Bell()
    line.begin(line.given)
    with serving(line):
        line.broker.sendall(frame_of(bring(3)))
        eventually("it is passed on", lambda: line.bell.rings == 1)
        assert line.take() == [bring(3)]
    before.ring()
    thread.join(LONG_S)


def test_two_that_wait_are_woken_by_one_answer(line: Line) -> None:
    with serving(line), waiting(line, rings=0) as first, waiting(line, rings=0) as second:
        line.broker.sendall(frame_of(bring(3)))
        for thread in (first, second):
            thread.join(LONG_S)
            assert not thread.is_alive()
        assert line.bell.rings == 1


def test_it_is_given_back_when_the_time_is_over(line: Line) -> None:
    with serving(line):
        line.bell.wait(0, SHORT_S)
        assert not is_left(line)
        line.broker.sendall(frame_of(bring(3)))
        eventually("who serves passes it on", lambda: line.relay.has_answers)


def test_relays_of_several_brokers() -> None:
    with ExitStack() as stack:
        lines = several(stack, 3)
        with serving(*lines):
            for line in reversed(lines):
                with waiting(*lines) as thread:
                    line.broker.sendall(frame_of(bring(3)))
                    thread.join(LONG_S)
                    assert line.take() == [bring(3)]


def test_one_that_is_over_leaves_the_others() -> None:
    with ExitStack() as stack:
        over, other = lines = several(stack, 2)
        with serving(other, over) as told, waiting(*lines):
            over.broker.shutdown(socket.SHUT_WR)
            eventually("it is told", lambda: bool(told))
            assert told == [over.over]
            other.epoll.unregister(over.fd)
        assert other.answer(frame_of(bring(3))) == []
        assert other.take() == [bring(3)]


def test_more_relays_than_are_offered_are_passed_on_by_who_serves() -> None:
    with ExitStack() as stack:
        lines = several(stack, MOST_OFFERED + 2)
        with serving(*lines), waiting(*lines[:MOST_OFFERED]):
            assert not any(is_left(line) for line in lines[MOST_OFFERED:])
            for line in lines:
                line.broker.sendall(frame_of(bring(3)))
            eventually("all have answered", lambda: all(line.relay.has_answers for line in lines))


def test_nothing_is_lost_between_who_waits_and_who_serves(line: Line) -> None:
    bodies = [bring(3 + at) for at in range(2_000)]
    taken: list[bytes] = []
    with served(line) as told:
        broker = Broker(line, bodies)
        while len(taken) < len(bodies):
            rings = line.bell.rings
            if not line.relay.has_answers:
                line.bell.wait(rings, LONG_S if len(taken) % 3 else 1e-5)
            taken += line.take()
        broker.thread.join()
        line.broker.sendall(frame_of(b"", NUMBER - 1))
    assert taken == bodies
    assert told == [line.over]
    assert line.relay.counted()[0] == len(bodies)


def test_what_is_offered_again_and_again_is_passed_on_by_either(line: Line) -> None:
    bodies = [bring(3 + at) for at in range(2_000)]
    taken: list[bytes] = []
    is_done = threading.Event()

    def serve() -> None:
        while not is_done.is_set():
            line.serve(0.0005)

    thread = threading.Thread(target=serve)
    thread.start()
    broker = Broker(line, bodies)
    while len(taken) < len(bodies):
        rings = line.bell.rings
        if not line.relay.has_answers:
            line.bell.wait(rings, LONG_S)
        taken += line.take()
    broker.thread.join()
    is_done.set()
    thread.join()
    assert taken == bodies
    assert not is_left(line)


def test_a_handler_runs_in_the_midst_of_it(line: Line, signals: Signals) -> None:
    def answer() -> None:
        eventually("handlers ran", lambda: signals.handled >= 3)
        line.broker.sendall(frame_of(bring(3)))

    thread = threading.Thread(target=answer)
    with serving(line), shower(when=lambda: is_left(line)):
        thread.start()
        line.bell.wait(0, LONG_S)
        assert line.take() == [bring(3)]
        thread.join()


def test_a_handler_may_wait_as_well(line: Line, signals: Signals) -> None:
    signals.then = lambda: line.bell.wait(line.bell.rings, 0.001)
    with serving(line), shower(when=lambda: is_left(line)):
        line.bell.wait(0, SHORT_S)
    assert signals.handled > 0
    assert not is_left(line)


def test_what_a_handler_raises_gives_it_back(line: Line, signals: Signals) -> None:
    signals.then = lambda: 1 // 0
    with serving(line):
        with pytest.raises(ZeroDivisionError), shower(when=lambda: is_left(line) and not signals.handled):
            line.bell.wait(0, LONG_S)
        assert not is_left(line)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # since 3.12: of its threads
def test_a_child_that_was_forked_off_leaves_its_parents_alone(line: Line) -> None:
    with serving(line), waiting(line):
        pid = os.fork()
        if pid == 0:
            line.bell.wait(line.bell.rings, SHORT_S)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert is_left(line)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_rings_for_nobody_outside(line: Line) -> None:
    with serving(line), waiting(line) as thread:
        pid = os.fork()
        if pid == 0:
            line.bell.ring()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        thread.join(SHORT_S)
        assert thread.is_alive()
        assert line.bell.rings == 0


def test_a_bell_needs_a_descriptor_only_for_relays_and_lets_go_of_it(line: Line) -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    bells = [accelerator.Bell() for _ in range(20)]
    for bell in bells:
        bell.wait(0, 1e-6)
    assert count() == before
    with serving(line), waiting(line):
        assert count() == before + 1
    line.begin(line.given)
    line.bell = bells[0]
    line.relay.ring(bells[0])
    assert count() == before


@contextmanager
def few_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_who_can_not_wait_at_sockets_sleeps(line: Line) -> None:
    """Linux lets nobody wait at more of them than there may be."""
    with serving(line):
        with waiting(line):
            pass
        before = time.monotonic()
        with few_descriptors():
            line.bell.wait(line.bell.rings, SHORT_S)
        assert time.monotonic() - before >= SHORT_S
        assert not is_left(line)


def test_where_no_descriptor_can_be_had_nothing_is_attended(line: Line) -> None:
    with serving(line):
        with few_descriptors():
            line.bell.wait(0, SHORT_S)
        line.broker.sendall(frame_of(bring(3)))
        line.bell.wait(0, LONG_S)
        assert line.take() == [bring(3)]

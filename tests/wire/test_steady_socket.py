"""``SteadySocket``: it answers what is plain, and gives back everything else."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from tests.wire.served_socket import ASKED_AT, ServedSocket
from tests.wire.steady_bodies import NOTHING_FRAME
from tests.wire.steady_twin import CORRELATION_ID, EPOCH, MOST_BYTES, Start, Twin

pytestmark = pytest.mark.skipif(not (ACCELERATED and hasattr(accelerator, "SteadySocket")), reason="not here")

IDLE, ANSWERED, OVER = 0, 1, 2


@pytest.fixture
def there() -> Iterator[ServedSocket]:
    there = ServedSocket()
    yield there
    there.close()


def framed(frame: bytes) -> bytes:
    return len(frame).to_bytes(4, "big") + frame


def test_an_answer_is_taken_and_the_next_request_is_sent(there: ServedSocket) -> None:
    there.answers(3, count=2)
    assert there.served.serve() == ANSWERED
    assert there.taken == [[3, 4]]
    twin = Twin(Start())
    assert there.request()[8:12] == (CORRELATION_ID + 1).to_bytes(4, "big")
    assert there.step.places() != twin.told, "it asks for what comes after these"


def test_nothing_happens_while_nothing_arrives(there: ServedSocket) -> None:
    assert there.served.serve() == IDLE
    assert not there.served.is_over
    assert there.served.asked_at == ASKED_AT


def test_several_answers_that_have_arrived_are_taken_together(there: ServedSocket) -> None:
    for offset in (3, 4, 5):
        there.answers(offset)
    assert there.served.serve() == ANSWERED
    assert there.taken == [[3], [4], [5]]
    assert [there.request()[11] for _ in range(3)] == [6, 7, 8]


def test_an_answer_in_pieces_is_taken_once_it_is_whole(there: ServedSocket) -> None:
    there.answers(3)
    whole = there.client.recv(4096)
    for byte in whole[:-1]:
        there.broker.sendall(bytes([byte]))
        assert there.served.serve() == IDLE
    there.broker.sendall(whole[-1:])
    assert there.served.serve() == ANSWERED
    assert there.taken == [[3]]


def test_an_answer_without_records_is_answered_and_leaves_nothing(there: ServedSocket) -> None:
    there.sends(NOTHING_FRAME)
    assert there.served.serve() == ANSWERED
    assert there.taken == []
    assert there.request()


def test_an_odd_answer_ends_it_and_is_given_back(there: ServedSocket) -> None:
    there.answers(3)
    odd = (CORRELATION_ID + 1).to_bytes(4, "big") + b"\x00" + b"\xff" * 20
    there.sends(odd)
    assert there.served.serve() == OVER
    assert there.taken[0] == [3]
    assert there.served.end() == (framed(odd), b"", CORRELATION_ID + 1)


def test_the_answer_to_another_request_is_given_back(there: ServedSocket) -> None:
    there.answers(3, correlation_id=99)
    assert there.served.serve() == OVER
    received, _, number = there.served.end()
    assert received[4:8] == (99).to_bytes(4, "big")
    assert number == CORRELATION_ID


def test_a_large_answer_is_given_back_as_far_as_it_has_arrived(there: ServedSocket) -> None:
    there.broker.sendall((MOST_BYTES * 10).to_bytes(4, "big") + b"its beginning")
    assert there.served.serve() == OVER
    assert there.served.end()[0] == (MOST_BYTES * 10).to_bytes(4, "big") + b"its beginning"


@pytest.mark.parametrize("length", [-1, 0, 4])
def test_an_impossible_length_is_given_back(there: ServedSocket, length: int) -> None:
    there.broker.sendall(length.to_bytes(4, "big", signed=True) + b"....")
    assert there.served.serve() == OVER


def test_a_connection_that_has_ended_ends_it(there: ServedSocket) -> None:
    there.broker.close()
    assert there.served.serve() == OVER
    assert there.served.end() == (b"", b"", CORRELATION_ID)


def test_a_request_that_the_socket_does_not_accept_is_given_back_to_be_sent(there: ServedSocket) -> None:
    there.answers(3)
    there.client.setblocking(False)
    with suppress(BlockingIOError):
        while True:
            there.client.send(b"x" * 65536)
    assert there.served.serve() == OVER
    _, unsent, number = there.served.end()
    assert there.taken == [[3]]
    assert number == CORRELATION_ID + 1
    assert unsent[8:12] == number.to_bytes(4, "big"), "the whole request"


@pytest.mark.parametrize("how", ["stop", "end"])
def test_it_does_nothing_once_it_is_stopped(there: ServedSocket, how: str) -> None:
    there.answers(3)
    getattr(there.served, how)()
    assert there.served.serve() == OVER
    assert there.taken == []
    assert len(there.client.recv(4096)) > 0, "the answer is still there"


def test_traffic_is_what_is_new(there: ServedSocket) -> None:
    there.answers(3)
    there.served.serve()
    answers, bytes_in, bytes_out, total_s, longest_s = there.served.traffic()
    assert (answers, bytes_out) == (1, len(there.request()))
    assert bytes_in > 60
    assert total_s == longest_s == pytest.approx(there.served.asked_at - ASKED_AT)
    assert there.served.traffic() == (0, 0, 0, 0.0, 0.0)


def test_correlation_ids_start_again_behind_the_last(there: ServedSocket) -> None:
    last = ServedSocket()
    last.served = type(last.served)(last.step, last.client.fileno(), 2**31 - 1, ASKED_AT)
    last.answers(3, correlation_id=2**31 - 1)
    assert last.served.serve() == ANSWERED
    assert last.request()[8:12] == bytes(4)
    last.close()


@pytest.mark.parametrize("arguments", [(), (object(), 1, 2, 3.0), (None, 1, 2, 3.0)])
def test_other_arguments_are_refused(there: ServedSocket, arguments: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        type(there.served)(*arguments)  # type: ignore[arg-type, call-arg]


def test_the_epoch_moves_on_with_each_answer(there: ServedSocket) -> None:
    for offset in (3, 4):
        there.answers(offset)
    there.served.serve()
    first, second = there.request(), there.request()
    assert first != second
    assert EPOCH + 1 in first
    assert EPOCH + 2 in second


class Collected:
    """Garbage whose end runs Python code."""

    def __init__(self, then: object) -> None:
        self.itself, self.then = self, then

    def __del__(self) -> None:
        self.then()  # type: ignore[operator]


def test_the_garbage_collector_runs_before_or_after_it_and_not_in_the_midst(there: ServedSocket) -> None:
    """A finalizer may let another thread take the socket back."""
    seen: list[tuple[int, int]] = []
    thresholds = gc.get_threshold()
    there.answers(3, count=5)
    for _ in range(100):
        Collected(lambda: seen.append((there.step.answers, len(there.served.taken))))
    gc.set_threshold(1)
    try:
        there.served.serve()
    finally:
        gc.set_threshold(*thresholds)
    gc.collect()
    assert set(seen) <= {(0, 0), (1, 1)}
    assert gc.isenabled()

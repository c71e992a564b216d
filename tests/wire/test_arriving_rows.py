"""``ArrivingRows``: records one by one as they arrive, or all at once; exact wherever they end."""

from __future__ import annotations

import gc
import math
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.engine.application.record_run import TIMESTAMP_TYPES
from kafka_nextgen.types import Record
from tests.support.garbage import no_collections
from tests.support.signals import handled_by
from tests.support.waiting import eventually
from tests.wire.served_socket import ServedSocket, offsets_of

pytestmark = pytest.mark.skipif(not (ACCELERATED and hasattr(accelerator, "SteadySocket")), reason="not here")


class Stage:
    """Two brokers, and the rows that arrive from them."""

    def __init__(self) -> None:
        self.brokers = ServedSocket(), ServedSocket()
        self.waker, self.to_wake = socket.socketpair()
        self.rows = self.new_rows()

    def new_rows(self, until: float = math.inf, waits: bool = True) -> accelerator.ArrivingRows[Any]:
        sockets = tuple(broker.served for broker in self.brokers)
        waker = self.to_wake.fileno() if waits else -1
        return accelerator.ArrivingRows(sockets, Record, TIMESTAMP_TYPES, waker, until)

    @property
    def progress(self) -> tuple[list[list[int]], int]:
        handed, row, self.offered = self.rows.progress()
        return [list(columns.offsets) for columns in handed], row

    def close(self) -> None:
        for broker in self.brokers:
            broker.close()
        self.waker.close()
        self.to_wake.close()


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


def test_records_are_handed_over_one_by_one(stage: Stage) -> None:
    stage.brokers[0].answers(3, count=3)
    assert next(stage.rows).offset == 3
    assert next(stage.rows).offset == 4
    assert stage.progress == ([[3, 4, 5]], 2)


def test_the_next_record_is_waited_for(stage: Stage) -> None:
    sender = threading.Thread(target=lambda: (stage.brokers[0].answers(3), stage.brokers[1].answers(7)))
    sender.start()
    assert {next(stage.rows).offset, next(stage.rows).offset} == {3, 7}
    sender.join()
    assert stage.rows.waited_s > 0


def test_a_wakeup_ends_them(stage: Stage) -> None:
    stage.waker.send(b"\0")
    assert next(stage.rows, None) is None
    assert stage.rows.is_over


def test_records_that_have_arrived_are_handed_over_before_a_wakeup_is_seen(stage: Stage) -> None:
    stage.brokers[0].answers(3, count=2)
    assert next(stage.rows).offset == 3
    stage.waker.send(b"\0")
    assert offsets_of(stage.rows) == [4]


def test_they_end_when_the_time_is_over(stage: Stage) -> None:
    stage.rows = stage.new_rows(until=0.0)
    assert next(stage.rows, None) is None


def test_the_end_of_a_connection_ends_them(stage: Stage) -> None:
    stage.brokers[1].broker.close()
    assert next(stage.rows, None) is None
    assert stage.rows.is_over


def test_once_ended_they_hand_over_no_record_that_has_arrived(stage: Stage) -> None:
    stage.brokers[0].answers(3, count=3)
    assert next(stage.rows).offset == 3
    stage.rows.end()
    assert next(stage.rows, None) is None
    assert stage.progress == ([[3, 4, 5]], 1)
    assert stage.brokers[0].taken == [[3, 4, 5]], "a poll finds the rest"


def test_without_a_waker_they_stop_and_go_on(stage: Stage) -> None:
    stage.rows = stage.new_rows(waits=False)
    assert next(stage.rows, None) is None
    assert not stage.rows.is_ready
    stage.brokers[0].answers(3)
    stage.brokers[0].served.serve()
    assert stage.rows.is_ready
    assert next(stage.rows).offset == 3
    assert next(stage.rows, None) is None
    assert not stage.rows.is_over


def test_an_offer_is_all_that_has_arrived(stage: Stage) -> None:
    stage.brokers[0].answers(3)
    stage.brokers[0].answers(4, count=2)
    assert [list(columns.offsets) for columns in stage.rows.offer(math.inf, 500)] == [[3], [4, 5]]
    assert stage.progress == ([], -1), "it is not handed over yet"
    stage.rows.is_taken = 1
    assert stage.progress == ([[3], [4, 5]], -1)


def test_an_offer_that_was_not_taken_is_made_again(stage: Stage) -> None:
    stage.brokers[0].answers(3)
    assert stage.rows.offer(math.inf, 500)
    stage.brokers[0].answers(4)
    stage.brokers[0].served.serve()
    assert [list(columns.offsets) for columns in stage.rows.offer(math.inf, 500)] == [[3], [4]]


def test_after_an_offer_that_was_taken_the_next_is_what_follows(stage: Stage) -> None:
    for offset in (3, 4):
        stage.brokers[0].answers(offset)
        assert [list(columns.offsets) for columns in stage.rows.offer(math.inf, 500)] == [[offset]]
        stage.rows.is_taken = 1
    assert stage.progress == ([[3], [4]], -1)


def test_too_many_records_for_an_offer_end_the_rows(stage: Stage) -> None:
    stage.brokers[0].answers(3, count=2)
    stage.brokers[0].answers(5)
    assert stage.rows.offer(math.inf, 2) == []
    assert stage.rows.is_over
    assert stage.rows.offered is None
    assert stage.brokers[0].taken == [[3, 4], [5]], "a poll divides them"


def test_an_offer_may_find_nothing_in_time(stage: Stage) -> None:
    assert stage.rows.offer(0.0, 500) == []
    assert not stage.rows.is_over


def test_what_is_settled_is_forgotten_but_for_the_last(stage: Stage) -> None:
    for offset in (3, 4, 5):
        stage.brokers[0].answers(offset)
        next(stage.rows)
    handed, _, _ = stage.rows.progress()
    stage.rows.forget(handed)
    assert stage.progress == ([[5]], 1)
    stage.rows.forget(handed)
    assert stage.progress == ([[5]], 1), "forgetting again changes nothing"


def test_they_end_when_enough_was_handed_over(stage: Stage) -> None:
    handed = 0
    for offset in range(3, 1000):
        stage.brokers[0].answers(offset)
        if next(stage.rows, None) is None:
            break
        handed += 1
    assert handed == 96
    assert stage.rows.is_over


class InterruptedByError(Exception):
    """What a signal handler raises."""


@contextmanager
def signalled(stage: Stage, handle: Callable[[], object]) -> Iterator[None]:
    """Have the main thread handle a signal as soon as it waits for records."""
    main = threading.main_thread().ident
    assert main is not None

    def send() -> None:
        eventually("it waits", lambda: bool(stage.rows.is_waiting))
        signal.pthread_kill(main, signal.SIGUSR1)

    sender = threading.Thread(target=send)
    with handled_by(lambda *_: handle()):
        sender.start()
        yield
        sender.join()


def interrupt() -> None:
    raise InterruptedByError


def test_a_signal_handler_that_raises_loses_nothing(stage: Stage) -> None:
    with signalled(stage, interrupt), pytest.raises(InterruptedByError):
        next(stage.rows)
    stage.brokers[0].answers(3)
    assert next(stage.rows).offset == 3


def test_a_signal_handler_may_ask_for_the_next_record_and_gets_none(stage: Stage) -> None:
    found: list[object] = []

    def ask() -> None:
        found.append(next(stage.rows, None))
        stage.brokers[0].answers(3)

    with signalled(stage, ask):
        assert next(stage.rows).offset == 3
    assert found == [None]


def test_a_signal_handler_that_asks_for_an_offer_ends_them(stage: Stage) -> None:
    found: list[object] = []
    with signalled(stage, lambda: found.append(stage.rows.offer(math.inf, 500))):
        assert next(stage.rows, None) is None
    assert found == [[]]
    assert stage.rows.is_over


# ---- what is processed, and changes of mind


def test_a_record_is_processed_when_the_next_one_is_asked_for(stage: Stage) -> None:
    stage.rows = stage.new_rows(waits=False)
    stage.brokers[0].answers(3)
    stage.brokers[0].served.serve()
    next(stage.rows)
    assert not stage.rows.is_asked
    assert next(stage.rows, None) is None
    assert stage.rows.is_asked


def test_progress_says_which_records_are_of_the_last_offer(stage: Stage) -> None:
    for offset, offered in ((3, 1), (4, 1)):
        stage.brokers[0].answers(offset)
        stage.rows.offer(math.inf, 500)
        stage.rows.is_taken = 1
        assert stage.progress[0][-1] == [offset]
        assert stage.offered == offered
    stage.rows.offer(0.0, 500)
    assert stage.progress == ([[3], [4]], -1)
    assert stage.offered == 0


def test_an_offer_is_known_until_another_is_made_or_it_is_withdrawn(stage: Stage) -> None:
    stage.brokers[0].answers(3)
    first = stage.rows.offer(math.inf, 500)
    assert stage.rows.offered is first
    again = stage.rows.offer(math.inf, 500)
    assert stage.rows.offered is again is not first
    stage.rows.finish()
    assert stage.rows.offered is None
    assert stage.rows.is_over


def test_an_offer_that_was_taken_is_not_withdrawn(stage: Stage) -> None:
    stage.brokers[0].answers(3)
    stage.rows.offer(math.inf, 500)
    stage.rows.is_taken = 1
    stage.rows.finish()
    assert stage.progress == ([[3]], -1)


def test_nothing_is_offered_in_the_midst_of_columns_and_they_end(stage: Stage) -> None:
    stage.brokers[0].answers(3, count=2)
    assert next(stage.rows).offset == 3
    stage.brokers[0].answers(5)
    assert stage.rows.offer(math.inf, 500) == []
    assert stage.rows.is_over
    assert stage.progress == ([[3, 4]], 1)


def test_offers_end_when_the_time_of_the_rows_is_over(stage: Stage) -> None:
    stage.rows = stage.new_rows(until=0.0)
    stage.brokers[0].answers(3)
    assert stage.rows.offer(math.inf, 500) == []
    assert stage.rows.is_over


def test_they_are_ready_as_long_as_records_of_their_columns_are_left(stage: Stage) -> None:
    stage.rows = stage.new_rows(waits=False)
    stage.brokers[0].answers(3, count=2)
    stage.brokers[0].served.serve()
    next(stage.rows)
    assert stage.rows.is_ready
    next(stage.rows)
    assert not stage.rows.is_ready


def test_an_error_in_making_rows_loses_nothing(stage: Stage) -> None:
    served = stage.brokers[0].served
    rows = accelerator.ArrivingRows((served,), tuple, TIMESTAMP_TYPES, stage.to_wake.fileno(), math.inf)
    stage.brokers[0].answers(3)
    for _ in range(2):
        with pytest.raises(TypeError, match="a subtype of RecordFields"):
            next(rows)
    assert rows.progress()[0] == []
    assert stage.brokers[0].taken == [[3]]


@pytest.mark.parametrize("sockets", [[], (1,), None])
def test_other_sockets_are_refused(sockets: Any) -> None:
    with pytest.raises(TypeError):
        accelerator.ArrivingRows(sockets, Record, TIMESTAMP_TYPES, -1, 0.0)


def test_what_is_kept_until_the_rows_end_starts_no_garbage_collection(stage: Stage) -> None:
    """One of all objects of a process takes tens of milliseconds, in which no record arrives."""
    at_once = 700  # new objects; the default threshold of Python 3.10 to 3.12
    with no_collections():
        before, handed_over = gc.get_count()[0], 0
        while True:
            stage.brokers[0].answers(3 + handed_over)
            if next(stage.rows, None) is None:
                break
            handed_over += 1
        assert handed_over > 8
        assert gc.get_count()[0] - before < at_once * 3 / 4, "the poll that follows creates some, too"

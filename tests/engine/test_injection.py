"""Whatever a signal handler raises, and wherever: nothing is lost, ``close`` closes, and no member is stuck."""

from __future__ import annotations

import asyncio
import random
import signal
import threading
from collections.abc import Iterator

import pytest

from kafka_nextgen import AsyncConsumer, Consumer
from kafka_nextgen.compiled import ACCELERATED
from tests.engine.injected_callbacks import METHODS, PROTOCOLS, Awaited, Blocking, Made, try_callback
from tests.engine.injected_calls import READING, TRIED, TRIED_ELSEWHERE
from tests.engine.injected_log import TELLING, logged_stage, try_closing_log, try_log
from tests.engine.interrupted_reader import KINDS, Kind, Reader, full_stage, try_call, try_close, try_reading, try_run
from tests.engine.stage import Stage
from tests.support.examples import every
from tests.support.signals import handled_by

pytestmark = [
    pytest.mark.timeout(300 * 7 // every(7)),  # a night's run takes as much longer
    # A coroutine that was about to be handed to the I/O thread is dropped.
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning"),
    # It is raised in a generator that is dropped, so the call goes on.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
BOTH_KINDS = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def full() -> Iterator[Stage]:
    with full_stage() as stage:
        yield stage


@pytest.fixture(scope="module")
def logged() -> Iterator[Stage]:
    with logged_stage() as stage:
        yield stage


@BOTH_KINDS
def test_every_call_is_tried(kind: Kind) -> None:
    public = {name for name in dir(kind) if not name.startswith("_")}
    assert public - TRIED_ELSEWHERE.keys() == TRIED.keys() - {"assign a range", "for", "__next__"}
    assert READING.keys() <= TRIED.keys()


def stride_of(call: str) -> int:
    """Every place of what hands records over, and of the others one in seven, but in a night's run."""
    return 1 if call in READING else every(7)


@BOTH_KINDS
@pytest.mark.parametrize("call", TRIED)
async def test_after_an_exception_anywhere_in_a_call_reading_goes_on_where_it_was(
    full: Stage, kind: Kind, call: str
) -> None:
    assert await try_call(full, kind, call, stride=stride_of(call)) > 5


@BOTH_KINDS
@pytest.mark.parametrize("name", READING)
async def test_after_an_exception_around_a_deserializer_reading_goes_on_with_the_record(
    full: Stage, kind: Kind, name: str
) -> None:
    if name in ("poll", "batches") and not ACCELERATED:
        pytest.skip("an exception may end records that Python makes without a word")
    assert await try_reading(full, kind, name, stride=every(5)) > 50


@BOTH_KINDS
async def test_after_an_exception_in_close_the_next_one_closes_and_commits_what_was_handed_over(
    full: Stage, kind: Kind
) -> None:
    assert await try_close(full, kind, stride=every(7)) > 50


@BOTH_KINDS
@pytest.mark.parametrize("call", TELLING)
async def test_after_an_interrupt_anywhere_in_an_event_log_reading_goes_on_where_it_was(
    logged: Stage, kind: Kind, call: str
) -> None:
    assert await try_log(logged, kind, call) > 5


@BOTH_KINDS
async def test_after_an_exception_in_close_the_next_one_closes_a_consumer_with_an_event_log(
    logged: Stage, kind: Kind
) -> None:
    assert await try_close(logged, kind, stride=every(7)) > 50


async def test_after_an_interrupt_in_a_log_that_is_closed_the_next_close_closes_it(logged: Stage) -> None:
    assert await try_closing_log(logged) > 5


@pytest.mark.parametrize(("kind", "one_in"), [(Consumer, 61), (AsyncConsumer, 31)])
async def test_after_an_exception_in_a_run_the_next_one_leaves_out_no_record(
    full: Stage, kind: Kind, one_in: int
) -> None:
    assert await try_run(full, kind, stride=every(one_in)) > 100


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("kind", "made", "protocol", "stride"),
    [
        *((Consumer, Blocking, protocol, 1) for protocol in PROTOCOLS),
        (AsyncConsumer, Blocking, "classic", 7),
        (AsyncConsumer, Awaited, "consumer", 7),
    ],
)
async def test_an_exception_between_the_end_of_a_callback_and_its_report_keeps_no_member_waiting(
    full: Stage, kind: Kind, made: Made, protocol: str, stride: int, method: str
) -> None:
    assert await try_callback(full, kind, made, method, protocol, stride) > 5 * min(stride, 4)
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
            reader = asyncio.run(Reader.begin(full))
            timer = threading.Timer(chance.random() / 50, signal.pthread_kill, [threading.get_ident(), signal.SIGUSR1])
            with pytest.raises(KeyboardInterrupt):
                block(reader, timer)
            assert reader.consumer._is_closed
            reader.check_gone()

"""One caller at a time: the holder may come back in, another is refused with the names of both calls."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from kafka_nextgen import ConcurrentUseError, Consumer, MisuseError
from kafka_nextgen.engine.application.guard import Guard


class Caller:
    """Stands for a thread or task, so that one test can play several."""

    def __init__(self) -> None:
        self.name = "A"

    def __call__(self) -> object:
        return self.name


def test_another_caller_is_refused_and_told_who_is_inside() -> None:
    caller = Caller()
    guard = Guard(caller)
    assert guard.try_enter("poll")
    caller.name = "B"
    assert not guard.try_enter("commit")
    assert re.search(r"commit\(\).*inside poll\(\)", str(guard.refusal("commit")))


def test_the_holder_may_come_back_in() -> None:
    caller = Caller()
    guard = Guard(caller)
    assert guard.try_enter("poll")
    assert guard.try_enter("commit")
    guard.leave()
    caller.name = "B"
    assert not guard.try_enter("poll")
    guard.leave()
    assert guard.try_enter("poll")


def test_an_error_inside_frees_the_consumer() -> None:
    with Consumer({"bootstrap.servers": "127.0.0.1:1"}) as consumer, ThreadPoolExecutor(1) as elsewhere:
        for caller in (consumer.poll, lambda: elsewhere.submit(consumer.poll).result()):
            with pytest.raises(MisuseError, match="nothing to read"):
                caller()


def test_a_call_inside_one_of_the_same_name_leaves_that_to_its_caller() -> None:
    with Consumer({"bootstrap.servers": "127.0.0.1:1"}) as consumer, ThreadPoolExecutor(1) as elsewhere:
        with consumer._use_alone("poll"):
            with pytest.raises(MisuseError, match="nothing to read"):
                consumer.poll()  # as a signal handler may
            with pytest.raises(ConcurrentUseError, match=r"inside poll\(\)"):
                elsewhere.submit(consumer.poll).result()
        with pytest.raises(MisuseError, match="nothing to read"):
            elsewhere.submit(consumer.poll).result()

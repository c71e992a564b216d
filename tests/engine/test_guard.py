"""One caller at a time: the holder may come back in, another is refused with the names of both calls."""

from __future__ import annotations

import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from kafka_nextgen import ConcurrentUseError, Consumer, MisuseError
from kafka_nextgen.engine.application.call_guard import CallGuard, is_in_thread


class Caller:
    """Stands for a thread or task, so that one test can play several."""

    def __init__(self) -> None:
        self.name = "A"
        self.guard = CallGuard(lambda: self.name, lambda frame, name: is_in_thread(frame, threading.get_ident()))

    def try_enter(self, name: str, call: str) -> bool:
        self.name = name
        return self.guard.try_enter(call, sys._getframe(1))

    def leave(self) -> None:
        self.guard.leave(sys._getframe(1))


def test_another_caller_is_refused_and_told_who_is_inside() -> None:
    caller = Caller()
    assert caller.try_enter("A", "poll")
    assert not caller.try_enter("B", "commit")
    assert re.search(r"commit\(\).*inside poll\(\)", str(caller.guard.refusal("commit")))


def test_the_holder_may_come_back_in() -> None:
    caller = Caller()

    def commit() -> None:
        assert caller.try_enter("A", "commit")
        caller.leave()

    assert caller.try_enter("A", "poll")
    commit()
    assert not caller.try_enter("B", "poll")
    caller.leave()
    assert caller.try_enter("B", "poll")


def test_a_call_that_was_interrupted_on_its_way_out_is_over_with_its_frame() -> None:
    caller = Caller()

    def poll() -> None:
        assert caller.try_enter("A", "poll")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        poll()
    assert not caller.guard.is_held
    assert caller.try_enter("B", "poll")


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

"""One caller at a time: the holder may come back in, another is refused with the names of both calls."""

from __future__ import annotations

import pytest

from kafka_nextgen import ConcurrentUseError
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
    with guard.entered("poll"):
        caller.name = "B"
        with pytest.raises(ConcurrentUseError, match=r"commit\(\).*inside poll\(\)"), guard.entered("commit"):
            pass
        caller.name = "A"


def test_the_holder_may_come_back_in() -> None:
    caller = Caller()
    guard = Guard(caller)
    with guard.entered("poll"), guard.entered("commit"):
        caller.name = "B"
        assert not guard.try_enter("poll")
        caller.name = "A"
    caller.name = "B"
    assert guard.try_enter("poll")


def test_an_error_inside_frees_the_consumer() -> None:
    caller = Caller()
    guard = Guard(caller)
    with pytest.raises(ValueError, match="inside"), guard.entered("poll"):
        raise ValueError("inside")
    caller.name = "B"
    assert guard.try_enter("poll")

"""Waiting for events: what a failure says, and the limit that guards all of it."""

from __future__ import annotations

import pytest

from tests.support import waiting
from tests.support.waiting import GUARD_S, TEST_S, eventually


def test_what_never_happens_is_told_with_what_was_seen_instead() -> None:
    with pytest.raises(AssertionError, match=r"^not so within 0 s: it has three; instead: \[1, 2\]$"):
        eventually("it has three", lambda: False, 0, saw=lambda: [1, 2])


def test_the_limit_is_two_minutes_at_least_and_a_test_may_wait_for_it_twice() -> None:
    assert GUARD_S >= 120
    assert TEST_S > 2 * GUARD_S


@pytest.mark.parametrize(("takes_s", "factor"), [(0.01, 1), (0.06, 3), (10, 4)])
def test_the_limit_grows_with_how_slow_the_machine_is(
    monkeypatch: pytest.MonkeyPatch, takes_s: float, factor: float
) -> None:
    monkeypatch.delenv(waiting.VARIABLE, raising=False)
    monkeypatch.setattr(waiting, "_seconds_of_work", lambda: takes_s)
    assert waiting.slowness() == factor
    monkeypatch.setattr(waiting, "_seconds_of_work", lambda: 0.0)
    assert waiting.slowness() == factor, "it is measured once in a run"

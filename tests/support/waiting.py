"""Waiting for an event, and the one limit of time that guards a test against hanging.

The limit proves nothing: a test that is right never comes near it, however busy its machine is. It grows with how much
slower the machine is, at the start of the run, than it should be; all processes of the run have it from the first.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

VARIABLE = "KAFKA_NEXTGEN_TEST_SLOWNESS"

#: The work of ``_seconds_of_work`` takes so long on a quiet machine of 2020 or later.
QUIET_S = 0.02
MOST = 4.0


def slowness() -> float:
    """Return how many times slower the machine was at the start of the run than it should be: 1 to 4."""
    if VARIABLE not in os.environ:
        os.environ[VARIABLE] = f"{min(max(_seconds_of_work() / QUIET_S, 1.0), MOST):.2f}"
    return float(os.environ[VARIABLE])


def _seconds_of_work() -> float:
    """Five times, with pauses in which others take the processor: one of them alone might find it free by chance."""
    began, pauses = time.perf_counter(), 5
    for _ in range(pauses):
        sum(range(100_000))
        time.sleep(0.001)
    return time.perf_counter() - began - pauses * 0.001


#: Whatever a test waits for has happened by then, or never will.
GUARD_S = 120.0 * slowness()

#: A test may wait twice, and then say what it saw instead.
TEST_S = 300.0 * slowness()


def eventually(
    what: str, is_so: Callable[[], bool], timeout_s: float = GUARD_S, *, saw: Callable[[], object] | None = None
) -> None:
    """Return once ``is_so``; if it never is, fail with ``what`` was waited for and what ``saw`` returns."""
    deadline = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() >= deadline:
            instead = f"; instead: {saw()}" if saw is not None else ""
            raise AssertionError(f"not so within {timeout_s:.0f} s: {what}{instead}")
        time.sleep(0.02)

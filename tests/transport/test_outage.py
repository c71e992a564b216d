"""An outage is told in the log when it comes, changes, lasts and is over; not at every attempt."""

from __future__ import annotations

import logging

import pytest

from kafka_nextgen.errors import DisconnectedError
from kafka_nextgen.transport.outage import REPEAT_S, Outage

REFUSED, LOST = DisconnectedError("one:9092 refused"), DisconnectedError("one:9092 went away")


class Watched:
    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO)
        self._caplog = caplog
        self.now = 0.0
        self.outage = Outage(logging.getLogger("kafka_nextgen.test"), "metadata", lambda: self.now)

    def told(self) -> list[str]:
        told = [f"{record.levelname} {record.getMessage()}" for record in self._caplog.records]
        self._caplog.clear()
        return told


@pytest.fixture
def watched(caplog: pytest.LogCaptureFixture) -> Watched:
    return Watched(caplog)


def test_the_same_is_told_once_and_then_now_and_then_with_a_count(watched: Watched) -> None:
    for second in range(int(REPEAT_S)):
        watched.now = second
        watched.outage.failed(REFUSED)
    assert watched.told() == ["WARNING metadata: one:9092 refused; tried again"]
    watched.now = REPEAT_S
    watched.outage.failed(REFUSED)
    assert watched.told() == ["WARNING metadata: one:9092 refused; tried again (61 failures in 60 s)"]


def test_another_trouble_is_told_and_two_in_turn_are_not_told_in_turn(watched: Watched) -> None:
    for failure in (REFUSED, LOST, REFUSED, LOST):
        watched.outage.failed(failure)
    assert watched.told() == [
        "WARNING metadata: one:9092 refused; tried again",
        "WARNING metadata: one:9092 went away; tried again (2 failures in 0 s)",
    ]


def test_how_long_it_took_in_vain_makes_no_other_trouble(watched: Watched) -> None:
    for seconds in ("5", "4.99971", "4.3"):
        watched.outage.failed(DisconnectedError(f"not done within {seconds} s"))
    assert len(watched.told()) == 1


def test_the_end_is_told_once_and_the_next_outage_anew(watched: Watched) -> None:
    watched.outage.over()
    assert watched.told() == []
    watched.outage.failed(REFUSED, logging.INFO)
    watched.now = 3.0
    watched.outage.failed(REFUSED, logging.INFO)
    watched.outage.over()
    watched.outage.over()
    watched.outage.failed(REFUSED)
    assert watched.told() == [
        "INFO metadata: one:9092 refused; tried again",
        "INFO metadata: works again, after 2 failures in 3 s",
        "WARNING metadata: one:9092 refused; tried again",
    ]

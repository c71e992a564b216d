"""The pauses between attempts, and what the log says of failures that repeat."""

from __future__ import annotations

import logging

import pytest

from kafka_nextgen.errors import DisconnectedError
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.transport.pool import ConnectionPool
from kafka_nextgen.transport.retrying import REPEAT_S, Backoff, FailureLog
from kafka_nextgen.transport.targets import Purpose
from kafka_nextgen.transport.waiting import Deadline

from .scripted import now, settings

REFUSED, LOST = DisconnectedError("one:9092 refused"), DisconnectedError("one:9092 went away")


class Watched:
    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO)
        self._caplog = caplog
        self.now = 0.0
        self.failure_log = FailureLog(logging.getLogger("kafka_nextgen.test"), "metadata", lambda: self.now)

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
        watched.failure_log.failed(REFUSED)
    assert watched.told() == ["WARNING metadata: one:9092 refused; retrying"]
    watched.now = REPEAT_S
    watched.failure_log.failed(REFUSED)
    assert watched.told() == ["WARNING metadata: one:9092 refused; retrying (61 failures in 60 s)"]


def test_another_trouble_is_told_and_two_in_turn_are_not_told_in_turn(watched: Watched) -> None:
    for failure in (REFUSED, LOST, REFUSED, LOST):
        watched.failure_log.failed(failure)
    assert watched.told() == [
        "WARNING metadata: one:9092 refused; retrying",
        "WARNING metadata: one:9092 went away; retrying (2 failures in 0 s)",
    ]


def test_how_long_it_took_in_vain_makes_no_other_trouble(watched: Watched) -> None:
    for seconds in ("5", "4.99971", "4.3"):
        watched.failure_log.failed(DisconnectedError(f"timed out after {seconds} s"))
    assert len(watched.told()) == 1


def test_the_recovery_is_logged_once_and_a_new_failure_again(watched: Watched) -> None:
    watched.failure_log.recovered()
    assert watched.told() == []
    watched.failure_log.failed(REFUSED, logging.INFO)
    watched.now = 3.0
    watched.failure_log.failed(REFUSED, logging.INFO)
    watched.failure_log.recovered()
    watched.failure_log.recovered()
    watched.failure_log.failed(REFUSED)
    assert watched.told() == [
        "INFO metadata: one:9092 refused; retrying",
        "INFO metadata: works again, after 2 failures in 3 s",
        "WARNING metadata: one:9092 refused; retrying",
    ]


BACKOFF = Backoff(first_s=0.1, longest_s=1.0)


def test_pauses_double_up_to_the_longest() -> None:
    assert [BACKOFF.delay_s(failures, 0.5) for failures in range(7)] == [0, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0]


def test_jitter_is_a_fifth_either_way_however_often_it_failed() -> None:
    assert [round(BACKOFF.delay_s(1, chance), 6) for chance in (0, 0.5, 0.75)] == [0.08, 0.1, 0.11]
    assert BACKOFF.delay_s(10_000, 0.999) == pytest.approx(1.2, abs=0.001)


async def test_a_server_that_refuses_connections_is_tried_after_pauses_that_grow(dead_server: ServerAddress) -> None:
    pool = ConnectionPool(settings(dead_server, reconnect_backoff=Backoff(1.0, 3.0)), chance=lambda: 0.5)
    pauses = []
    for _ in range(4):
        began = now()
        with pytest.raises(DisconnectedError):
            await pool.get(dead_server, Purpose.GENERAL, Deadline(20.0, "a call"))
        pauses.append(now() - began)
    await pool.close()
    assert pauses == pytest.approx([0.0, 1.0, 2.0, 3.0])

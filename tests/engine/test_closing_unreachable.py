"""Closing a member whose cluster is gone: with nothing to commit, the time of close() is not spent on it.

A request to leave is given up after a tenth of a second here, not after three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.testing import Cluster
from tests.engine.stage import SETTINGS, Stage, poll_until, read, tp

AN_HOUR_S, AN_HOUR_MS = 3600.0, 3_600_000
BOTH_PROTOCOLS = pytest.mark.parametrize("protocol", ["consumer", "classic"])


class Mortal(Stage):
    """A stage whose cluster can be killed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._life = ExitStack()
        super().__init__(self._life.enter_context(Cluster(config=SETTINGS)), monkeypatch)

    def kill(self) -> None:
        self._life.close()


@pytest.fixture
def mortal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mortal]:
    for module in ("classic_requests", "heartbeat"):
        monkeypatch.setattr(f"kafka_nextgen.engine.member.{module}.LEAVE_CONNECT_TIMEOUT_S", 0.1)
    stage = Mortal(monkeypatch)
    yield stage
    stage.kill()


@BOTH_PROTOCOLS
@pytest.mark.parametrize(("auto_commit", "call"), [(False, Consumer.unsubscribe), (True, Consumer.close)])
def test_a_member_that_has_committed_everything_leaves_soon(
    mortal: Mortal, protocol: str, auto_commit: bool, call: Callable[..., None]
) -> None:
    consumer = mortal.after_reading(10, group_protocol=protocol, enable_auto_commit=auto_commit)
    consumer.commit()
    mortal.kill()
    call(consumer, timeout=AN_HOUR_S)
    consumer.close()


@BOTH_PROTOCOLS
@pytest.mark.parametrize(("records", "call"), [(0, Consumer.close), (10, Consumer.unsubscribe)])
def test_so_does_one_that_has_read_nothing_since_it_looked_up_its_position(
    mortal: Mortal, protocol: str, records: int, call: Callable[..., None]
) -> None:
    mortal.create(records=records)
    with mortal.consumer() as before:
        if records:
            before.commit({tp(): records})
    consumer = mortal.subscribed(group_protocol=protocol, enable_auto_commit=True, auto_commit_interval_ms=AN_HOUR_MS)
    poll_until(consumer, lambda: bool(consumer.assignment()))
    assert consumer.position(tp()) == records
    mortal.kill()
    call(consumer, timeout=AN_HOUR_S)
    consumer.close()


@pytest.mark.parametrize(
    "reset", [pytest.param("earliest", id="of what was read"), pytest.param("latest", id="of an end, which moves on")]
)
def test_what_is_not_committed_yet_has_the_time_of_close(
    mortal: Mortal, caplog: pytest.LogCaptureFixture, reset: str
) -> None:
    mortal.create(records=10)
    consumer = mortal.subscribed(enable_auto_commit=True, auto_commit_interval_ms=AN_HOUR_MS, auto_offset_reset=reset)
    read(consumer, 10 if reset == "earliest" else 0)
    poll_until(consumer, lambda: bool(consumer.assignment()))
    assert consumer.position(tp()) == 10
    consumer.poll(0)
    mortal.kill()
    consumer.close(timeout=0.3)
    assert "leaving without waiting any longer" in caplog.text

"""Closing a member whose cluster is gone: with nothing to commit, the time of close() is not spent on it.

A request to leave is given up after half a second here, not after three.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from attrs import frozen

from kafka_nextgen import AsyncConsumer
from kafka_nextgen.testing import Cluster
from tests.engine.stage import SETTINGS, TOPIC, Stage, poll_until, read, tp

AN_HOUR_S = 3600.0


@frozen
class Mortal:
    """A stage whose cluster can be killed."""

    stage: Stage
    kill: Callable[[], None]


@pytest.fixture
def mortal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mortal]:
    for module in ("classic_requests", "heartbeat"):
        monkeypatch.setattr(f"kafka_nextgen.engine.member.{module}.LEAVE_CONNECT_TIMEOUT_S", 0.5)
    with ExitStack() as life:
        yield Mortal(Stage(life.enter_context(Cluster(config=SETTINGS)), monkeypatch), life.close)


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
@pytest.mark.parametrize("auto_commit", [False, True], ids=["manual", "auto"])
@pytest.mark.parametrize("call", ["close", "unsubscribe"])
def test_a_member_that_has_committed_everything_leaves_soon(
    mortal: Mortal, protocol: str, auto_commit: bool, call: str
) -> None:
    stage = mortal.stage
    stage.create(records=10)
    consumer = stage.consumer(group_protocol=protocol, enable_auto_commit=auto_commit)
    consumer.subscribe([TOPIC])
    read(consumer, 10)
    consumer.commit()
    mortal.kill()
    getattr(consumer, call)(timeout=AN_HOUR_S)
    consumer.close()


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
@pytest.mark.parametrize("records", [0, 10], ids=["earliest", "committed"])
@pytest.mark.parametrize("call", ["close", "unsubscribe"])
def test_so_does_one_that_has_read_nothing_since_it_looked_up_its_position(
    mortal: Mortal, protocol: str, records: int, call: str
) -> None:
    stage = mortal.stage
    stage.create(records=records)
    with stage.consumer() as before:
        before.subscribe([TOPIC])
        read(before, records)
        if records:
            before.commit()
    consumer = stage.consumer(group_protocol=protocol, enable_auto_commit=True, auto_commit_interval_ms=3_600_000)
    consumer.subscribe([TOPIC])
    poll_until(consumer, lambda: bool(consumer.assignment()))
    assert consumer.position(tp()) == records
    mortal.kill()
    getattr(consumer, call)(timeout=AN_HOUR_S)
    consumer.close()


def test_so_does_an_async_consumer(mortal: Mortal) -> None:
    stage = mortal.stage
    stage.create(records=10)

    async def main() -> None:
        consumer = AsyncConsumer(**stage.config(enable_auto_commit=True))
        await consumer.subscribe([TOPIC])
        count = 0
        while count < 10:
            count += len(await consumer.poll(timeout=0.1))
        await consumer.commit()
        await asyncio.to_thread(mortal.kill)
        await consumer.close(timeout=AN_HOUR_S)

    asyncio.run(main())


def test_partitions_assigned_by_hand_are_given_up_soon(mortal: Mortal) -> None:
    stage = mortal.stage
    stage.create(records=10)
    consumer = stage.consumer(enable_auto_commit=True)
    consumer.assign([tp()])
    read(consumer, 10)
    consumer.commit()
    mortal.kill()
    consumer.close(timeout=AN_HOUR_S)


def test_what_is_not_committed_yet_has_the_time_of_close(mortal: Mortal, caplog: pytest.LogCaptureFixture) -> None:
    stage = mortal.stage
    stage.create(records=10)
    consumer = stage.consumer(enable_auto_commit=True, auto_commit_interval_ms=3_600_000)
    consumer.subscribe([TOPIC])
    read(consumer, 10)
    mortal.kill()
    consumer.close(timeout=1)
    assert "leaving without waiting any longer" in caplog.text


def test_so_has_a_position_at_the_end_for_the_end_moves_on(mortal: Mortal, caplog: pytest.LogCaptureFixture) -> None:
    stage = mortal.stage
    stage.create(records=10)
    settings = {"enable_auto_commit": True, "auto_commit_interval_ms": 3_600_000, "auto_offset_reset": "latest"}
    consumer = stage.consumer(**settings)
    consumer.subscribe([TOPIC])
    poll_until(consumer, lambda: bool(consumer.assignment()))
    assert consumer.position(tp()) == 10
    consumer.poll(0)
    mortal.kill()
    consumer.close(timeout=1)
    assert "leaving without waiting any longer" in caplog.text

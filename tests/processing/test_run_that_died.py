"""``run`` that ends by an error is seen by probes, even where the application never looks at the task it ran in."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen import AsyncConsumer, ConfigError, Consumer, Record, StopHandle
from kafka_nextgen.errors import ConcurrentUseError
from tests.processing.group import member_config
from tests.support.clients import unique


def fail(record: Record) -> None:
    raise ZeroDivisionError(f"no total in {record.offset}")


def problem_of(consumer: Consumer | AsyncConsumer) -> str:
    return consumer.health().problem or ""


def test_health_tells_the_error_until_the_application_polls(servers: str, orders: str) -> None:
    with Consumer(member_config(servers, unique("died"))) as consumer:
        with pytest.raises(ZeroDivisionError):
            consumer.run(fail, [orders], attempts=1)
        assert "ZeroDivisionError: no total in 0" in problem_of(consumer)
        assert consumer.health().run_error == "ZeroDivisionError: no total in 0"
        consumer.poll(0)
        assert consumer.health().run_error is None


async def test_a_task_that_is_never_awaited_is_seen_to_have_died(servers: str, orders: str) -> None:
    """As in the lifespan of a web service."""
    async with AsyncConsumer(member_config(servers, unique("died"))) as consumer:
        running = asyncio.create_task(consumer.run(fail, [orders], attempts=1))
        await asyncio.wait([running])
        assert "ZeroDivisionError" in problem_of(consumer)
        assert isinstance(running.exception(), ZeroDivisionError)


def test_so_is_one_that_could_not_begin(servers: str, orders: str) -> None:
    with Consumer(member_config(servers, unique("died"), enable_auto_commit=True)) as consumer:
        with pytest.raises(ConfigError):
            consumer.run(fail, [orders])
        assert "enable.auto.commit" in problem_of(consumer)


async def test_one_that_was_stopped_or_cancelled_is_no_problem(servers: str, orders: str) -> None:
    stopped = StopHandle()
    stopped.stop()
    async with AsyncConsumer(member_config(servers, unique("stopped"))) as consumer:
        await consumer.run(fail, [orders], stop=stopped)
        assert consumer.health().run_error is None
        running = asyncio.create_task(consumer.run(fail, [orders]))
        await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait([running])
        assert consumer.health().run_error is None


async def test_a_second_call_is_refused_between_calls_of_the_first_too_and_does_not_end_it(
    servers: str, orders: str
) -> None:
    stopped = StopHandle()
    refused: list[Exception] = []

    async def handle(_: Record) -> None:
        try:
            await consumer.run(handle, [orders])
        except ConcurrentUseError as error:
            refused.append(error)
        stopped.stop()

    async with AsyncConsumer(member_config(servers, unique("twice"))) as consumer:
        await consumer.run(handle, [orders], stop=stopped)
        assert consumer.health().run_error is None
        stopped.stop()
        await consumer.run(handle, stop=stopped)  # the next one may begin
    assert "another run() of this consumer is in progress" in str(refused[0])

"""Functions in place of a listener: they are called as its methods are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    Consumer,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
)
from kafka_nextgen.types import format_partitions
from tests.engine.stage import TOPIC, Stage, poll_until, poll_until_async, read


class Told:
    """What functions were told, in order."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def by(self, name: str) -> Any:
        def function(consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
            self.calls.append(f"{name} {format_partitions(partitions)}")

        return function


def test_each_function_hears_of_its_own(stage: Stage) -> None:
    stage.create(records=10)
    told = Told()
    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC], on_assign=told.by("assign"), on_revoke=told.by("revoke"), on_lost=told.by("lost"))
        read(consumer, 10)
        stage.fence(consumer)
        poll_until(consumer, lambda: len(told.calls) == 3)
    assert told.calls == ["assign orders[0]", "lost orders[0]", "assign orders[0]", "revoke orders[0]"]


def test_what_was_lost_is_not_revoked(stage: Stage) -> None:
    stage.create(records=10)
    told = Told()
    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC], on_assign=told.by("assign"), on_revoke=told.by("revoke"))
        read(consumer, 10)
        stage.fence(consumer)
        poll_until(consumer, lambda: len(told.calls) == 2)
        assert told.calls == ["assign orders[0]", "assign orders[0]"]


def test_a_function_commits_before_its_partitions_are_given_up(stage: Stage) -> None:
    def commit(consumer: RebalanceConsumer, _: Sequence[TopicPartition]) -> None:
        consumer.commit()

    stage.create(records=10)
    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC], on_revoke=commit)
        read(consumer, 10)
    assert stage.committed() == {0: 10}


def test_async_functions_are_awaited_and_others_called(stage: Stage) -> None:
    async def commit(consumer: AsyncRebalanceConsumer, _: Sequence[TopicPartition]) -> None:
        await consumer.commit()

    async def read_all(told: Told) -> None:
        async with AsyncConsumer(stage.config()) as consumer:
            await consumer.subscribe([TOPIC], on_assign=told.by("assign"), on_revoke=commit)
            await poll_until_async(consumer, lambda: consumer.lag() == dict.fromkeys(consumer.assignment(), 0) != {})

    stage.create(records=10)
    asyncio.run(read_all(told := Told()))
    assert (told.calls, stage.committed()) == (["assign orders[0]"], {0: 10})


async def awaits(_: object, __: object) -> None: ...


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"listener": RebalanceListener(), "on_lost": print}, r"a listener or functions \(on_lost\), not both"),
    ({"listener": print}, "not a function: pass functions as on_assign"),
    ({"listener": RebalanceListener}, "not the class RebalanceListener"),
    ({"on_assign": "print"}, "on_assign must be a function"),
    ({"on_revoke": awaits}, "async methods needs AsyncConsumer"),
]


@pytest.mark.parametrize(("given", "says"), MISTAKES)
def test_what_is_no_listener_is_refused_before_anything_is_sent(given: dict[str, Any], says: str) -> None:
    with Consumer(bootstrap_servers="127.0.0.1:1", group_id="billing") as consumer:
        with pytest.raises(TypeError, match=says):
            consumer.subscribe([TOPIC], **given)
        assert consumer.subscription() == frozenset()

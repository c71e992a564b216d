"""Raises between the end of a callback and its report to the member, which has to go on."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from kafka_nextgen import (
    AsyncConsumer,
    AsyncRebalanceConsumer,
    AsyncRebalanceListener,
    Consumer,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
)
from kafka_nextgen.config import GroupProtocol
from kafka_nextgen.groups.leaving import LeaveGroup, LeaveGroupAnswer, LeavingMember
from tests.engine.injected_calls import result_of
from tests.engine.injection import InjectedError, Injection, is_in_a_task
from tests.engine.interrupted_reader import Kind
from tests.engine.stage import GROUP, TOPIC, Stage
from tests.support.waiting import GUARD_S

PROTOCOLS: dict[str, dict[str, object]] = {
    "consumer": {},
    "classic": {"group_protocol": "classic", "heartbeat_interval_ms": 50},
}


class Trap:
    """Has an exception raised after the end of a method, before the member has heard of that, where it is in reach."""

    def __init__(self, is_in_reach: Callable[[], bool] = lambda: True) -> None:
        self._is_in_reach = is_in_reach
        self.kind = ""
        self.injection = Injection(1)
        self.heard: list[str] = []

    def arm(self, kind: str, place: int) -> None:
        self.heard.clear()
        self.kind = kind
        self.injection = Injection(place, until="note_end_reported", is_in_reach=self._is_in_reach)

    def end(self, kind: str) -> None:
        self.heard.append(kind)
        if kind == self.kind and not self.injection.places:
            sys.setprofile(self.injection.look)


class Blocking(RebalanceListener):
    """Its methods are not awaited."""

    def __init__(self, trap: Trap) -> None:
        self._trap = trap

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._trap.end("assigned")

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._trap.end("revoked")

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._trap.end("lost")


class Awaited(AsyncRebalanceListener):
    """Its methods are awaited."""

    def __init__(self, trap: Trap) -> None:
        self._trap = trap

    async def on_partitions_assigned(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await asyncio.sleep(0)
        self._trap.end("assigned")

    async def on_partitions_revoked(
        self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]
    ) -> None:
        await asyncio.sleep(0)
        self._trap.end("revoked")

    async def on_partitions_lost(self, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        await asyncio.sleep(0)
        self._trap.end("lost")


METHODS = ("assigned", "revoked", "lost")
Made = type[Blocking] | type[Awaited]
#: Which consumer calls which listener.
CALLERS: tuple[tuple[Kind, Made], ...] = ((Consumer, Blocking), (AsyncConsumer, Blocking), (AsyncConsumer, Awaited))


async def poll_through(consumer: Any, trap: Trap, partitions: int) -> None:
    """Poll, whatever is raised, until the member has come to rest with so many partitions."""
    deadline = time.monotonic() + GUARD_S
    is_settled = False
    while not is_settled:
        assert time.monotonic() < deadline, f"the member does not go on: {trap.injection}; {consumer.health()}"
        try:
            await result_of(consumer.poll(0.01, max_records=1))
        except InjectedError:
            pass
        finally:
            sys.setprofile(None)
        await asyncio.sleep(0.002)  # or there would soon be no record left
        is_heard = not trap.kind or trap.kind in trap.heard
        is_settled = is_heard and len(consumer.assignment()) == partitions and consumer.health().rebalancing is None


async def try_callback(stage: Stage, kind: Kind, made: Made, method: str, protocol: str, stride: int = 1) -> int:
    """Raise in each place behind the end of this method, or every so many; how many there were at least."""
    trap, place = Trap(is_in_a_task), 1
    listener = made(trap)
    consumer = kind(**stage.config(**PROTOCOLS[protocol]))
    try:
        await result_of(consumer.subscribe([TOPIC], listener))  # type: ignore[arg-type]
        await poll_through(consumer, trap, partitions=2)
        while await is_raised(stage, consumer, listener, trap, method, place):
            place += stride
        assert await result_of(consumer.poll(10, max_records=1))
    finally:
        await result_of(consumer.close())
    return place


async def is_raised(
    stage: Stage, consumer: Any, listener: Blocking | Awaited, trap: Trap, method: str, place: int
) -> bool:
    """Have the method called, and raise at that place after its end, if there is one."""
    trap.arm(method if method != "revoked" else "", place)
    if method == "lost":
        await asyncio.to_thread(throw_out, stage, consumer)
        await poll_through(consumer, trap, partitions=2)
        return trap.injection.where is not None
    await result_of(consumer.subscribe([TOPIC, "audit"], listener))
    await poll_through(consumer, trap, partitions=3)
    where = trap.injection.where
    trap.arm(method if method == "revoked" else "", place)
    await result_of(consumer.subscribe([TOPIC], listener))
    await poll_through(consumer, trap, partitions=2)
    return (trap.injection.where if method == "revoked" else where) is not None


def throw_out(stage: Stage, consumer: Consumer | AsyncConsumer) -> None:
    """Take the member out of its group, by its protocol."""
    if consumer.group_protocol is GroupProtocol.CONSUMER:
        stage.fence(consumer)
        return
    leave = LeaveGroup(GROUP, (LeavingMember(consumer.group_metadata().member_id),))
    stage.run(lambda: stage.cluster._broker._cluster.groups.ask(leave, LeaveGroupAnswer))

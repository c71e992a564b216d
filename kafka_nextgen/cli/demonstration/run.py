"""The story: who joins, leaves and is killed, when, and the proof at the end.

Two consumers begin. A third joins when a fifth of the flights was written; the first leaves when somewhat less than
half was; the second is killed at two thirds, at a moment when it has processed records that it has not committed. The
third is left with everything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from attrs import define, field

from kafka_nextgen.broker import Broker
from kafka_nextgen.cli.demonstration.board import PARTITIONS, TOPIC, Board
from kafka_nextgen.cli.demonstration.dataset import Flight
from kafka_nextgen.cli.demonstration.ledger import Proof
from kafka_nextgen.cli.demonstration.member import Member
from kafka_nextgen.cli.demonstration.stream import stream_flights
from kafka_nextgen.cli.demonstration.watching import watched
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.history.events import Event
from kafka_nextgen.producing.producer import Producer, connect

__all__ = ["Story", "StoryError"]

GROUP = "demo"
FIRST, SECOND, NEWCOMER = "consumer-1", "consumer-2", "consumer-3"
TIMEOUT_S = 10.0
STREAM_S = 22.0
JOIN_AT, LEAVE_AT, KILL_AT = 0.20, 0.42, 0.65
UNCOMMITTED_AT_LEAST = 50

#: Short enough for a demonstration; Kafka's own are 45 s and 5 s.
BROKER_SETTINGS = {
    "group.consumer.session.timeout.ms": 3_000,
    "group.consumer.min.session.timeout.ms": 3_000,
    "group.consumer.heartbeat.interval.ms": 500,
    "group.consumer.min.heartbeat.interval.ms": 500,
    "group.consumer.assignment.interval.ms": 0,
}


class StoryError(Exception):
    """A consumer process ended as it should not have."""


@define
class Story:
    """One run. ``flights`` is what is streamed, over ``stream_s`` seconds; ``board`` shows how it goes.

    ``history`` is told what happens to the group: by its coordinator, and by a poller, which knows the lag.
    """

    flights: list[Flight]
    board: Board
    history: Callable[[Event], None] | None = None
    stream_s: float = STREAM_S
    members: dict[str, Member] = field(factory=dict)
    waiting_for: str = "the broker"
    _servers: str = ""

    async def tell(self) -> Proof:
        """Run it all and prove it. Raises StoryError, and what the broker or the producer raises."""
        broker = Broker(BROKER_SETTINGS, history=self.history)
        await broker.start()
        self._servers = broker.bootstrap_servers
        try:
            self.board.say(f"a broker listens on {self._servers}; {len(self.flights):,} flights are waiting")
            async with watched(self._servers, GROUP, self.history):
                await self._with_producer()
            return self.proof()
        finally:
            await asyncio.gather(*(member.kill() for member in self.members.values()))
            await broker.close()

    def proof(self) -> Proof:
        """What can be said now; a process that ended as it should not is a fault, too."""
        found = self.board.ledger.prove()
        faults = tuple(member.fault for member in self.members.values() if member.fault)
        return Proof(found.produced, (*faults, *found.faults), found.repeated)

    async def _with_producer(self) -> None:
        config = ConsumerConfig.parse(bootstrap_servers=self._servers, client_id="demo-producer")
        cluster = await connect(config, TIMEOUT_S)
        try:
            producer = Producer(cluster, TOPIC, timeout_s=TIMEOUT_S)
            await producer.create_topic(PARTITIONS)
            await self._two_begin()
            streaming = stream_flights(producer, self.flights, self.board, self.stream_s)
            await _both(streaming, self._come_and_go())
        finally:
            await cluster.close()

    async def _two_begin(self) -> None:
        await self._start(FIRST)
        await self._start(SECOND)
        await self._until("two owners of all partitions", lambda: self._share(FIRST, SECOND) and self._all_owned())

    async def _come_and_go(self) -> None:
        await self._until("the newcomer's moment", lambda: self._streamed() >= JOIN_AT)
        await self._start(NEWCOMER)
        await self._until("the newcomer to process", lambda: self.board.processed_by.get(NEWCOMER, 0) > 0)
        await self._until("the first to leave", lambda: self._streamed() >= LEAVE_AT and self._all_owned())
        await self._leave(FIRST)
        await self._until("the kill", lambda: self._streamed() >= KILL_AT and self._all_owned())
        await self._until("uncommitted records", lambda: self.board.uncommitted.get(SECOND, 0) >= UNCOMMITTED_AT_LEAST)
        await self._kill(SECOND)
        await self._until("the last one to own all", lambda: len(self.board.owned_by(NEWCOMER)) == PARTITIONS)
        await self._until("every flight to be processed", self.board.everything_processed)
        await self._leave(NEWCOMER)

    async def _start(self, name: str) -> None:
        self.board.say(f"{name} starts")
        self.members[name] = await Member.start(name, self._servers, TOPIC, GROUP, self.board.note, self.board.wake)

    async def _leave(self, name: str) -> None:
        self.board.say(f"{name} is asked to leave (SIGTERM)")
        await self.members[name].leave()
        self.board.say(f"{name} has left")

    async def _kill(self, name: str) -> None:
        self.board.note_killed(name)
        await self.members[name].kill()
        count = self.board.uncommitted.get(name, 0)
        self.board.say(f"{name} was killed (SIGKILL) with {count} records processed and not committed")

    async def _until(self, what: str, condition: Callable[[], bool]) -> None:
        self.waiting_for = what
        await self.board.wait_until(lambda: condition() or any(member.fault for member in self.members.values()))
        for member in self.members.values():
            if member.fault:
                raise StoryError(member.fault)

    def _share(self, *names: str) -> bool:
        return all(self.board.owned_by(name) for name in names)

    def _all_owned(self) -> bool:
        return len(self.board.owners) == PARTITIONS

    def _streamed(self) -> float:
        return self.board.ledger.count_produced() / self.board.total


async def _both(one: Coroutine[object, object, None], other: Coroutine[object, object, None]) -> None:
    """Run both to their ends; what one raises ends the other."""
    tasks = [asyncio.ensure_future(one), asyncio.ensure_future(other)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

"""The scenario: which consumers join, leave and are killed, and the proof at the end.

Two consumers start. A third joins when a fifth of the flights have been written. The first leaves shortly before half
of them have been written. The second is killed at about two thirds, when it has processed records that it has not
committed. The third ends up with all partitions.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

from attrs import field

from kafka_nextgen.admin import AsyncGroupAdmin
from kafka_nextgen.cli.demonstration.flights import Flight, stream_flights
from kafka_nextgen.cli.demonstration.ledger import Proof
from kafka_nextgen.cli.demonstration.progress import PARTITION_COUNT, TOPIC, Progress
from kafka_nextgen.cli.demonstration.worker_process import WorkerProcess
from kafka_nextgen.collecting.collector import Collector, GroupFilter, new_source
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.queued_sink import CallbackSink
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.producing.producer import Producer, connect
from kafka_nextgen.testing.broker import Broker

__all__ = ["Scenario", "ScenarioError"]

GROUP = "demo"
FIRST, SECOND, THIRD = "consumer-1", "consumer-2", "consumer-3"
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

INTERVAL_S = 0.5


class ScenarioError(Exception):
    """A consumer process ended abnormally."""


@define
class Scenario:
    """One run of the demonstration: streams ``flights`` over ``stream_s`` seconds and updates ``progress``.

    ``history`` receives the events of the group, from its coordinator and from a poller, which knows the lag.
    """

    flights: list[Flight]
    progress: Progress
    history: Callable[[Event], None] | None = None
    stream_s: float = STREAM_S
    members: dict[str, WorkerProcess] = field(factory=dict)
    waiting_for: str = "the broker"
    _servers: str = ""

    async def run(self) -> Proof:
        """Run the scenario and return the proof. Raises ScenarioError, and errors of the broker and the producer."""
        broker = Broker(BROKER_SETTINGS, history=self.history)
        await broker.start()
        self._servers = broker.bootstrap_servers
        try:
            self.progress.print_line(
                f"a broker is listening on {self._servers}; {len(self.flights):,} flights are waiting"
            )
            async with _record_lag(self._servers, GROUP, self.history):
                await self._with_producer()
            return self.proof()
        finally:
            await asyncio.gather(*(member.kill() for member in self.members.values()))
            await broker.close()

    def proof(self) -> Proof:
        """Return the current proof; an abnormal end of a process is a fault, too."""
        found = self.progress.ledger.prove()
        faults = tuple(member.fault for member in self.members.values() if member.fault)
        return Proof(found.produced, (*faults, *found.faults), found.repeated)

    async def _with_producer(self) -> None:
        config = ConsumerConfig.parse(bootstrap_servers=self._servers, client_id="demo-producer")
        cluster = await connect(config, TIMEOUT_S)
        try:
            producer = Producer(cluster, TOPIC, timeout_s=TIMEOUT_S)
            await producer.create_topic(PARTITION_COUNT)
            await self._start_two()
            streaming = stream_flights(producer, self.flights, self.progress, self.stream_s)
            await _both(streaming, self._change_members())
        finally:
            await cluster.close()

    async def _start_two(self) -> None:
        await self._start(FIRST)
        await self._start(SECOND)
        await self._until(
            "two consumers to own all partitions", lambda: self._all_own_some(FIRST, SECOND) and self._all_owned()
        )

    async def _change_members(self) -> None:
        await self._until("the time at which a third consumer joins", lambda: self._streamed() >= JOIN_AT)
        await self._start(THIRD)
        await self._until(
            "the third consumer to process a flight", lambda: self.progress.processed_by.get(THIRD, 0) > 0
        )
        await self._until(
            "the time at which the first consumer leaves", lambda: self._streamed() >= LEAVE_AT and self._all_owned()
        )
        await self._leave(FIRST)
        await self._until(
            "the time at which the second consumer is killed", lambda: self._streamed() >= KILL_AT and self._all_owned()
        )
        await self._until(
            "uncommitted records", lambda: self.progress.uncommitted.get(SECOND, 0) >= UNCOMMITTED_AT_LEAST
        )
        await self._kill(SECOND)
        await self._until(
            "the third consumer to own all partitions", lambda: len(self.progress.owned_by(THIRD)) == PARTITION_COUNT
        )
        await self._until("every flight to be processed", self.progress.everything_processed)
        await self._leave(THIRD)

    async def _start(self, name: str) -> None:
        self.progress.print_line(f"{name} starts")
        self.members[name] = await WorkerProcess.start(name, self._servers, GROUP, self.progress)

    async def _leave(self, name: str) -> None:
        self.progress.print_line(f"{name} is being stopped (SIGTERM)")
        await self.members[name].leave()
        self.progress.print_line(f"{name} has left")

    async def _kill(self, name: str) -> None:
        self.progress.note_killed(name)
        await self.members[name].kill()
        count = self.progress.uncommitted.get(name, 0)
        self.progress.print_line(f"{name} was killed (SIGKILL) with {count} records processed and not committed")

    async def _until(self, what: str, condition: Callable[[], bool]) -> None:
        self.waiting_for = what
        await self.progress.wait_until(lambda: condition() or any(member.fault for member in self.members.values()))
        for member in self.members.values():
            if member.fault:
                raise ScenarioError(member.fault)

    def _all_own_some(self, *names: str) -> bool:
        return all(self.progress.owned_by(name) for name in names)

    def _all_owned(self) -> bool:
        return len(self.progress.owners) == PARTITION_COUNT

    def _streamed(self) -> float:
        return self.progress.ledger.count_produced() / self.progress.total


async def _both(one: Coroutine[object, object, None], other: Coroutine[object, object, None]) -> None:
    """Run both; if one raises, cancel the other."""
    tasks = [asyncio.ensure_future(one), asyncio.ensure_future(other)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def _record_lag(servers: str, group: str, tell: Callable[[Event], None] | None) -> AsyncIterator[None]:
    """Poll the group while the block runs, and pass the events to ``tell`` unless it is None."""
    if tell is None:
        yield
        return
    is_over = False
    async with AsyncGroupAdmin(ConsumerConfig.parse(bootstrap_servers=servers)) as admin:
        collector = Collector(admin, CallbackSink(tell), new_source("demo"), GroupFilter([group]))
        polling = asyncio.ensure_future(collector.run(INTERVAL_S, lambda: is_over))
        try:
            yield
        finally:
            is_over = True
            await polling
        await collector.poll()  # the last poll may have begun before the last commit

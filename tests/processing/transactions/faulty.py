"""Real producers that fail at a chosen step, or at which the whole worker dies, as if it had been killed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from typing import Any

import confluent_kafka
import kafka
from attrs import Factory, define

from kafka_nextgen import Consumer, ConsumerGroupMetadata, OffsetAndMetadata, OutputRecord, StopHandle, TopicPartition
from kafka_nextgen.processing.transactions.producers import TransactionalProducer, adapter_of
from tests.support.waiting import eventually

#: The steps of a transaction at which something may happen.
STEPS = ("begin", "produce", "send_offsets", "commit")
MAKERS: dict[str, Callable[[str, str], object]] = {
    "confluent-kafka": lambda servers, name: confluent_kafka.Producer(
        {"bootstrap.servers": servers, "transactional.id": name, "linger.ms": 0, "log_level": 0}
    ),
    "kafka-python": lambda servers, name: kafka.KafkaProducer(bootstrap_servers=servers, transactional_id=name),
}


class Death(BaseException):
    """From here on the worker does nothing more."""


@define
class Plan:
    """Raise ``error`` in the ``transaction``-th transaction, before or after that step; ``Death`` is for good."""

    step: str
    is_before: bool
    error: BaseException
    transaction: int = 2
    begun: int = 0
    is_met: bool = False

    @property
    def is_dead(self) -> bool:
        return self.is_met and isinstance(self.error, Death)

    def note(self, step: str, is_before: bool) -> None:
        if self.is_dead:
            raise self.error
        self.begun += step == "begin" and is_before
        here = (step, is_before, self.begun) == (self.step, self.is_before, self.transaction)
        if here and not self.is_met:
            self.is_met = True
            raise self.error


class FaultyProducer(TransactionalProducer):
    """``made`` by another client; ``on_commit`` is called after each commit."""

    def __init__(self, made: object, plan: Plan | None, on_commit: Callable[[], object]) -> None:
        self._adapter = adapter_of(made)
        self._plan = plan
        self._on_commit = on_commit
        self.survives_abort = self._adapter.survives_abort  # type: ignore[misc]

    def _do(self, step: str, call: Callable[..., None], *args: Any) -> None:
        if self._plan is not None:
            self._plan.note(step, is_before=True)
        call(*args)
        if self._plan is not None:
            self._plan.note(step, is_before=False)

    def init(self) -> None:
        self._do("init", self._adapter.init)

    def begin(self) -> None:
        self._do("begin", self._adapter.begin)

    def produce(self, record: OutputRecord) -> None:
        self._do("produce", self._adapter.produce, record)

    def send_offsets(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], member: ConsumerGroupMetadata) -> None:
        self._do("send_offsets", self._adapter.send_offsets, offsets, member)

    def commit(self) -> None:
        self._do("commit", self._adapter.commit)
        self._on_commit()

    def abort(self) -> None:
        self._do("abort", self._adapter.abort)

    def close(self) -> None:
        if self._plan is None or not self._plan.is_dead:
            self._adapter.close()


class Mortal(Consumer):
    """A consumer that does nothing more once its worker is dead, and then ends as if it had been killed."""

    plan: Plan | None = None

    def _live(self) -> None:
        if self.plan is not None and self.plan.is_dead:
            raise self.plan.error

    def subscribe(self, *args: Any, **options: Any) -> None:
        self._live()
        super().subscribe(*args, **options)

    def committed(
        self, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        self._live()
        return super().committed(partitions, timeout)

    def die(self) -> None:
        """Stop without leaving the group."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            self._core.engine.abandon()
        eventually("it has stopped", lambda: self._core.engine.thread.has_ended)


@define
class Worker:
    """Copies ``source`` to ``target``; ``is_done`` is asked after each commit."""

    servers: str
    group: str
    source: str
    target: str
    kind: str
    is_done: Callable[[], bool]
    made: list[object] = Factory(list)

    def close(self) -> None:
        """End the threads of producers whose worker died."""
        for producer in self.made:
            if isinstance(producer, kafka.KafkaProducer):
                producer.close(timeout=0)

    def run(self, plan: Plan | None = None, name: str = "billing-1") -> None:
        """Run until done, or until it dies; then its member is still in the group."""
        stop = StopHandle()

        def make() -> FaultyProducer:
            made = MAKERS[self.kind](self.servers, f"{self.group}-{name}")
            self.made.append(made)
            return FaultyProducer(made, plan, lambda: self.is_done() and stop.stop())

        consumer: Mortal = Mortal(
            bootstrap_servers=self.servers,
            group_id=self.group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            isolation_level="read_committed",
            retry_backoff_ms=1,
        )
        consumer.plan = plan
        try:
            consumer.run_in_transactions(
                lambda record: OutputRecord(self.target, record.value, partition=0),
                [self.source],
                producer=make,
                max_records=5,
                stop=stop,
            )
        except Death:
            consumer.die()
        else:
            consumer.close()

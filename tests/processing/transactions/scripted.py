"""A consumer and producers that do what a test says, and together know what is committed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from kafka_nextgen import (
    ConsumerGroupMetadata,
    MisuseError,
    OffsetAndMetadata,
    OutputRecord,
    RequestTimeoutError,
    StopHandle,
    TopicPartition,
)
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.processing import RunsTransactions
from kafka_nextgen.processing.transactions.producers import TransactionalProducer
from tests.processing.scripted import ScriptedConsumer, Step, records_of
from tests.processing.stage import P0

MEMBER = ConsumerGroupMetadata("g", 7, "m-1")


class ScriptedTransformer(ScriptedConsumer, RunsTransactions):
    """Looks up what ``kafka`` has committed, after as many failures as ``unknown`` has."""

    def __init__(self, *script: Step, **config: object) -> None:
        super().__init__(*script, **{"isolation_level": "read_committed", "retry_backoff_ms": 1, **config})
        del self.paused
        self.kafka = FakeKafka()
        self.unknown: list[Exception] = []
        self.is_poll_awaited = False
        self.paused_polls: list[bool] = []
        self._paused_now: set[TopicPartition] = set()

    def _is_poll_awaited(self) -> bool:
        return self.is_poll_awaited

    def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        self.paused_polls.append(bool(self._paused_now))
        self.polls += 1
        step = self.script.popleft() if self.script else None
        polled = step(self) if callable(step) else step
        return polled if isinstance(polled, Records) else Records()

    def paused(self) -> frozenset[TopicPartition]:  # type: ignore[override]
        return frozenset(self._paused_now)

    def pause(self, partitions: Collection[TopicPartition]) -> None:
        self._paused_now |= set(partitions)

    def resume(self, partitions: Collection[TopicPartition]) -> None:
        if not set(partitions) <= self.owned:
            raise MisuseError("not assigned")
        self._paused_now -= set(partitions)

    def committed(
        self, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        if self.unknown:
            raise self.unknown.pop(0)
        if self.kafka.is_open:  # the coordinator waits for the end of the transaction
            assert timeout is not None, "it waits in vain"
            raise RequestTimeoutError("an open transaction may change them")
        return {tp: self.kafka.offsets.get(tp) for tp in partitions}

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        self.sought[partition] = offset if isinstance(offset, int) else offset.offset

    def group_metadata(self) -> ConsumerGroupMetadata:
        return MEMBER

    def read(self, *offsets: int) -> None:
        """Add polls that return these records of ``P0`` in turn, from wherever was sought, and nothing while paused."""
        following = list(offsets)

        def step(_: ScriptedTransformer) -> Records | None:
            if self._paused_now:
                self.script.appendleft(step)
                return None
            if P0 in self.sought:
                start = self.sought.pop(P0)
                following[:] = [offset for offset in offsets if offset >= start]
            if not following and not self._is_all_committed(offsets):
                self.script.appendleft(step)
            if not following:
                return None
            self.script.appendleft(step)
            return records_of(P0, following.pop(0))

        self.script.append(step)

    def _is_all_committed(self, offsets: Collection[int]) -> bool:
        known = self.kafka.offsets.get(P0)
        return known is not None and known.offset > max(offsets)


class FakeKafka:
    """What transactions have committed, and whether one is open."""

    def __init__(self) -> None:
        self.results: list[OutputRecord] = []
        self.offsets: dict[TopicPartition, OffsetAndMetadata] = {}
        self.transactions = 0
        self.is_open = False
        self.calls: list[str] = []
        self.closed = 0
        #: What to raise from the next call of that name, before or after it has its effect.
        self.before: dict[str, list[BaseException]] = {}
        self.after: dict[str, list[BaseException]] = {}

    def producer(self) -> FakeProducer:
        return FakeProducer(self)


class FakeProducer(TransactionalProducer):
    def __init__(self, kafka: FakeKafka) -> None:
        self._kafka = kafka
        self._results: list[OutputRecord] = []
        self._offsets: dict[TopicPartition, OffsetAndMetadata] = {}

    def _do(self, name: str, effect: Callable[[], None]) -> None:
        self._kafka.calls.append(name)
        if self._kafka.before.get(name):
            raise self._kafka.before[name].pop(0)
        effect()
        if self._kafka.after.get(name):
            raise self._kafka.after[name].pop(0)

    def init(self) -> None:
        self._do("init", self._end)

    def begin(self) -> None:
        assert not self._kafka.is_open
        self._do("begin", lambda: setattr(self._kafka, "is_open", True))

    def produce(self, record: OutputRecord) -> None:
        self._do("produce", lambda: self._results.append(record))

    def send_offsets(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], member: ConsumerGroupMetadata) -> None:
        assert member is MEMBER
        self._do("send_offsets", lambda: self._offsets.update(offsets))

    def commit(self) -> None:
        def effect() -> None:
            self._kafka.results += self._results
            self._kafka.offsets |= self._offsets
            self._kafka.transactions += 1
            self._end()

        self._do("commit", effect)

    def abort(self) -> None:
        self._do("abort", self._end)

    def close(self) -> None:
        self._kafka.closed += 1

    def _end(self) -> None:
        self._kafka.is_open = False
        self._results.clear()
        self._offsets.clear()


def run_to_the_end(consumer: ScriptedTransformer, handler: object, **options: object) -> None:
    """Run the script, and stop with the poll after it."""
    handle = StopHandle()
    consumer.script.append(lambda _: handle.stop())
    given: dict[str, object] = {"producer": consumer.kafka.producer, "stop": handle, **options}
    consumer.run_in_transactions(handler, **given)  # type: ignore[arg-type]


def values(consumer: ScriptedTransformer) -> list[object]:
    return [record.value for record in consumer.kafka.results]


def committed(consumer: ScriptedTransformer) -> dict[TopicPartition, int]:
    return {tp: offset.offset for tp, offset in consumer.kafka.offsets.items()}


def copy(record) -> OutputRecord:  # type: ignore[no-untyped-def]
    """The handler of most tests: the result says which record it is of."""
    return OutputRecord("invoices", (record.partition, record.offset))


__all__ = ["MEMBER", "P0", "FakeKafka", "ScriptedTransformer", "committed", "copy", "run_to_the_end", "values"]

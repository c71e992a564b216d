"""A consumer that does what a test says, poll by poll: for what a real group does too rarely to wait for."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext

from kafka_nextgen import RebalanceListener, TopicPartition
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.observability.hooks import HookList
from kafka_nextgen.processing import RunsHandlers
from kafka_nextgen.types import OffsetAndMetadata
from kafka_nextgen.wire.records import ColumnSlice
from kafka_nextgen.wire.records.columns import ColumnsBuilder
from tests.processing.stage import P0

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
#: What a poll does: records to hand over, or a callable that may call the listener back, or raise.
Step = Records | Callable[["ScriptedConsumer"], object]


def records_of(partition: TopicPartition, *offsets: int, value: bytes = b"") -> Records:
    gathered = ColumnsBuilder(
        offsets[-1] + 1,
        offsets=array("q", offsets),
        timestamps=array("q", [-1] * len(offsets)),
        leader_epochs=array("i", [0] * len(offsets)),
        timestamp_types=array("b", [0] * len(offsets)),
    )
    for _ in offsets:
        gathered.keys.append(None)
        gathered.values.append(value)
    return Records([ColumnSlice(gathered.finish(partition, truncated=False), 0, len(offsets))])


class ScriptedConsumer(RunsHandlers):
    """Owns ``P0`` from the start; every step of the script is one poll, after them polls bring nothing."""

    def __init__(self, *script: Step, **config: object) -> None:
        given: dict[str, object] = {"bootstrap_servers": "localhost:9092", "group_id": "g", "enable_auto_commit": False}
        self.config = ConsumerConfig.parse({**given, **config})
        self.hooks = HookList()
        self.script = deque(script)
        self.owned = {P0}
        self.listener = RebalanceListener()
        self.commits: list[dict[TopicPartition, int]] = []
        self.refusal: Exception | None = None
        self.refused = 0
        self.polls = 0
        self.paused: set[TopicPartition] = set()
        self.sought: dict[TopicPartition, int] = {}
        self.positions: dict[TopicPartition, int] = {}

    def _topics_to_run(self, topics: Collection[str] | None) -> Collection[str]:
        return topics or ["orders"]

    def subscribe(self, topics: Collection[str], listener: RebalanceListener | None = None) -> None:
        self.listener = listener or RebalanceListener()

    def _running(self) -> AbstractContextManager[None]:
        return nullcontext()

    def _positions(self) -> dict[TopicPartition, OffsetAndMetadata]:
        return {tp: OffsetAndMetadata(at) for tp, at in self.positions.items()}

    def assignment(self) -> frozenset[TopicPartition]:
        return frozenset(self.owned)

    def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        self.polls += 1
        step = self.script.popleft() if self.script else None
        if callable(step):
            step(self)
        return step if isinstance(step, Records) else Records()

    def poll_until(self, is_so: Callable[[], object]) -> None:
        """Add polls to the script that bring nothing, until ``is_so``."""

        def step(_: ScriptedConsumer) -> None:
            if not is_so():
                self.script.appendleft(step)

        self.script.append(step)

    def revoke(self) -> None:
        self.listener.on_partitions_revoked(self, [P0])  # type: ignore[arg-type]
        self.owned.clear()

    def pause(self, partitions: Collection[TopicPartition]) -> None:
        self.paused |= set(partitions)

    def resume(self, partitions: Collection[TopicPartition]) -> None:
        self.paused -= set(partitions)

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        assert isinstance(offset, int)
        self.sought[partition] = offset

    def commit(self, offsets: Offsets, timeout: float) -> None:
        if self.refusal is not None:
            self.refused += 1
            raise self.refusal
        self.commits.append({tp: offset.offset for tp, offset in offsets.items()})

    def commit_async(self, offsets: Offsets) -> Future[None]:
        future: Future[None] = Future()
        try:
            self.commit(offsets, 0.0)
            future.set_result(None)
        except Exception as error:
            future.set_exception(error)
        return future

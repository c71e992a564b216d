"""Raises inside the data source, wherever the task of a worker or its planner is, and reads again: all comes once.

``python -m tests.spark.injection`` tries each function entry, and each return from C, with each error. It prints how
many there were, and ends at the first that goes wrong. ``--deep`` tries the whole library, as far as it runs in the
thread of the task or of the planner.
"""

from __future__ import annotations

import copy
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TypeAlias

import pyarrow as pa
import pytest
from attrs import define, field
from pyspark.sql.datasource import InputPartition

from kafka_nextgen import RequestTimeoutError
from kafka_nextgen.spark.source import StreamReader, batch_reader, schema_of, stream_reader
from kafka_nextgen.testing import Cluster
from tests.engine.injection import PACKAGE, Injection, injected
from tests.engine.stage import SETTINGS, TOPIC, Stage
from tests.spark.tasks import close_kept_consumers
from tests.support.waiting import eventually

#: Where to raise: in the data source, and in what of that asks Kafka or keeps something.
SOURCE = os.path.join(PACKAGE, "spark", "")
ASKING = tuple(
    os.path.join(SOURCE, f"{name}.py")
    for name in ("batch_planner", "cluster", "kept_consumers", "progress", "reading", "source", "stream_planner")
)
PARTITIONS, RECORDS = 2, 30
#: The records have no time, so they would age out at the first look.
KEPT = {**SETTINGS, "log.retention.check.interval.ms": 86_400_000}
GROUP = "billing"

Document: TypeAlias = dict[str, dict[str, int]]
#: The partition and the offset of a record.
Row: TypeAlias = tuple[int, int]

ALL: list[Row] = [(partition, offset) for partition in range(PARTITIONS) for offset in range(RECORDS)]

#: What is raised, of where that is.
ERRORS: Mapping[str, Callable[[str], BaseException]] = {
    "KeyboardInterrupt": KeyboardInterrupt,
    "MemoryError": MemoryError,
    "RequestTimeoutError": RequestTimeoutError,
}


def options(stage: Stage, **more: str) -> dict[str, str]:
    """Of two partitions, each read by two tasks in several batches."""
    return {
        "kafka.bootstrap.servers": stage.cluster.bootstrap_servers,
        "subscribe": TOPIC,
        "maxRecordsPerPartition": "20",
        "rowsPerBatch": "10",
        "fetchOffset.retryIntervalMs": "10",
        **more,
    }


def rows_of(batches: Iterator[pa.RecordBatch]) -> Iterator[Row]:
    """What a task hands over, at once: a task that fails later has handed that over."""
    for batch in batches:
        yield from zip(batch["partition"].to_pylist(), batch["offset"].to_pylist(), strict=True)


@define
class Batch:
    stage: Stage
    rows: list[Row] = field(factory=list)

    def run(self) -> None:
        self.rows = []
        given = options(self.stage)
        reader = batch_reader(given, schema_of(given))
        for partition in reader.partitions():
            self.rows.extend(rows_of(reader.read(_sent(partition))))

    def check(self) -> None:
        """What was handed over until now has neither gaps nor records twice."""
        assert self.rows == ALL[: len(self.rows)]

    def check_end(self) -> None:
        assert self.rows == ALL

    def forget(self) -> None:
        """Nothing is kept of it."""


def _sent(partition: InputPartition) -> InputPartition:
    sent: InputPartition = pickle.loads(pickle.dumps(partition))  # as Spark sends it to the task
    return sent


@define
class Query:
    """A streaming query with a checkpoint, and a sink that has what batches wrote to their end, by their number."""

    stage: Stage
    ends: list[Document] = field(factory=list)
    written: dict[int, list[Row]] = field(factory=dict)
    done: int = 0
    in_hand: list[Row] = field(factory=list)

    def run(self) -> None:
        """Go on from the checkpoint, as Spark does, until there is nothing new."""
        given = options(self.stage, startingOffsets="earliest", maxOffsetsPerTrigger="25", groupId=GROUP)
        reader = stream_reader(given, schema_of(given))
        try:
            self._go_on(reader)
        finally:
            reader.stop()

    def _go_on(self, reader: StreamReader) -> None:
        initial = reader.initialOffset()
        while True:
            begin = self.ends[self.done - 1] if self.done else initial
            if len(self.ends) == self.done:
                end = reader.latestOffset(copy.deepcopy(begin), reader.getDefaultReadLimit())
                if end == begin:
                    return
                self.ends.append(copy.deepcopy(end))
            self._read(reader, begin, self.ends[self.done])
            self.done += 1

    def _read(self, reader: StreamReader, begin: Document, end: Document) -> None:
        self.in_hand = []
        sent: StreamReader = pickle.loads(pickle.dumps(reader))
        for partition in reader.partitions(copy.deepcopy(begin), copy.deepcopy(end)):
            self.in_hand.extend(rows_of(sent.read(_sent(partition))))
        self.written[self.done] = self.in_hand

    def check(self) -> None:
        """The group is not ahead of the last batch that is done."""
        done = self.ends[self.done - 1][TOPIC] if self.done else {}
        for partition, offset in self.stage.committed().items():
            assert offset <= done.get(str(partition), 0), f"the group is ahead: {done}"

    def check_end(self) -> None:
        """All was read once, and the group is where the checkpoint is."""
        assert sorted(row for batch in self.written.values() for row in batch) == ALL
        assert self.stage.committed() == dict.fromkeys(range(PARTITIONS), RECORDS)

    def forget(self) -> None:
        from kafka_nextgen import GroupAdmin

        with GroupAdmin(bootstrap_servers=self.stage.cluster.bootstrap_servers) as admin:
            admin.delete([GROUP])


TRIALS: Mapping[str, type[Batch] | type[Query]] = {"batch": Batch, "stream": Query}


@contextmanager
def worker() -> Iterator[Stage]:
    """A worker whose topic has records, and that has read them before: it has imported all there is."""
    with pytest.MonkeyPatch.context() as monkeypatch, Cluster(config=KEPT) as cluster:
        stage = Stage(cluster, monkeypatch)
        stage.create(PARTITIONS, RECORDS)
        for kind in TRIALS.values():
            trial = kind(stage)
            trial.run()
            trial.check_end()
            trial.forget()
        yield stage
        close_kept_consumers()


def threads() -> list[str]:
    """Those of connections in this process."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("kafka_nextgen")]


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def try_at(stage: Stage, kind: str, error: str, place: int, under: str | tuple[str, ...] = SOURCE) -> Injection:
    """Raise in that place, then go on in the same worker."""
    trial = TRIALS[kind](stage)
    with injected(place, under=under, make=ERRORS[error]) as injection, suppress(BaseException):
        trial.run()
    sys.setprofile(None)
    try:
        trial.check()
        trial.run()
        trial.check_end()
        trial.forget()
    except BaseException as failure:
        raise AssertionError(f"{error} in {injection.where}") from failure
    return injection


def try_all(stage: Stage, kind: str, error: str, stride: int = 1, under: str | tuple[str, ...] = SOURCE) -> int:
    """Raise in each place, or every so many; how many there were."""
    before = len(threads()), _open_files()
    place = 1
    while (injection := try_at(stage, kind, error, place, under)).where is not None:
        left = f"{error} in {injection.where} leaves behind: {threads()}"
        eventually(left, lambda: len(threads()) <= before[0])
        place += stride
    eventually("connections are closed", lambda: _open_files() <= before[1])
    return injection.places


def _report() -> None:
    under = PACKAGE if "--deep" in sys.argv else SOURCE
    print(f"{'query':<10}{'error':<24}{'places':>8}")
    with worker() as stage:
        for kind in TRIALS:
            for error in ERRORS:
                print(f"{kind:<10}{error:<24}{try_all(stage, kind, error, under=under):>8}", flush=True)
    print("No row was lost or came twice, and nothing was left open: the first place where it does ends the run.")


if __name__ == "__main__":
    _report()

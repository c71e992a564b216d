"""When a streaming query reads a batch, and in how many tasks: as the built-in source does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.pyspark.checkpoints import batches_done, ends_of_batches
from tests.pyspark.sources import BUILT_IN, FORMATS, OURS, Format, Sources, again, run_to_the_end
from tests.pyspark.topics import Topic, write
from tests.support.clients import create_topic
from tests.support.waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import StreamingQuery


class Run:
    """A streaming query that goes on, of a topic that had three records when it began."""

    def __init__(self, sources: Sources, topic: str, start: Callable[[], StreamingQuery], checkpoint: Path) -> None:
        self._servers = sources.bootstrap_servers
        self._topic = topic
        self._start = start
        self._query = start()
        self._checkpoint = checkpoint

    def write(self, count: int) -> None:
        write(self._servers, self._topic, [b"x"] * count)

    def ends(self) -> list[int]:
        """Where the batches end that are done."""
        ends = ends_of_batches(self._checkpoint)
        return [ends[number][self._topic]["0"] for number in batches_done(self._checkpoint)]

    def ends_when_idle(self) -> list[int]:
        again(self._read_all)
        return self.ends()

    def _read_all(self) -> None:
        if not self._query.isActive:
            self._query = self._start()
        self._query.processAllAvailable()

    def stop(self) -> None:
        self._query.stop()


@contextmanager
def running(sources: Sources, format: Format, home: Path, **options: Any) -> Iterator[Run]:
    topic = create_topic(sources.bootstrap_servers, "triggers")
    write(sources.bootstrap_servers, topic, [b"x"] * 3)
    options = {"subscribe": topic, "startingOffsets": "earliest", **options}

    def start() -> StreamingQuery:
        return sources.start(format, home / "checkpoint", home / "rows", available_now=False, **options)

    run = Run(sources, topic, start, home / "checkpoint")
    try:
        yield run
    finally:
        run.stop()


@pytest.mark.parametrize("format", [BUILT_IN, pytest.param(OURS, marks=pytest.mark.oldest_spark)])
def test_a_batch_waits_for_a_minimum_of_records(sources: Sources, tmp_path: Path, format: Format) -> None:
    with running(sources, format, tmp_path, minOffsetsPerTrigger=10, maxTriggerDelay="1h") as run:
        assert run.ends_when_idle()[-1] == 3
        run.write(5)
        assert run.ends_when_idle()[-1] == 3
        run.write(5)
        assert run.ends_when_idle()[-1] == 13


def test_a_batch_does_not_wait_for_longer_than_the_delay(sources: Sources, tmp_path: Path) -> None:
    with running(sources, OURS, tmp_path, minOffsetsPerTrigger=1_000, maxTriggerDelay="50ms") as run:
        assert run.ends_when_idle()[-1] == 3
        run.write(5)
        eventually("the records are read", lambda: run.ends()[-1] == 8)


@pytest.mark.parametrize(
    "split",
    [{"minPartitions": 7}, {"maxRecordsPerPartition": 9, "minPartitions": 4}],
    ids="-".join,
)
def test_a_batch_has_as_many_tasks(
    sources: Sources, topics: Mapping[str, Topic], tmp_path: Path, split: Mapping[str, int]
) -> None:
    topic = topics["nulls and headers"]
    options = {"subscribe": topic.name, "startingOffsets": "earliest", "maxOffsetsPerTrigger": 60, **split}
    built_in, ours = (tasks_of_batches(sources.stream(format, **options), tmp_path / format) for format in FORMATS)
    assert ours == built_in
    assert sum(records for _, records in ours) == topic.records


def test_small_ranges_of_a_batch_share_a_task(sources: Sources, topics: Mapping[str, Topic], tmp_path: Path) -> None:
    topic = topics["nulls and headers"]
    options = {"subscribe": topic.name, "startingOffsets": "earliest", "maxOffsetsPerTrigger": 60}
    batches = tasks_of_batches(sources.stream(OURS, **options), tmp_path / OURS)
    assert {tasks for tasks, _ in batches} == {1}
    assert sum(records for _, records in batches) == topic.records


def tasks_of_batches(stream: DataFrame, checkpoint: Path) -> list[tuple[int, int]]:
    """The number of tasks and of records of each batch."""
    batches: list[tuple[int, int]] = []

    def keep(batch: DataFrame, _: int) -> None:
        batches.append((batch.rdd.getNumPartitions(), batch.count()))

    writer = stream.writeStream.foreachBatch(keep).option("checkpointLocation", str(checkpoint))
    run_to_the_end(writer.trigger(availableNow=True).start)
    return batches

"""The last record of each key is all that a story needs of what was before: random lives of groups, cut anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("pyspark")

import pyarrow as pa

from kafka_nextgen.groups.records import OffsetCommitted, OffsetRemoved, Record
from kafka_nextgen.history.events import Event
from kafka_nextgen.offsets_topic.events import RecordStory, Row
from kafka_nextgen.offsets_topic.extensions import encode
from kafka_nextgen.spark.history.offsets_topic import event_batches
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, Profile
from tests.support.examples import examples
from tests.testing.coordinator import classic_walk as classic
from tests.testing.coordinator import consumer_walk as consumer
from tests.testing.coordinator.stage import Stage
from tests.testing.coordinator.walk_steps import Step

Told = list[dict[str, Any]]

cuts = st.sets(st.integers(1, 40), max_size=4)


class Batches(list[Record]):
    """A log that knows which records came together."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[Record]] = []

    def extend(self, records: Iterable[Record]) -> None:
        batch = list(records)
        super().extend(batch)
        if batch:
            self.batches.append(batch)


def rows_of(batches: Iterable[list[Record]]) -> list[list[dict[str, Any]]]:
    """The records of the log's batches, each batch with a time of its own."""
    offset, found = 0, []
    for at, batch in enumerate(batches):
        rows = []
        for record in batch:
            data = encode(record)
            rows.append(
                {"partition": 0, "offset": offset, "at": at, "key": data.key, "value": data.value, "is_known": False}
            )
            offset += 1
        found.append(rows)
    return found


def told(rows: list[dict[str, Any]]) -> Told:
    batches = [pa.RecordBatch.from_pylist(rows)] if rows else []
    return [event for batch in event_batches(batches, _reader_of) for event in batch.to_pylist()]


def _reader_of(partition: int) -> Callable[[Iterable[Row]], Iterable[Event]]:
    return RecordStory(f"offsets:{partition}", "test", {}).tell


def last_of_each(rows: list[dict[str, Any]], commits: set[bytes]) -> list[dict[str, Any]]:
    """The last record of each key; of commits (these keys) the last one that has a value, for each topic."""
    last: dict[bytes, dict[str, Any]] = {}
    for row in rows:
        is_commit = row["key"] in commits
        if not is_commit or row["value"] is not None:
            last[row["key"][:-4] if is_commit else row["key"]] = {**row, "is_known": True}
    return sorted((row for row in last.values() if row["value"] is not None), key=lambda row: row["offset"])


def check(log: Batches, at: set[int]) -> None:
    batches = rows_of(log.batches)
    commits = {encode(record).key for record in log if isinstance(record, (OffsetCommitted, OffsetRemoved))}
    found: Told = []
    known: list[dict[str, Any]] = []
    for start, end in zip([0, *sorted(at)], [*sorted(at), None], strict=True):
        new = list(chain.from_iterable(batches[start:end]))
        found += told(known + new)
        known = last_of_each(known + new, commits)
    assert found == told(list(chain.from_iterable(batches)))


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(Profile), consumer.walks, cuts)
def test_of_consumer_groups(profile: Profile, walk: list[tuple[Step, ...]], at: set[int]) -> None:
    walker = consumer.Walk(Stage(CoordinatorSettings(profile=profile)), honest=False)
    walker.stage.log = log = Batches()
    walker.grow("foo", 5)
    for take_step in chain.from_iterable(walk):
        take_step(walker)
    check(log, at)


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(st.lists(classic.steps, min_size=10, max_size=60), cuts)
def test_of_classic_groups(walk: list[Step], at: set[int]) -> None:
    walker = classic.Walk(Stage(), 9)
    walker.stage.log = log = Batches()
    for name in classic.CLIENTS[:3]:
        walker.start(name, ("range",))
    for step in walk:
        step(walker)
    check(log, at)

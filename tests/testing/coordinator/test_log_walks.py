"""Random lives of groups, written to a log as Kafka's records: read again, the log tells what the coordinator knew.

So it does after any compaction there may be: of any part of the log from its beginning, as often as one likes, with
tombstones that are kept for a while or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.groups.records import Record
from kafka_nextgen.offsets_topic.extensions import KeyAndValue, Skipped, decode, encode, replay
from kafka_nextgen.testing.broker.cleanup import compact
from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.topic_settings import TopicSettings
from kafka_nextgen.testing.coordinator.coordinator import Coordinator
from kafka_nextgen.testing.coordinator.extensions.hooks import EXTENSIONS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, Profile
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import NewRecord, encode_batch, read_batches
from tests.testing.coordinator import classic_walk as classic
from tests.testing.coordinator import consumer_walk as consumer
from tests.testing.coordinator.stage import Stage
from tests.testing.coordinator.walk_steps import Step

PARTITION = TopicPartition("__consumer_offsets", 0)
NOW_MS = 1_000

cuts = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=3)
sizes = st.lists(st.integers(1, 9), min_size=1, max_size=5)


def told_by(records: Sequence[Record], stage: Stage) -> dict[str, Group]:
    coordinator = Coordinator(stage.settings, EXTENSIONS)
    for record in records:
        coordinator.apply(record)
    return coordinator.groups


def read(rows: Sequence[KeyAndValue]) -> list[Record]:
    records = [decode(row.key, row.value) for row in rows]
    assert not any(isinstance(record, Skipped) for record in records)
    return [record for record in records if not isinstance(record, Skipped)]


def cleaned(rows: Sequence[KeyAndValue], cut: float, forget: float) -> list[KeyAndValue]:
    """Clean the log up to somewhere; of that the older part of the tombstones goes, too."""
    end = int(cut * len(rows))
    last = {row.key: offset for offset, row in enumerate(rows[:end])}
    old = int(forget * end)
    stays = [
        row
        for offset, row in enumerate(rows[:end])
        if last[row.key] == offset and (row.value is not None or offset >= old)
    ]
    return [*stays, *rows[end:]]


def check_log(stage: Stage, cleanings: Sequence[tuple[float, float]], batch_sizes: Sequence[int]) -> None:
    rows = [encode(record) for record in stage.log]
    assert read(rows) == stage.log
    for cut, forget in cleanings:
        rows = cleaned(rows, cut, forget)
        assert told_by(read(rows), stage) == stage.coordinator.groups
    check_real_log(stage, batch_sizes)


def check_real_log(stage: Stage, batch_sizes: Sequence[int]) -> None:
    """The same with the broker's own log and its compaction."""
    log = PartitionLog(PARTITION)
    rows = [encode(record) for record in stage.log]
    while rows:
        for size in batch_sizes:
            batch, rows = rows[:size], rows[size:]
            if batch:
                log.append(read_batches(encode_batch([NewRecord(row.value, row.key, NOW_MS) for row in batch]))[0])
    for retention_ms in ("86400000", "0"):
        compact(log, TopicSettings({"cleanup.policy": "compact", "delete.retention.ms": retention_ms}), NOW_MS)
        batches = replay(log.read(0, log.size, at_least_one=False), PARTITION)
        records = [record for batch in batches for record in batch.records]
        assert told_by(records, stage) == stage.coordinator.groups


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(Profile), consumer.walks, cuts, sizes)
def test_a_consumer_group_is_what_its_log_says_however_it_was_compacted(
    profile: Profile,
    walk: list[tuple[Step, ...]],
    cleanings: list[tuple[float, float]],
    batch_sizes: list[int],
) -> None:
    walker = consumer.Walk(Stage(CoordinatorSettings(profile=profile)), honest=False)
    walker.grow("foo", 5)
    for take_step in chain.from_iterable(walk):
        take_step(walker)
    check_log(walker.stage, cleanings, batch_sizes)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(st.lists(classic.steps, min_size=10, max_size=60), cuts, sizes)
def test_a_classic_group_is_what_its_log_says_however_it_was_compacted(
    walk: list[Step], cleanings: list[tuple[float, float]], batch_sizes: list[int]
) -> None:
    walker = classic.Walk(Stage(), 9)
    walker.begin()
    for step in walk:
        step(walker)
    check_log(walker.stage, cleanings, batch_sizes)

"""What must hold of the log, beside ``judge``.

| rule | when it is looked at |
|---|---|
| records are read as they were written, and a target is in force as it was recorded | after each outcome that writes |
| what a compaction may leave of the log leads to the state in force | when a coordinator has loaded, and at the end |
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from kafka_nextgen.groups.records import TargetAssignmentMetadata
from kafka_nextgen.testing.coordinator.coordinator import Coordinator, Outcome
from tests.verification.simulation.cluster import GROUP
from tests.verification.simulation.replicas import Batch, Replica, records_of


def written(coordinator: Coordinator, batch: Batch, outcome: Outcome) -> Iterator[str]:
    """Whether the log says what the outcome wrote, and what it wrote of the target is in force."""
    for record, read in zip(outcome.records, records_of(batch), strict=True):
        if record != read:
            yield f"a {type(record).__name__} is read otherwise than it was written"
    group = coordinator.groups.get(GROUP)
    made = [each for each in outcome.records if isinstance(each, TargetAssignmentMetadata)]
    if made and group is not None and group.is_consumer_group:
        target = made[-1].assignment_epoch, made[-1].assignment_timestamp_ms
        if target != (group.assignment_epoch, group.assignment_timestamp_ms):
            yield f"a target of epoch {target[0]} was recorded, and another one is current"


def compacted(coordinator: Coordinator, replica: Replica) -> Iterator[str]:
    """Whether a log that lacks half of what was written again leads to the state in force: so a compaction may leave it
    while a coordinator reads.
    """
    rows = [
        (offset, row.key, record)
        for batch in replica.batches
        for (offset, row), record in zip(batch.rows, records_of(batch), strict=True)
    ]
    latest = {key: offset for offset, key, _ in rows}
    reader, chance = Coordinator(coordinator.settings, coordinator.hooks), Random(replica.end)
    for offset, key, record in rows:
        if latest[key] == offset or chance.random() < 0.5:
            reader.apply(record)
    if reader.groups != coordinator.groups:
        yield "what a compaction may leave of the log leads to another state than the current one"

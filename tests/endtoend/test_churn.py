"""Members join, leave and are killed while a group reads 120,000 records: what each was given adds up exactly.

The members are processes, and the verdict comes from what they printed; how it is reached stands in
``verdict.py``. The churn is driven by how far they have read, so that it happens while records are left: A and B
read from the start, C joins late, B leaves, C is killed with records that it has read but not committed, and when
its partitions have found a new owner D joins.

In an upgrade the group has members of both protocols for a while, and the coordinator, a real one or the embedded
broker's, speaks to each in its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.endtoend.crew import Crew
from tests.endtoend.reading import QUICK_PROPERTIES
from tests.endtoend.verdict import History, complaints, longest_gaps, repeated
from tests.support.clients import create_topic, idempotent_producer, send, stored_offsets
from tests.support.kafka_server import KafkaServer
from tests.support.real_kafka import REAL_VERSIONS
from tests.support.waiting import GUARD_S

PARTITIONS = 6
COUNT = 120_000


def in_each(count: int) -> dict[int, int]:
    """Return how many of so many records each partition has."""
    return {partition: len(range(partition, count, PARTITIONS)) for partition in range(PARTITIONS)}


def pour(bootstrap_servers: str, topic: str, count: int = COUNT) -> None:
    """Produce all records at a pace that outruns the readers but lasts for half of the test."""
    producer = idempotent_producer(bootstrap_servers)
    for first in range(0, count, 2_000):
        send(producer, topic, range(first, min(first + 2_000, count)), PARTITIONS)
        time.sleep(0.1)
    assert producer.flush(GUARD_S) == 0


def churn(crew: Crew, bootstrap_servers: str, leave: Callable[[Crew], None]) -> list[History]:
    """Let members come and go until everything is read, and then the last two, A and D; return all outputs."""
    crew.start("A")
    crew.start("B")
    crew.wait_until("A and B read", lambda: crew.records_read() > 0.15 * COUNT)
    crew.start("C")
    crew.wait_until("C has its share", lambda: len(crew.owned("C")) == PARTITIONS // 3)
    crew.wait_until("A, B and C read", lambda: crew.records_read() > 0.35 * COUNT)
    crew.leave("B")
    crew.wait_until("C has a half", lambda: len(crew.owned("C")) == PARTITIONS // 2)
    crew.wait_until("C has read what it did not commit", lambda: crew.workers["C"].lines[-1].what == "delivered")
    crew.kill("C")
    stored = stored_offsets(bootstrap_servers, crew.group)
    crew.wait_until("A has everything", lambda: len(crew.owned("A")) == PARTITIONS)
    crew.start("D")
    crew.wait_until("D has its share", lambda: len(crew.owned("D")) == PARTITIONS // 2)
    unread = COUNT - crew.records_read()
    assert unread > 0, "the last member joined a group that had nothing left to read"
    crew.wait_until("all records are read", lambda: crew.records_read() == COUNT)
    leave(crew)
    return [
        History(worker.name, worker.lines, worker.ended_at, stored if worker.name == "C" else {})
        for worker in crew.workers.values()
    ]


CLASSIC = ("group.protocol=classic", *(f"{key}={value}" for key, value in QUICK_PROPERTIES.items()))
RANGE, STICKY = (
    (*CLASSIC, f"partition.assignment.strategy={strategy}") for strategy in ("range", "cooperative-sticky")
)
REAL = pytest.mark.kafka


def leave_one_by_one(crew: Crew) -> None:
    """Let the last two leave; the second when it has got over that the first did.

    There is no generation to commit in between a JoinGroup and the answer to the SyncGroup after it. Whoever closes
    then loses what it kept over the rebalance, as Kafka's own consumer does.
    """
    crew.leave("A")
    crew.wait_until("D has everything", lambda: len(crew.owned("D")) == PARTITIONS)
    crew.leave("D")


@pytest.mark.parametrize(
    ("kafka", "config", "leave"),
    [
        pytest.param("embedded", (), lambda crew: crew.leave("A", "D"), id="embedded-consumer"),
        pytest.param(REAL_VERSIONS[0], (), lambda crew: crew.leave("A", "D"), id="real-consumer", marks=REAL),
        pytest.param("embedded", RANGE, leave_one_by_one, id="embedded-range"),
        pytest.param(REAL_VERSIONS[0], STICKY, leave_one_by_one, id="real-cooperative-sticky", marks=REAL),
    ],
    indirect=["kafka"],
)
def test_every_record_is_read_and_only_a_killed_member_causes_repeats(
    kafka: KafkaServer,
    tmp_path: Path,
    group: str,
    figures: Callable[[str], None],
    config: tuple[str, ...],
    leave: Callable[[Crew], None],
) -> None:
    topic = create_topic(kafka.bootstrap_servers, "churn", PARTITIONS)
    crew = Crew(kafka.bootstrap_servers, group, topic, PARTITIONS, tmp_path, config)
    with ThreadPoolExecutor(1) as pool, crew:
        poured = pool.submit(pour, kafka.bootstrap_servers, topic)
        histories = churn(crew, kafka.bootstrap_servers, leave)
        poured.result()

    found = complaints(histories, in_each(COUNT))
    assert not found, "\n".join(found[:20])
    assert stored_offsets(kafka.bootstrap_servers, group) == in_each(COUNT)
    kept, otherwise = longest_gaps(histories)
    assert kept.length_s > 0, "no partition was kept while another moved, so nothing was shown"
    figures(f"longest gap in reading a partition kept through a rebalance: {kept}; at other times: {otherwise}")
    figures(f"records repeated after the kill: {repeated(histories)}")


def test_a_group_is_upgraded_and_downgraded_member_by_member_and_loses_nothing(
    kafka: KafkaServer, tmp_path: Path, group: str
) -> None:
    count, half = 200_000, PARTITIONS // 2
    topic = create_topic(kafka.bootstrap_servers, "upgrade", PARTITIONS)
    crew = Crew(kafka.bootstrap_servers, group, topic, PARTITIONS, tmp_path)

    def share(new: str, other: str) -> None:
        """Wait until each has a half, and they have read on."""
        crew.wait_until(f"{new} and {other} share", lambda: len(crew.owned(new)) == len(crew.owned(other)) == half)
        read_before = crew.records_read()
        crew.wait_until(f"{new} and {other} read", lambda: crew.records_read() > read_before + 0.02 * count)

    with ThreadPoolExecutor(1) as pool, crew:
        poured = pool.submit(pour, kafka.bootstrap_servers, topic, count)
        crew.start("A1", *CLASSIC)
        crew.start("B1", *CLASSIC)
        share("A1", "B1")
        replacements = [("A1", "A2", "B1"), ("B1", "B2", "A2"), ("A2", "A3", "B2"), ("B2", "B3", "A3")]
        for (old, new, other), config in zip(replacements, [(), (), CLASSIC, CLASSIC], strict=True):
            crew.leave(old)
            crew.start(new, *config)
            share(new, other)
        assert crew.records_read() < count, "the last member joined a group that had nothing left to read"
        poured.result()
        crew.wait_until("all records are read", lambda: crew.records_read() == count)
        crew.leave("A3", "B3")

    found = complaints([History(worker.name, worker.lines) for worker in crew.workers.values()], in_each(count))
    assert not found, "\n".join(found[:20])
    assert stored_offsets(kafka.bootstrap_servers, group) == in_each(count)

"""Members join, leave and are killed while a group reads 120,000 records: what each was given adds up exactly.

The members are processes, and the verdict comes from what they printed; how it is reached stands in
``verdict.py``. The churn is driven by how far they have read, so that it happens while records are left: A and B
read from the start, C joins late, B leaves, C is killed with records that it has read but not committed, and when
its partitions have found a new owner D joins. The same test runs on the embedded broker and on the newest real one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.endtoend.crew import Crew
from tests.endtoend.verdict import History, complaints, longest_gaps, repeated
from tests.support.clients import create_topic, idempotent_producer, send, stored_offsets, unique
from tests.support.kafka_server import KafkaServer

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
    assert producer.flush(60) == 0


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


def leave_at_once(crew: Crew) -> None:
    crew.leave("A", "D")


def test_every_record_is_read_and_only_a_killed_member_causes_repeats(
    kafka: KafkaServer, tmp_path: Path, figures: Callable[[str], None]
) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "churn", PARTITIONS), unique("churn")
    with ThreadPoolExecutor(1) as pool, Crew(kafka.bootstrap_servers, group, topic, PARTITIONS, tmp_path) as crew:
        poured = pool.submit(pour, kafka.bootstrap_servers, topic)
        histories = churn(crew, kafka.bootstrap_servers, leave_at_once)
        poured.result()

    found = complaints(histories, in_each(COUNT))
    assert not found, "\n".join(found[:20])
    assert stored_offsets(kafka.bootstrap_servers, group) == in_each(COUNT)
    kept, otherwise = longest_gaps(histories)
    assert kept.length_s > 0, "no partition was kept while another moved, so nothing was shown"
    figures(f"longest gap in reading a partition kept through a rebalance: {kept}; at other times: {otherwise}")
    figures(f"records repeated after the kill: {repeated(histories)}")

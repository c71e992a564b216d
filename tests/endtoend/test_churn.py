"""Members join, leave and are killed while a group reads 120,000 records: what each was given adds up exactly.

The members are processes, and the verdict comes from what they printed; how it is reached stands in
``verdict.py``. The churn is driven by how far they have read, so that it happens while records are left: A and B
read from the start, C joins late, B leaves, C is killed with records that it has read but not committed, and when
its partitions have found a new owner D joins.

In an upgrade the group has members of both protocols for a while, and the coordinator, a real one or the embedded
broker's, speaks to each in its own.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.endtoend.crew import Crew
from tests.endtoend.membership_churn import COUNT, PARTITIONS, churn, in_each, pour
from tests.endtoend.reading import QUICK_PROPERTIES
from tests.endtoend.verdict import History, complaints, longest_gaps, repeated
from tests.support.clients import create_topic, stored_offsets
from tests.support.kafka_server import KafkaServer
from tests.support.real_kafka import REAL_VERSIONS

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

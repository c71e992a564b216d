"""Members join, leave and are killed while a group reads 120,000 records: what each was given adds up exactly.

The members are processes, and the verdict comes from what they printed; how it is reached stands in
``verdict.py``. The churn is driven by how far they have read, so that it happens while records are left: A and B
read from the start, C joins late, B leaves, C is killed with records that it has read but not committed, and when
its partitions have found a new owner D joins. The same test runs on the embedded broker and on the newest real one.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.endtoend.crew import Crew
from tests.endtoend.membership_churn import COUNT, PARTITIONS, churn, in_each, pour
from tests.endtoend.verdict import complaints, longest_gaps, repeated
from tests.support.clients import create_topic, stored_offsets, unique
from tests.support.kafka_server import KafkaServer


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

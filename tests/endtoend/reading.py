"""Small words for tests that read: a consumer's configuration, and reading until a number of records has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from kafka_nextgen import AsyncConsumer, Consumer, Record
from kafka_nextgen.testing import Cluster
from tests.support.kafka_server import SESSION_TIMEOUT_S, KafkaServer
from tests.support.waiting import GUARD_S

#: A member of a classic group sets for itself what the broker sets for the others.
QUICK_CLASSIC: dict[str, object] = {
    "partition_assignment_strategy": "cooperative-sticky",
    "session_timeout_ms": SESSION_TIMEOUT_S * 1000,
    "heartbeat_interval_ms": 200,
}

#: The same times, as Kafka's own clients are given them.
QUICK_PROPERTIES = {"session.timeout.ms": SESSION_TIMEOUT_S * 1000, "heartbeat.interval.ms": 200}


def config_of(
    kafka: KafkaServer | Cluster, group: str, protocol: str = "consumer", **more: object
) -> dict[str, object]:
    """Return the configuration of a member of ``group`` that begins with the first record."""
    return {
        "bootstrap_servers": kafka.bootstrap_servers,
        "group_id": group,
        "group_protocol": protocol,
        **(QUICK_CLASSIC if protocol == "classic" else {}),
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
        **more,
    }


def read(consumer: Consumer, count: int) -> list[Record]:
    """Poll until ``count`` records have come; more than that are a failure too."""
    records: list[Record] = []
    poll_until([consumer], lambda: len(records) >= count, records)
    assert len(records) == count
    return records


async def read_async(consumer: AsyncConsumer, count: int) -> list[Record]:
    """Do the same with an ``AsyncConsumer``."""
    records: list[Record] = []
    deadline = time.monotonic() + GUARD_S
    while len(records) < count:
        came = f"{len(records)} of {count} records came in {GUARD_S} s"
        assert time.monotonic() < deadline, f"{came}; {consumer.health()}"
        records += await consumer.poll(timeout=0.2)
    assert len(records) == count
    return records


def poll_until(
    consumers: Collection[Consumer], is_so: Callable[[], bool], records: list[Record] | None = None
) -> list[Record]:
    """Poll the consumers in turn until ``is_so``; return the records that came, in ``records`` if given."""
    came = records if records is not None else []
    deadline = time.monotonic() + GUARD_S
    while not is_so():
        if time.monotonic() > deadline:
            how = "; ".join(str(consumer.health()) for consumer in consumers)
            raise AssertionError(f"still not so after {GUARD_S} s; {len(came)} records came; {how}")
        for consumer in consumers:
            came += consumer.poll(timeout=0.2 / len(consumers))
    return came


def poll_until_assigned(consumer: Consumer, topics: set[str], told: Callable[[], str]) -> None:
    """Poll until these are the topics that partitions are assigned of; if they never are, fail with what is ``told``.

    A coordinator resolves a group's patterns at most every ten seconds (Kafka 4.x), so this may take a few of those.
    """
    deadline = time.monotonic() + GUARD_S
    while {tp.topic for tp in consumer.assignment()} != topics:
        assert time.monotonic() < deadline, told()
        consumer.poll(timeout=0.2)


def numbers(records: Collection[Record]) -> list[int]:
    """Return the records' numbers, sorted."""
    values = [record.value for record in records]
    return sorted(int(value) for value in values if isinstance(value, bytes))

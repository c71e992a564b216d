"""A broker that is killed again and again (SIGKILL) while it is used: nothing it acknowledged is lost.

An idempotent producer writes without a pause, and a group of static and dynamic members reads and commits. The broker
flushes each batch, so that it is mostly killed between a write and its answer. ``BROKER_KILLS`` is how often, 5 by
default.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.admin import GroupAdmin, GroupDescription, GroupState
from tests.endtoend.broker_process import BrokerProcess
from tests.endtoend.load import Load
from tests.endtoend.readers import Readers
from tests.support.clients import create_named_topic
from tests.support.numbering import number_at, value_of
from tests.support.waiting import eventually

KILLS = int(os.environ.get("BROKER_KILLS", "5"))
BETWEEN_KILLS = 200  # records that are acknowledged, and commits' records that are, before the next one
PARTITIONS = 4
MEMBERS = 2  # of each kind
CONFIG = (
    "log.segment.bytes=20000",
    "log.flush.interval.messages=1",
    "offsets.topic.num.partitions=5",
    "group.consumer.assignment.interval.ms=0",
    "group.consumer.min.heartbeat.interval.ms=100",
    "group.consumer.heartbeat.interval.ms=100",
)


def test_nothing_acknowledged_is_lost_and_the_group_goes_on(tmp_path: Path) -> None:
    with BrokerProcess(tmp_path / "data", *CONFIG) as broker:
        servers = broker.bootstrap_servers
        create_named_topic(servers, "orders", PARTITIONS)
        with Readers(servers, "billing", "orders", dynamic=MEMBERS, static=MEMBERS) as readers:
            with GroupAdmin(bootstrap_servers=servers) as admin:
                group = stable(admin)  # before there is anything to read: nobody goes on where another has begun
                with Load(servers, "orders", PARTITIONS) as load:
                    for _ in range(KILLS):
                        wait_for_progress(load, readers)
                        committed = readers.committed()
                        broker.kill()
                        broker.start()
                        check_offsets(admin, committed)
                        assert described(admin) == group
            eventually("all is read", lambda: readers.count() >= load.sent or bool(readers.failures()))
            assert readers.failures() == []
        check_records(servers, load)
        assert readers.read() == {
            partition: [number // PARTITIONS for number in range(partition, load.sent, PARTITIONS)]
            for partition in range(PARTITIONS)
        }


def stable(admin: GroupAdmin) -> GroupDescription:
    """The group once all its members are there and have what they are to have."""

    def is_stable() -> bool:
        found = admin.describe(["billing"]).done.get("billing")
        return found is not None and found.state is GroupState.STABLE and len(found.members) == 2 * MEMBERS

    eventually("the group is stable", is_stable)
    return described(admin)


def described(admin: GroupAdmin) -> GroupDescription:
    """The group with its epochs, and with its members, their epochs and partitions."""
    return admin.describe(["billing"])["billing"]


def wait_for_progress(load: Load, readers: Readers) -> None:
    """Return at some moment after more records and commits were acknowledged."""
    records, commits = len(load.acknowledged) + BETWEEN_KILLS, sum(readers.committed().values()) + BETWEEN_KILLS
    eventually("records are acknowledged", lambda: len(load.acknowledged) >= records)
    eventually("commits are acknowledged", lambda: sum(readers.committed().values()) >= commits)
    time.sleep(random.random() / 10)


def check_offsets(admin: GroupAdmin, acknowledged: dict[TopicPartition, int]) -> None:
    """No offset of the group is behind what was acknowledged."""
    found = {at: offset.committed.offset for at, offset in admin.offsets("billing").items() if offset.committed}
    assert {at: (found.get(at), offset) for at, offset in acknowledged.items() if found.get(at, -1) < offset} == {}


def check_records(servers: str, load: Load) -> None:
    """Every record is there, was acknowledged once, and is where the producer was told."""
    assert load.misplaced == []
    assert sorted(load.acknowledged) == list(range(load.sent))
    assert set(load.acknowledged.values()) == {1}
    found = records_of(servers, load.sent)
    assert len(found) == load.sent
    assert all(value == value_of(number_at(partition, offset, PARTITIONS)) for partition, offset, value in found)


def records_of(servers: str, count: int) -> list[tuple[int, int, bytes]]:
    """Partition, offset and value of the first ``count`` records that are there, and any that are there beyond."""
    found: list[tuple[int, int, bytes]] = []
    with Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition("orders", partition) for partition in range(PARTITIONS)])
        while records := list(consumer.poll(timeout=5 if len(found) < count else 0.2)):
            found += [(record.partition, record.offset, record.value or b"") for record in records]
    return found

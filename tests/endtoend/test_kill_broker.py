"""A broker that is killed again and again (SIGKILL) while it is written to: nothing it acknowledged is lost.

``BROKER_KILLS`` is how often, 5 by default.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

from kafka_nextgen import Consumer, TopicPartition
from tests.endtoend.broker_process import BrokerProcess
from tests.endtoend.load import Load
from tests.support.clients import create_named_topic
from tests.support.numbering import number_at, value_of
from tests.support.waiting import eventually

KILLS = int(os.environ.get("BROKER_KILLS", "5"))
PARTITIONS = 4
BETWEEN_KILLS = 300  # records that are acknowledged before the next one


def records_of(bootstrap_servers: str, topic: str, count: int) -> list[tuple[int, int, bytes]]:
    """Partition, offset and value of the first ``count`` records that are there, and any that are there beyond."""
    found: list[tuple[int, int, bytes]] = []
    with Consumer(bootstrap_servers=bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition(topic, partition) for partition in range(PARTITIONS)])
        while records := list(consumer.poll(timeout=5 if len(found) < count else 0.2)):
            found += [(record.partition, record.offset, record.value or b"") for record in records]
    return found


def test_every_acknowledged_record_is_there_once_and_in_order(tmp_path: Path) -> None:
    with BrokerProcess(tmp_path / "data", "log.segment.bytes=20000", "log.flush.interval.messages=1") as broker:
        create_named_topic(broker.bootstrap_servers, "orders", PARTITIONS)
        with Load(broker.bootstrap_servers, "orders", PARTITIONS) as load:
            for _ in range(KILLS):
                enough = len(load.acknowledged) + BETWEEN_KILLS
                eventually("records are acknowledged", lambda enough=enough: len(load.acknowledged) >= enough)
                time.sleep(random.random() / 5)
                broker.kill()
                broker.start()
        assert load.misplaced == []
        assert sorted(load.acknowledged) == list(range(load.sent))
        assert set(load.acknowledged.values()) == {1}
        found = records_of(broker.bootstrap_servers, "orders", load.sent)
    assert len(found) == load.sent
    assert all(value == value_of(number_at(partition, offset, PARTITIONS)) for partition, offset, value in found)

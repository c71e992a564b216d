"""Reading from the nearest replica (KIP-392), with two nodes of a real Kafka that select replicas by rack.

What may go wrong on the way is in ``tests/sockets/test_racks.py``, before the embedded broker.
"""

from __future__ import annotations

from collections import Counter

import pytest

from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.engine.reading.fetch_exchange import FetchExchange
from tests.endtoend.reading import numbers, read
from tests.support.clients import create_replicated_topic, produce
from tests.support.kafka_pair import KafkaPair

LEADER, FOLLOWER = 1, 2


@pytest.fixture
def fetches(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often each node has answered for records."""
    answered: Counter[int] = Counter()
    follow = FetchExchange.follow

    def count(self: FetchExchange, frame: memoryview, correlation_id: int) -> bytes | None:
        answered[self.node.node_id] += 1
        return follow(self, frame, correlation_id)

    monkeypatch.setattr(FetchExchange, "follow", count)
    return answered


def test_a_consumer_reads_in_its_rack_and_from_the_leader_once_that_replica_is_gone(
    kafka_pair: KafkaPair, fetches: Counter[int]
) -> None:
    servers = kafka_pair.bootstrap_servers
    topic = create_replicated_topic(servers, "racks", [LEADER, FOLLOWER])
    produce(servers, topic, 100)
    partition = TopicPartition(topic, 0)
    with Consumer(bootstrap_servers=servers, client_rack="r1", auto_offset_reset="earliest") as near_leader:
        near_leader.assign([partition])
        assert numbers(read(near_leader, 100)) == list(range(100))
    assert set(fetches) == {LEADER}
    fetches.clear()
    with Consumer(bootstrap_servers=servers, client_rack="r2", auto_offset_reset="earliest") as consumer:
        consumer.assign([partition])
        assert numbers(read(consumer, 100)) == list(range(100))
        produce(servers, topic, 100, first=100)
        assert numbers(read(consumer, 100)) == list(range(100, 200))
        assert consumer.lag() == {partition: 0}
        assert fetches[LEADER] <= 2, "it only says where to read; once more if the follower was behind"
        assert fetches[FOLLOWER] >= 2
        kafka_pair.kill_second()
        consumer.seek(partition, 50)
        assert numbers(read(consumer, 150)) == list(range(50, 200))
        assert consumer.health().problem is None

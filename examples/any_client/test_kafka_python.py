"""An application of kafka-python, and its tests."""

from __future__ import annotations

import json
from contextlib import closing, suppress

from kafka import KafkaConsumer
from kafka.errors import CommitFailedError

from kafka_nextgen.testing import Api


class Billing:
    """Bills each order; one that comes again is not billed again."""

    def __init__(self, servers: str, group: str, topic: str, **config: object) -> None:
        self.billed: dict[str, int] = {}
        where = {"bootstrap_servers": servers, "group_id": group, "auto_offset_reset": "earliest"}
        self._consumer = KafkaConsumer(topic, **{**where, "enable_auto_commit": False, **config})
        self._consumer.partitions_for_topic(topic)  # if it joined before it knows the topic, it would get no partition

    def step(self) -> None:
        # a poll that is over while kafka-python 3.0.12 joins its group can lose the assignment, so it has time
        for messages in self._consumer.poll(timeout_ms=1000).values():
            for message in messages:
                order = json.loads(message.value)
                self.billed[order["id"]] = order["cents"]
        with suppress(CommitFailedError):  # if the member is out of its group, the orders come again
            self._consumer.commit()

    def close(self) -> None:
        self._consumer.close()


def test_each_order_is_billed(kafka_cluster, kafka_bootstrap_servers, kafka_group, kafka_topic):
    kafka_cluster.produce(kafka_topic, [{"id": "1", "cents": 100}, {"id": "2", "cents": 200}])
    with closing(Billing(kafka_bootstrap_servers, kafka_group, kafka_topic)) as billing:
        kafka_cluster.wait_until(lambda: billing.step() or kafka_cluster.lag(kafka_group, kafka_topic) == 0)
    assert billing.billed == {"1": 100, "2": 200}


def test_it_waits_for_a_coordinator_that_is_loading(kafka_cluster_factory):
    cluster = kafka_cluster_factory()
    cluster.produce("orders", {"id": "1", "cents": 100})
    with (
        closing(Billing(cluster.bootstrap_servers, "billing", "orders")) as billing,
        cluster.fault(Api.OFFSET_COMMIT, error="COORDINATOR_LOAD_IN_PROGRESS", times=1),
    ):
        cluster.wait_until(lambda: billing.step() or cluster.lag("billing", "orders") == 0)
    assert billing.billed == {"1": 100}


def test_it_joins_again_after_its_session_has_ended(kafka_cluster_factory):
    cluster = kafka_cluster_factory()
    cluster.produce("orders", {"id": "1", "cents": 100})
    quick = {"session_timeout_ms": 45_000, "heartbeat_interval_ms": 100}
    with closing(Billing(cluster.bootstrap_servers, "billing", "orders", **quick)) as billing:
        cluster.wait_until(lambda: billing.step() or cluster.lag("billing", "orders") == 0)
        with cluster.fault(Api.HEARTBEAT, silent=True) as suspended:  # as if the process was
            suspended.wait_until_met()
            cluster.advance(seconds=46)
            assert cluster.group("billing").members == ()
        cluster.produce("orders", {"id": "2", "cents": 200})
        cluster.wait_until(lambda: billing.step() or cluster.lag("billing", "orders") == 0)
    assert billing.billed == {"1": 100, "2": 200}

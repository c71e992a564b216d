"""A cluster that moves altogether while a member reads is found again by its bootstrap servers (KIP-899, KIP-1102)."""

from __future__ import annotations

import pytest
from attrs import evolve

from kafka_nextgen import RebalanceCause
from kafka_nextgen.testing import Cluster
from tests.engine.stage import SETTINGS, Stage, poll_until, read, tp, values
from tests.support.kafka_properties import free_ports


def move(stage: Stage, port: int) -> None:
    """Let every broker of the cluster go on somewhere else, the first one on this port."""
    broker = stage.cluster._broker

    async def start_elsewhere() -> None:
        await broker._servers.stop_all()
        for node, at in zip(broker._cluster.nodes, (port, 0), strict=True):
            (endpoint,) = node.endpoints.values()
            node.endpoints["PLAINTEXT"] = evolve(endpoint, port=at)
            await broker._servers.start(node)

    stage.cluster._run(start_elsewhere())


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_a_member_goes_on_where_it_was_when_all_brokers_have_moved(
    monkeypatch: pytest.MonkeyPatch, protocol: str
) -> None:
    spare = free_ports(1)[0]
    with Cluster(brokers=2, config=SETTINGS) as cluster:
        stage = Stage(cluster, monkeypatch)
        stage.create(partitions=2, records=5)
        config = {
            "bootstrap_servers": f"{cluster.bootstrap_servers},127.0.0.1:{spare}",
            "group_protocol": protocol,
            "metadata_recovery_rebootstrap_trigger_ms": 100,
            "reconnect_backoff_max_ms": 100,
        }
        with stage.subscribed(**config) as consumer:
            assert values(read(consumer, 10)) == [*range(5)] * 2
            move(stage, spare)
            for partition in range(2):
                stage.write(partition, 5)
            assert sorted(values(read(consumer, 10))) == sorted([*range(5, 10)] * 2)
            consumer.commit()
            assert stage.committed() == {0: 10, 1: 10}
            poll_until(consumer, lambda: consumer.health().problem is None)
            assert [rebalance.cause for rebalance in consumer.rebalances()] == [RebalanceCause.JOINED]
            assert consumer.assignment() == {tp(0), tp(1)}

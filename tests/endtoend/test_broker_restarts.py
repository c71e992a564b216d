"""A broker that ends and begins again on its directory: groups go on where they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.admin import GroupAdmin
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker import cleanup
from tests.support.clients import produce

CONFIG = {
    "offsets.topic.num.partitions": 5,
    "group.initial.rebalance.delay.ms": 0,
    "group.consumer.assignment.interval.ms": 0,
}


def read(cluster: Cluster, protocol: str, instance_id: str | None, count: int) -> list[int]:
    """Read so many records as the static or dynamic member of a group, commit, and leave."""
    config = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "billing",
        "group.protocol": protocol,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        **({"group.instance.id": instance_id} if instance_id else {}),
    }
    numbers: list[int] = []
    with Consumer(config) as consumer:
        consumer.subscribe(["orders"])
        while len(numbers) < count:
            numbers += [int(record.value or b"") for record in consumer.poll(timeout=10)]
            consumer.commit()
    return numbers


@pytest.mark.parametrize(
    ("nodes", "protocol", "instance_id"),
    [(1, "consumer", "static"), (1, "classic", None), (3, "consumer", None), (3, "classic", "static")],
)
def test_a_group_goes_on_where_it_was(
    tmp_path: Path, nodes: int, protocol: str, instance_id: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleanup, "_LEAST_BYTES", 0)
    for day in range(2):
        today = range(10 * day, 10 * day + 10)
        with Cluster(nodes, CONFIG, data_dir=tmp_path) as cluster:
            if day == 0:
                cluster.create_topic("orders", 2)
            with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
                if day:
                    members = admin.describe(["billing"])["billing"].members
                    assert [member.instance_id for member in members] == ([instance_id] if instance_id else [])
                produce(cluster.bootstrap_servers, "orders", 10, partitions=2, first=today[0])
                assert sorted(read(cluster, protocol, instance_id, 10)) == list(today)
                assert [offset.lag for offset in admin.offsets("billing").values()] == [0, 0]

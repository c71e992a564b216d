"""An application of Kafka's Java client, which is tested as a process: its records, offsets and output are asserted on.

``KAFKA_JARS`` is a folder with kafka-clients and what it depends on, such as ``libs`` of Kafka's download.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kafka_nextgen.testing import Api

PROGRAM = Path(__file__).with_name("Billing.java")


def bill(servers: str, group: str, topic: str, orders: int) -> list[str]:
    """Run the application until it has billed so many orders, and return what it prints."""
    if "KAFKA_JARS" not in os.environ:
        pytest.skip("KAFKA_JARS is not set")
    command = ["java", "-cp", f"{os.environ['KAFKA_JARS']}/*", str(PROGRAM), servers, group, topic, str(orders)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def test_each_order_is_billed(kafka_cluster, kafka_bootstrap_servers, kafka_group, kafka_topic):
    kafka_cluster.produce(kafka_topic, [("ann", "100"), ("bob", "200"), ("ann", "300")])
    assert bill(kafka_bootstrap_servers, kafka_group, kafka_topic, 3) == ["ann 400", "bob 200"]
    assert kafka_cluster.lag(kafka_group, kafka_topic) == 0


def test_it_waits_for_a_coordinator_that_is_loading(kafka_cluster_factory):
    cluster = kafka_cluster_factory()
    cluster.produce("orders", [("ann", "100")])
    with cluster.fault(Api.OFFSET_COMMIT, error="COORDINATOR_LOAD_IN_PROGRESS", times=2):
        assert bill(cluster.bootstrap_servers, "billing", "orders", 1) == ["ann 100"]
    assert cluster.lag("billing", "orders") == 0

"""Two real brokers, each in a rack of its own, for what a single one can't show: reading from followers (KIP-392).

Node 1 is in rack r1 and the controller too, node 2 is in r2, and leaders select replicas by rack. A node that is gone
is not missed for a minute, so that its replicas are preferred as before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from kafka_nextgen.testing.real_kafka.maven import find_java
from kafka_nextgen.testing.real_kafka.single_node import on_free_ports
from tests.support.clients import admin_client
from tests.support.kafka_from_maven import Node, class_options, fetch_jars
from tests.support.kafka_properties import single_node
from tests.support.waiting import GUARD_S, eventually

SETTINGS = {
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    "broker.session.timeout.ms": "60000",
    "replica.lag.time.max.ms": "60000",
}


@frozen
class KafkaPair:
    """Both nodes while they run; ``bootstrap_servers`` is the first."""

    nodes: Sequence[Node]

    @property
    def bootstrap_servers(self) -> str:
        return self.nodes[0].bootstrap_servers

    def kill_second(self) -> None:
        """End the second node at once, without a word to the first."""
        self.nodes[1].stop()

    def stop(self) -> None:
        for node in self.nodes:
            node.stop()


def start_pair(version: str) -> KafkaPair:
    """Start two brokers of ``version``; ``NoKafkaError`` if Java or the jars are missing."""
    java, jars = find_java(), fetch_jars(version)
    options = class_options(java, jars, version)
    return on_free_ports(3, lambda ports: _start(java, jars, version, options, ports))


def _start(java: str, jars: Path, version: str, options: Sequence[str], all_ports: Sequence[int]) -> KafkaPair:
    *ports, controller_port = all_ports
    homes = [Path(tempfile.mkdtemp(prefix=f"kafka-pair-{version}-")) for _ in ports]
    pair = KafkaPair([Node(f"127.0.0.1:{port}", home) for port, home in zip(ports, homes, strict=True)])
    try:
        for number, (node, port) in enumerate(zip(pair.nodes, ports, strict=True), 1):
            node.start(java, jars, _properties(version, number, port, controller_port, node.home), options)
        for node in pair.nodes:
            node.wait_until_ready()
        admin = admin_client(pair.bootstrap_servers)
        eventually("both brokers are listed", lambda: len(admin.list_topics(timeout=GUARD_S).brokers) == 2)
    except BaseException:
        pair.stop()
        raise
    return pair


def _properties(version: str, number: int, port: int, controller_port: int, home: Path) -> dict[str, str]:
    place = (home / "data").as_posix()
    properties = single_node(version, bind="127.0.0.1", port=port, controller_port=controller_port, log_dir=place)
    properties.update({"node.id": str(number), "broker.rack": f"r{number}", **SETTINGS})
    if number == 1:
        return properties
    return {**properties, "process.roles": "broker", "listeners": f"PLAINTEXT://127.0.0.1:{port}"}

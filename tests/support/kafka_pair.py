"""Two real brokers, each in a rack of its own, for what a single one can't show: reading from followers (KIP-392).

Node 1 is in rack r1 and the controller too, node 2 is in r2, and leaders select replicas by rack. A node that is gone
is not missed for a minute, so that its replicas are preferred as before.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from attrs import define

from tests.support.clients import admin_client
from tests.support.kafka_from_maven import class_options, fetch_jars, find_java, log_tail_of, start_node
from tests.support.kafka_properties import as_file, free_ports, single_node
from tests.support.kafka_readiness import wait_until_ready
from tests.support.waiting import eventually

__all__ = ["KafkaPair", "start_pair"]

SETTINGS = {
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    "broker.session.timeout.ms": "60000",
    "replica.lag.time.max.ms": "60000",
}


@define
class KafkaPair:
    """Both nodes while they run; ``bootstrap_servers`` is the first."""

    bootstrap_servers: str
    _nodes: list[subprocess.Popen[bytes]]
    _home: Path

    def kill_second(self) -> None:
        """End the second node at once, without a word to the first."""
        _kill(self._nodes[1])

    def stop(self) -> None:
        for node in self._nodes:
            _kill(node)
        shutil.rmtree(self._home, ignore_errors=True)


def start_pair(version: str) -> KafkaPair:
    """Start two brokers of ``version``; ``NoKafkaError`` if Java or the jars are missing."""
    java, jars = find_java(), fetch_jars(version)
    options = class_options(java, jars, version)
    home = Path(tempfile.mkdtemp(prefix=f"kafka-pair-{version}-"))
    first_port, second_port, controller_port = free_ports(3)
    pair = KafkaPair(f"127.0.0.1:{first_port}", [], home)
    try:
        for number, port in ((1, first_port), (2, second_port)):
            config = home / f"{number}.properties"
            config.write_text(as_file(_properties(version, number, port, controller_port, home)))
            pair._nodes.append(start_node(java, jars, config, home / f"log-{number}", options))
        _wait_for_both(pair)
    except BaseException:
        pair.stop()
        raise
    return pair


def _properties(version: str, number: int, port: int, controller_port: int, home: Path) -> dict[str, str]:
    place = (home / f"data-{number}").as_posix()
    properties = single_node(
        version, bind="127.0.0.1", advertised="127.0.0.1", port=port, controller_port=controller_port, log_dir=place
    )
    properties.update({"node.id": str(number), "broker.rack": f"r{number}", **SETTINGS})
    if number == 1:
        return properties
    return {**properties, "process.roles": "broker", "listeners": f"PLAINTEXT://127.0.0.1:{port}"}


def _wait_for_both(pair: KafkaPair) -> None:
    for number, node in enumerate(pair._nodes, 1):
        assert node.poll() is None, log_tail_of(pair._home / f"log-{number}")
    wait_until_ready(
        pair.bootstrap_servers,
        is_alive=lambda: pair._nodes[0].poll() is None,
        log_tail=lambda: log_tail_of(pair._home / "log-1"),
    )
    admin = admin_client(pair.bootstrap_servers)
    eventually("both brokers are listed", lambda: len(admin.list_topics(timeout=10).brokers) == 2)


def _kill(node: subprocess.Popen[bytes]) -> None:
    node.kill()
    node.wait()

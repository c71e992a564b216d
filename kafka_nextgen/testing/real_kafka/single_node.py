"""The properties of a single Kafka broker for tests, in KRaft mode, its ports, and waiting until it answers.

A port that is free when it is chosen may be taken before the broker listens, seconds later: then the broker ends, and
is started again with other ports.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from random import SystemRandom
from typing import TypeVar

from kafka_nextgen import clocks
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.testing.kit.real_cluster import RealCluster

__all__ = ["NoKafkaError", "free_ports", "on_free_ports", "properties_of", "wait_until_ready"]

Started = TypeVar("Started")

#: Before this release ``group.consumer.assignment.interval.ms`` does not exist.
_WITH_ASSIGNMENT_INTERVAL = (4, 3)
_TIMEOUT_S = 120.0
#: The system never gives these ports to a socket that binds to port 0 or connects.
_PORTS = range(12_000, 32_768)
_ATTEMPTS = 3
#: What Java and docker say of a port that is not free.
_TAKEN = lazy_pattern("address already in use|port is already allocated", re.IGNORECASE)


class NoKafkaError(Exception):
    """Kafka can't be started here; the message says what is missing, or ends with the last lines of its log."""


def properties_of(
    version: str, config: Mapping[str, str], *, bind: str, port: int, controller_port: int, log_dir: str
) -> dict[str, str]:
    """Return the properties of a broker of ``version`` that is its own controller and listens on ``bind``:``port``.

    Heartbeats are frequent, so that rebalances are quick; ``config`` may replace everything.
    """
    quick = dict(config)
    if _release(version) < _WITH_ASSIGNMENT_INTERVAL:
        quick.pop("group.consumer.assignment.interval.ms", None)
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{bind}:{port},CONTROLLER://{bind}:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": log_dir,
        "offsets.topic.num.partitions": "5",
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.num.partitions": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "group.consumer.min.heartbeat.interval.ms": "100",
        "group.consumer.heartbeat.interval.ms": "500",
        **quick,
    }


def _release(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:2]))


def on_free_ports(count: int, start: Callable[[Sequence[int]], Started]) -> Started:
    """Return ``start(ports)``; call it again with other ports, up to twice, if it raises that one of them is taken."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return start(free_ports(count))
        except Exception as error:
            if not _TAKEN.search(str(error)):
                raise
    return start(free_ports(count))


def free_ports(count: int) -> list[int]:
    """Return ports that were free on the loopback interface a moment ago."""
    found: set[int] = set()
    while len(found) < count:
        port = SystemRandom().choice(_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found.add(port)
    return list(found)


def wait_until_ready(port: int, is_alive: Callable[[], bool], log_tail: Callable[[], str]) -> None:
    """Return once the broker at this port of this machine answers. Raises NoKafkaError if it exits or is late."""
    over_at = clocks.real_monotonic() + _TIMEOUT_S
    while not _answers(port):
        if not is_alive():
            raise NoKafkaError(f"Kafka exited during startup:\n{log_tail()}")
        if clocks.real_monotonic() > over_at:
            raise NoKafkaError(f"Kafka did not answer within {_TIMEOUT_S:.0f} s:\n{log_tail()}")
        clocks.real_sleep(0.1)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        RealCluster(f"127.0.0.1:{port}").close()
    except (OSError, KafkaNextgenError):
        return False
    return True

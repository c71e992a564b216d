"""The broker of a soak, and settings of its groups: they rebalance at once and their members heartbeat quickly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from kafka_nextgen.admin import GroupAdmin
from tests.endtoend.broker_process import BrokerProcess
from tests.soak.three_nodes import ThreeNodes
from tests.support.kafka_readiness import wait_until_coordinating
from tests.support.kafka_server import BROKER_SETTINGS
from tests.support.real_kafka import NEWEST_VERSION, start_real_kafka

__all__ = ["SESSION_S", "SoakBroker", "hurry", "run_broker"]

SESSION_S = 8
HURRY = {
    "consumer.session.timeout.ms": SESSION_S * 1000,
    "consumer.heartbeat.interval.ms": 150,
    "consumer.assignment.interval.ms": 0,
}


@frozen
class SoakBroker:
    """Where a soak takes place.

    ``history`` is the file to which it writes what happens to groups, ``fail_over`` kills the node that coordinates a
    group and returns its number and what brings it back; only a cluster has these.
    """

    bootstrap_servers: str
    history: Path | None = None
    fail_over: Callable[[str], tuple[int, Callable[[], None]]] | None = None


@contextmanager
def run_broker(kind: str, place: Path) -> Iterator[SoakBroker]:
    """Run ``kafka``, ``embedded`` or ``cluster`` (three embedded nodes) for the length of the block."""
    if kind == "cluster":
        with ThreeNodes(place / "history.jsonl") as nodes:
            yield SoakBroker(nodes.bootstrap_servers, nodes.history, nodes.fail_over)
    elif kind == "embedded":
        with BrokerProcess(place / "broker", *(f"{key}={value}" for key, value in BROKER_SETTINGS.items())) as broker:
            yield SoakBroker(broker.bootstrap_servers)
    else:
        server = start_real_kafka(NEWEST_VERSION)
        try:
            wait_until_coordinating(server.bootstrap_servers)
            yield SoakBroker(server.bootstrap_servers)
        finally:
            server.stop()


def hurry(bootstrap_servers: str, group: str) -> None:
    """Set the group's own configuration."""
    with GroupAdmin(bootstrap_servers=bootstrap_servers) as admin:
        admin.alter_config(group, HURRY)

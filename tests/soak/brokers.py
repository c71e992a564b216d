"""The broker of a soak, and settings of its groups: they rebalance at once and their members heartbeat quickly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafka_nextgen.admin import GroupAdmin
from tests.endtoend.broker_process import BrokerProcess
from tests.support.kafka_readiness import wait_until_coordinating
from tests.support.kafka_server import BROKER_SETTINGS
from tests.support.real_kafka import NEWEST_VERSION, start_real_kafka

__all__ = ["SESSION_S", "hurry", "run_broker"]

SESSION_S = 8
HURRY = {
    "consumer.session.timeout.ms": SESSION_S * 1000,
    "consumer.heartbeat.interval.ms": 150,
    "consumer.assignment.interval.ms": 0,
}


@contextmanager
def run_broker(kind: str, place: Path) -> Iterator[str]:
    """Run ``kafka`` or ``embedded`` for the length of the block; its ``bootstrap.servers``."""
    if kind == "embedded":
        with BrokerProcess(place / "broker", *(f"{key}={value}" for key, value in BROKER_SETTINGS.items())) as broker:
            yield broker.bootstrap_servers
        return
    server = start_real_kafka(NEWEST_VERSION)
    try:
        wait_until_coordinating(server.bootstrap_servers)
        yield server.bootstrap_servers
    finally:
        server.stop()


def hurry(bootstrap_servers: str, group: str) -> None:
    """Set the group's own configuration."""
    with GroupAdmin(bootstrap_servers=bootstrap_servers) as admin:
        admin.alter_config(group, HURRY)

"""The broker of a soak, and settings of its groups: they rebalance at once and their members heartbeat quickly."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from kafka_nextgen.admin import GroupAdmin
from tests.endtoend.broker_process import BrokerProcess
from tests.support.kafka_readiness import wait_until_coordinating
from tests.support.kafka_server import BROKER_SETTINGS
from tests.support.real_kafka import NEWEST_VERSION
from tests.support.secured_kafka import start_secured_kafka
from tests.verification.soak.credentials import Authority, Credentials
from tests.verification.soak.three_nodes import ThreeNodes

SESSION_S = 8
HURRY = {
    "consumer.session.timeout.ms": SESSION_S * 1000,
    "consumer.heartbeat.interval.ms": 150,
    "consumer.assignment.interval.ms": 0,
}
RETENTION_S = 60.0  # Kafka's shortest
_SETTINGS = {  # of the secured broker, as of others but for how long it keeps offsets that no one commits again
    **BROKER_SETTINGS,
    "offsets.retention.minutes": str(round(RETENTION_S / 60)),
    "offsets.retention.check.interval.ms": "2000",
}


@frozen
class SoakBroker:
    """Where a soak takes place.

    ``history`` is the file to which it writes what happens to groups, ``fail_over`` kills the node that coordinates a
    group and returns its number and what brings it back; only a cluster has these. ``credentials`` are what it lets
    members in by besides, ``retention_s`` is how long it keeps offsets, if that is less than a soak lasts.
    """

    bootstrap_servers: str
    history: Path | None = None
    fail_over: Callable[[str], tuple[int, Callable[[], None]]] | None = None
    credentials: Credentials | None = None
    retention_s: float | None = None


@contextmanager
def run_broker(kind: str, place: Path) -> Iterator[SoakBroker]:
    """Run ``kafka``, ``embedded`` or ``cluster`` (three embedded nodes) for the length of the block.

    Kafka is secured, and forgets offsets soon, unless ``KAFKA_BOOTSTRAP`` names one that runs already.
    """
    if kind == "cluster":
        with ThreeNodes(place / "history.jsonl") as nodes:
            yield SoakBroker(nodes.bootstrap_servers, nodes.history, nodes.fail_over)
    elif kind == "embedded":
        with BrokerProcess(place / "broker", *(f"{key}={value}" for key, value in BROKER_SETTINGS.items())) as broker:
            yield SoakBroker(broker.bootstrap_servers)
    elif bootstrap_servers := os.environ.get("KAFKA_BOOTSTRAP"):
        wait_until_coordinating(bootstrap_servers)
        yield SoakBroker(bootstrap_servers)
    else:
        authority = Authority(place / "credentials")
        server = start_secured_kafka(NEWEST_VERSION, authority.certificates, _SETTINGS)
        try:
            in_the_clear = server.in_the_clear["SASL_SSL"]
            wait_until_coordinating(in_the_clear)
            yield SoakBroker(in_the_clear, credentials=Credentials(server, authority), retention_s=RETENTION_S)
        finally:
            server.stop()


def configure(bootstrap_servers: str, group: str, config: Mapping[str, int]) -> None:
    with GroupAdmin(bootstrap_servers=bootstrap_servers) as admin:
        admin.alter_config(group, config)

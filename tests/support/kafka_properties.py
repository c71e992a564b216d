"""The properties of a single real broker in KRaft mode, as a file or as a container's environment."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from kafka_nextgen.testing.real_kafka.single_node import properties_of
from tests.support.kafka_server import BROKER_SETTINGS

#: Before Kafka 4.0 the consumer group protocol is a preview that has to be asked for.
PREVIEW_SETTINGS = {"group.coordinator.rebalance.protocols": "classic,consumer", "unstable.api.versions.enable": "true"}


def single_node(version: str, *, bind: str, port: int, controller_port: int, log_dir: str) -> dict[str, str]:
    """Return every property of a broker of ``version`` that is its own controller and listens on ``bind``:``port``."""
    return {
        **(PREVIEW_SETTINGS if version.startswith("3.") else {}),
        **properties_of(version, {}, bind=bind, port=port, controller_port=controller_port, log_dir=log_dir),
        "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
        "log.cleaner.backoff.ms": "500",
        **BROKER_SETTINGS,
    }


def as_file(properties: Mapping[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in properties.items())


def as_environment(properties: Mapping[str, str]) -> dict[str, str]:
    """Write properties as the variables that the image ``apache/kafka`` turns back into properties."""
    return {"KAFKA_" + name.upper().replace(".", "_"): value for name, value in properties.items()}


@contextmanager
def refusing_socket() -> Iterator[socket.socket]:
    """Hold a port of the loopback interface at which nothing listens, so that no other process can begin to."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound


@contextmanager
def refusing_address() -> Iterator[str]:
    """The address of such a port."""
    with refusing_socket() as bound:
        yield "{}:{}".format(*bound.getsockname())

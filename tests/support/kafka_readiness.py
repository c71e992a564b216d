"""Waiting until a broker that was just started answers, or saying why it does not."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from tests.support.kafka_server import KafkaStartError

__all__ = ["wait_until_ready"]


def wait_until_ready(
    bootstrap_servers: str, *, timeout_s: float, is_alive: Callable[[], bool], log_tail: Callable[[], str]
) -> None:
    """Return once the broker lists itself; raise ``KafkaStartError`` if it ends or ``timeout_s`` pass before."""
    deadline = time.monotonic() + timeout_s
    while not (_accepts(bootstrap_servers) and _lists_itself(bootstrap_servers)):
        if not is_alive():
            raise KafkaStartError(f"Kafka ended while it started:\n{log_tail()}")
        if time.monotonic() > deadline:
            raise KafkaStartError(f"Kafka did not answer within {timeout_s:.0f} s:\n{log_tail()}")
        time.sleep(0.1)


def _accepts(bootstrap_servers: str) -> bool:
    # Asked first, because librdkafka complains on stderr about every connection that is refused.
    host, _, port = bootstrap_servers.split(",")[0].rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return False
    return True


def _lists_itself(bootstrap_servers: str) -> bool:
    admin = AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 0})
    try:
        return bool(admin.list_topics(timeout=2).brokers)
    except KafkaException:
        return False

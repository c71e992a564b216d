"""Waiting until a broker that was just started answers and coordinates groups, or saying why it does not."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import FindCoordinatorRequest, SyncGroupRequest
from tests.support.kafka_server import KafkaStartError
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.client import Client

#: Names of groups, at least one in each partition of the offsets topic (their hashes follow each other).
GROUPS = [chr(number) for number in range(48, 98)]


def wait_until_ready(
    bootstrap_servers: str, *, is_alive: Callable[[], bool], log_tail: Callable[[], str], timeout_s: float = GUARD_S
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


def wait_until_coordinating(bootstrap_servers: str) -> None:
    """Return once the one node there is has loaded all coordinators of groups, making their topic if need be."""
    with Client(bootstrap_servers) as client:
        eventually("there are coordinators", lambda: _finds_coordinator(client))
        for group in GROUPS:
            eventually(f"group {group} is coordinated", lambda group=group: _knows_nobody_in(client, group))


def _finds_coordinator(client: Client) -> bool:
    asked = FindCoordinatorRequest(key_type=0, coordinator_keys=[GROUPS[0]])
    return bool(client.ask(apis.FIND_COORDINATOR, asked).coordinators[0].error_code == ErrorCode.NONE)


def _knows_nobody_in(client: Client, group: str) -> bool:
    asked = SyncGroupRequest(group_id=group, generation_id=1, member_id="nobody", assignments=[])
    return bool(client.ask(apis.SYNC_GROUP, asked, 4).error_code == ErrorCode.UNKNOWN_MEMBER_ID)

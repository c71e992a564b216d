"""A connection as one of ours, which is told of what Apache Kafka never shipped; and what is asked of it often."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kafka_nextgen.bridge.api_versions import to_request
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import ConsumerGroupDescribeRequest, ConsumerGroupHeartbeatRequest
from tests.broker.client import Client

__all__ = ["Assignor", "describe", "extended", "heartbeat"]

Assignor = ConsumerGroupHeartbeatRequest.ClientAssignor


@contextmanager
def extended(bootstrap_servers: str) -> Iterator[Client]:
    """Connect, and say by which software."""
    with Client(bootstrap_servers) as client:
        client.ask(apis.API_VERSIONS, to_request("1"))
        yield client


def heartbeat(client: Client, group: str, member: str, epoch: int, **fields: Any) -> Any:
    """Send a heartbeat; a join says everything that there is to say."""
    joining: dict[str, Any] = {"rebalance_timeout_ms": 5_000, "topic_partitions": []} if epoch == 0 else {}
    request = ConsumerGroupHeartbeatRequest(
        **{"group_id": group, "member_id": member, "member_epoch": epoch, **joining, **fields}
    )
    return client.ask(apis.CONSUMER_GROUP_HEARTBEAT, request)


def describe(client: Client, group: str) -> Any:
    """Describe a group."""
    return client.ask(apis.CONSUMER_GROUP_DESCRIBE, ConsumerGroupDescribeRequest(group_ids=[group])).groups[0]

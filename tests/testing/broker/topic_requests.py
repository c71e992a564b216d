"""Requests that make, grow, delete and describe topics, and what is answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kafka_nextgen.wire import apis
from tests.testing.broker.client import Client

TOPIC = 2  # Kafka's number for a resource that is a topic


def new_topic_request(
    name: str,
    partitions: int = 1,
    factor: int = 1,
    assignments: Mapping[int, list[int]] | None = None,
    configs: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    placed = [{"partition_index": index, "broker_ids": nodes} for index, nodes in (assignments or {}).items()]
    given = [{"name": key, "value": value} for key, value in (configs or {}).items()]
    counts = {"num_partitions": partitions, "replication_factor": factor}
    return {"name": name, **counts, "assignments": placed, "configs": given}


def create(
    client: Client, *topics: dict[str, Any], validate_only: bool = False, version: int | None = None
) -> Sequence[Any]:
    how = {"timeout_ms": 5_000, "validate_only": validate_only}
    return client.ask(apis.CREATE_TOPICS, version=version, topics=list(topics), **how).topics


def delete(client: Client, version: int = 6, **topic: Any) -> Any:
    named = {"topic_names": [topic["name"]]} if version < 6 else {"topics": [topic]}
    return client.ask(apis.DELETE_TOPICS, version=version, timeout_ms=1_000, **named).responses[0]


def grow(
    client: Client, name: str, count: int, assignments: list[list[int]] | None = None, validate_only: bool = False
) -> Any:
    placed = assignments and [{"broker_ids": nodes} for nodes in assignments]
    topics = [{"name": name, "count": count, "assignments": placed}]
    return client.ask(apis.CREATE_PARTITIONS, topics=topics, timeout_ms=1_000, validate_only=validate_only).results[0]


def describe(client: Client, kind: int, name: str, keys: list[str] | None = None, **how: Any) -> Any:
    """Describe the configuration of a resource, all of it if no keys are named."""
    resource = {"resource_type": kind, "resource_name": name, "configuration_keys": keys}
    return client.ask(apis.DESCRIBE_CONFIGS, resources=[resource], **how).results[0]

"""Requests that make, grow, delete and describe topics, and what is answered."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    DescribeConfigsRequest,
)
from tests.broker.client import Client

__all__ = ["TOPIC", "create", "delete", "describe", "grow", "new_topic_request"]

TOPIC = 2  # Kafka's number for a resource that is a topic


def new_topic_request(name: str, partitions: int = 1, factor: int = 1, **more: Any) -> Any:
    assignments = [
        CreateTopicsRequest.CreatableTopic.CreatableReplicaAssignment(partition_index=index, broker_ids=nodes)
        for index, nodes in more.get("assignments", {}).items()
    ]
    configs = [
        CreateTopicsRequest.CreatableTopic.CreatableTopicConfig(name=key, value=value)
        for key, value in more.get("configs", {}).items()
    ]
    return CreateTopicsRequest.CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=factor, assignments=assignments, configs=configs
    )


def create(client: Client, *topics: Any, validate_only: bool = False, version: int | None = None) -> list[Any]:
    request = CreateTopicsRequest(topics=list(topics), timeout_ms=1_000, validate_only=validate_only)
    answer: list[Any] = client.ask(apis.CREATE_TOPICS, request, version).topics
    return answer


def delete(client: Client, version: int = 6, **topic: Any) -> Any:
    if version < 6:
        request = DeleteTopicsRequest(timeout_ms=1_000, topic_names=[topic["name"]])
    else:
        request = DeleteTopicsRequest(timeout_ms=1_000, topics=[DeleteTopicsRequest.DeleteTopicState(**topic)])
    return client.ask(apis.DELETE_TOPICS, request, version).responses[0]


def grow(
    client: Client, name: str, count: int, assignments: list[list[int]] | None = None, validate_only: bool = False
) -> Any:
    asked = CreatePartitionsRequest.CreatePartitionsTopic
    placed = assignments and [asked.CreatePartitionsAssignment(broker_ids=nodes) for nodes in assignments]
    topics = [asked(name=name, count=count, assignments=placed)]
    request = CreatePartitionsRequest(topics=topics, timeout_ms=1_000, validate_only=validate_only)
    return client.ask(apis.CREATE_PARTITIONS, request).results[0]


def describe(client: Client, kind: int, name: str, keys: list[str] | None = None) -> Any:
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=keys
    )
    return client.ask(apis.DESCRIBE_CONFIGS, DescribeConfigsRequest(resources=[resource])).results[0]

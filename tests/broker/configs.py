"""Configuration asked for and changed as administrators do it, on any broker."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from kafka_nextgen.codes import name_of
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    AlterConfigsRequest,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    IncrementalAlterConfigsRequest,
    ListConfigResourcesRequest,
)
from tests.broker.client import Client

__all__ = [
    "APPEND",
    "BROKER",
    "DELETE",
    "GROUP",
    "SET",
    "SUBTRACT",
    "TOPIC",
    "Change",
    "Described",
    "Outcome",
    "alter",
    "describe",
    "listed",
    "refused",
    "replace",
]

TOPIC, BROKER, GROUP = 2, 4, 32
SET, DELETE, APPEND, SUBTRACT = range(4)

Change = tuple[str, int, "str | None"]
Outcome = tuple[str, "str | None"]  # the error's name and text


@frozen
class Described:
    """A key as it is told: ``synonyms`` has the value and source of each, that counts first."""

    value: str | None
    source: int
    read_only: bool
    synonyms: tuple[tuple[str, str | None, int], ...]


def alter(client: Client, kind: int, name: str, *changes: Change, validate_only: bool = False) -> Outcome:
    """Change one resource's configuration; the error and its text."""
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource
    configs = [resource.AlterableConfig(name=key, config_operation=op, value=value) for key, op, value in changes]
    asked = resource(resource_type=kind, resource_name=name, configs=configs)
    request = IncrementalAlterConfigsRequest(resources=[asked], validate_only=validate_only)
    response = client.ask(apis.INCREMENTAL_ALTER_CONFIGS, request).responses[0]
    return name_of(response.error_code), response.error_message


def replace(client: Client, kind: int, name: str, given: dict[str, str | None]) -> Outcome:
    """Replace all that one resource was given, as clients before Kafka 2.3 do."""
    resource = AlterConfigsRequest.AlterConfigsResource
    configs = [resource.AlterableConfig(name=key, value=value) for key, value in given.items()]
    asked = resource(resource_type=kind, resource_name=name, configs=configs)
    request = AlterConfigsRequest(resources=[asked], validate_only=False)
    response = client.ask(apis.ALTER_CONFIGS, request).responses[0]
    return name_of(response.error_code), response.error_message


def describe(client: Client, kind: int, name: str, *keys: str) -> dict[str, Described]:
    """The keys of one resource, all of them if none is named."""
    result = _asked(client, kind, name, keys)
    assert result.error_code == 0, f"{name_of(result.error_code)}: {result.error_message}"
    return {
        config.name: Described(
            config.value,
            config.config_source,
            config.read_only,
            tuple((synonym.name, synonym.value, synonym.source) for synonym in config.synonyms),
        )
        for config in result.configs
    }


def refused(client: Client, kind: int, name: str) -> Outcome:
    """Why a resource can't be described."""
    result = _asked(client, kind, name, ())
    return name_of(result.error_code), result.error_message


def listed(client: Client, *kinds: int, version: int = 1) -> tuple[str, set[tuple[str, int]]]:
    """What has a configuration: the error, and the names and types."""
    request = ListConfigResourcesRequest(resource_types=list(kinds))
    answer = client.ask(apis.LIST_CONFIG_RESOURCES, request, version)
    found = {(each.resource_name, each.resource_type) for each in answer.config_resources}
    return name_of(answer.error_code), found


def _asked(client: Client, kind: int, name: str, keys: Sequence[str]) -> DescribeConfigsResponse.DescribeConfigsResult:
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=list(keys) or None
    )
    return client.ask(
        apis.DESCRIBE_CONFIGS, DescribeConfigsRequest(resources=[resource], include_synonyms=True)
    ).results[0]

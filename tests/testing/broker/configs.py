"""Configuration asked for and changed as administrators do it, on any broker."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from kafka_nextgen.codes import name_of
from kafka_nextgen.wire import apis
from tests.testing.broker import topic_requests
from tests.testing.broker.client import Client

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
    configs = [{"name": key, "config_operation": how, "value": value} for key, how, value in changes]
    resource = {"resource_type": kind, "resource_name": name, "configs": configs}
    answer = client.ask(apis.INCREMENTAL_ALTER_CONFIGS, resources=[resource], validate_only=validate_only)
    return _outcome(answer.responses[0])


def replace(client: Client, kind: int, name: str, given: dict[str, str | None]) -> Outcome:
    """Replace all that one resource was given, as clients before Kafka 2.3 do."""
    configs = [{"name": key, "value": value} for key, value in given.items()]
    resource = {"resource_type": kind, "resource_name": name, "configs": configs}
    return _outcome(client.ask(apis.ALTER_CONFIGS, resources=[resource]).responses[0])


def describe(client: Client, kind: int, name: str, *keys: str) -> dict[str, Described]:
    """The keys of one resource, all of them if none is named."""
    result = topic_requests.describe(client, kind, name, list(keys) or None, include_synonyms=True)
    assert result.error_code == 0, _outcome(result)
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
    return _outcome(topic_requests.describe(client, kind, name))


def listed(client: Client, *kinds: int, version: int = 1) -> tuple[str, set[tuple[str, int]]]:
    """What has a configuration: the error, and the names and types."""
    answer = client.ask(apis.LIST_CONFIG_RESOURCES, version=version, resource_types=list(kinds))
    found = {(each.resource_name, each.resource_type) for each in answer.config_resources}
    return name_of(answer.error_code), found


def _outcome(result: Any) -> Outcome:
    return name_of(result.error_code), result.error_message

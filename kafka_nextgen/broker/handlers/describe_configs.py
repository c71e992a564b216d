"""DescribeConfigs: what topics and brokers are configured with (KIP-226).

A group's configuration is empty: groups have no overrides yet.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from kafka_nextgen.broker.cluster import Cluster, Context
from kafka_nextgen.broker.settings import BrokerSettings
from kafka_nextgen.broker.topic_settings import DEFAULTS
from kafka_nextgen.broker.topics import Refusal
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import DataContainer, DescribeConfigsRequest, DescribeConfigsResponse

__all__ = ["handle"]

_Result = DescribeConfigsResponse.DescribeConfigsResult
_Config = _Result.DescribeConfigsResourceResult

_TOPIC, _BROKER, _GROUP = 2, 4, 32  # Kafka's numbers for types of resources
_SET_ON_TOPIC, _SET_AT_START, _DEFAULT = 1, 4, 5  # Kafka's ConfigSource


@frozen
class _Value:
    value: str
    source: int


async def handle(request: DescribeConfigsRequest, context: Context) -> DescribeConfigsResponse:
    """Describe each resource."""
    return DescribeConfigsResponse(results=[_result(asked, context.cluster) for asked in request.resources])


def _result(asked: DataContainer, cluster: Cluster) -> _Result:
    found = _configs(asked.resource_type, asked.resource_name, cluster)
    if isinstance(found, Refusal):
        return _Result(
            error_code=found.code,
            error_message=found.message,
            resource_type=asked.resource_type,
            resource_name=asked.resource_name,
            configs=[],
        )
    wanted = asked.configuration_keys
    return _Result(
        error_code=ErrorCode.NONE,
        error_message=None,
        resource_type=asked.resource_type,
        resource_name=asked.resource_name,
        configs=[
            _config(name, value, is_read_only=asked.resource_type == _BROKER)
            for name, value in found.items()
            if wanted is None or name in wanted
        ],
    )


def _configs(kind: int, name: str, cluster: Cluster) -> Mapping[str, _Value] | Refusal:
    if kind == _TOPIC:
        return _of_topic(name, cluster)
    if kind == _BROKER:
        return _of_broker(name, cluster)
    if kind == _GROUP:
        return {}
    return Refusal(ErrorCode.INVALID_REQUEST, f"Resources of type {kind} have no configuration here.")


def _of_topic(name: str, cluster: Cluster) -> Mapping[str, _Value] | Refusal:
    topic = cluster.topics.named(name)
    if topic is None:
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"There is no topic '{name}'.")
    settings = topic.settings
    return {
        key: _Value(settings.value(key), _SET_ON_TOPIC if key in settings.overrides else _DEFAULT) for key in DEFAULTS
    }


def _of_broker(name: str, cluster: Cluster) -> Mapping[str, _Value] | Refusal:
    if name not in {"", *(str(node.node_id) for node in cluster.nodes)}:
        return Refusal(ErrorCode.INVALID_REQUEST, f"There is no broker '{name}'.")
    if not name:  # the defaults of the whole cluster, which are only those set at runtime
        return {}
    defaults = BrokerSettings().as_properties()
    return {
        key: _Value(value, _DEFAULT if defaults[key] == value else _SET_AT_START)
        for key, value in cluster.settings.as_properties().items()
    }


def _config(name: str, value: _Value, *, is_read_only: bool) -> _Config:
    return _Config(
        name=name,
        value=value.value,
        read_only=is_read_only,
        config_source=value.source,
        is_sensitive=False,
        synonyms=[],
        documentation=None,
    )

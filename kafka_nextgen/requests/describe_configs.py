"""DescribeConfigs, versions 1 to 4: a group's configuration (KIP-848, "Group Configurations").

Every value has a source: set for this group, or the broker's value for all groups.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire.messages import DescribeConfigsRequest, DescribeConfigsResponse

__all__ = ["GROUP", "DescribedConfig", "DescribedConfigs", "from_response", "to_request"]

#: Kafka's resource type for groups.
GROUP = 32
_SET_FOR_THE_GROUP = 8  # DYNAMIC_GROUP_CONFIG of Kafka's ConfigSource

_Resource = DescribeConfigsRequest.DescribeConfigsResource


@frozen
class DescribedConfig:
    """One key; ``value`` is None if it is secret, ``is_own`` is True if it was set for this group."""

    name: str
    value: str | None
    is_own: bool
    is_read_only: bool
    documentation: str | None


@frozen
class DescribedConfigs:
    """The configuration of a group, or why it is not available (``error`` is a code, 0 for none)."""

    error: int
    message: str | None
    configs: tuple[DescribedConfig, ...]


def to_request(group_id: str) -> DescribeConfigsRequest:
    """Request a group's whole configuration."""
    resource = _Resource(resource_type=GROUP, resource_name=group_id, configuration_keys=None)
    return DescribeConfigsRequest(resources=[resource], include_synonyms=False, include_documentation=True)


def from_response(message: DescribeConfigsResponse, group_id: str) -> DescribedConfigs:
    """Read the configuration of ``group_id``. Raises ``DecodeError`` if it is not in the answer."""
    for result in message.results:
        if (result.resource_type, result.resource_name) == (GROUP, group_id):
            configs = [
                DescribedConfig(
                    config.name,
                    config.value,
                    config.config_source == _SET_FOR_THE_GROUP,
                    config.read_only,
                    config.documentation or None,
                )
                for config in result.configs
            ]
            return DescribedConfigs(result.error_code, result.error_message, tuple(configs))
    raise DecodeError(f"the response to DescribeConfigs lacks group {group_id}")

"""DescribeConfigs, versions 1 to 4: the configuration of a group (KIP-848, "Group Configurations") or topic.

Every value has a source: set for this group or topic, or the broker's value for all of them. From version 3 on it has a
type (KIP-569).
"""

from __future__ import annotations

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.wire.messages import DescribeConfigsRequest, DescribeConfigsResponse

__all__ = ["GROUP", "TOPIC", "ConfigValue", "DescribedConfig", "DescribedConfigs", "from_response", "to_request"]

#: Kafka's resource type for groups.
GROUP = 32
#: Kafka's resource type for topics.
TOPIC = 2
_KINDS = {GROUP: "group", TOPIC: "topic"}
#: The source of a value that was set for the resource itself: DYNAMIC_GROUP_CONFIG and DYNAMIC_TOPIC_CONFIG of Kafka.
_OWN = {GROUP: 8, TOPIC: 1}
#: Kafka's numbers for types of values.
_BOOLEAN, _INTEGERS, _DOUBLE, _LIST = 1, (3, 4, 5), 6, 7

#: A value as its type says.
ConfigValue = str | int | float | bool | list[str] | None

_Resource = DescribeConfigsRequest.DescribeConfigsResource


@frozen
class DescribedConfig:
    """One key; ``value`` is None if it is secret, ``is_own`` is True if it was set for this group or topic.

    ``type`` is Kafka's number for the type of the value, 0 if it is unknown.
    """

    name: str
    value: str | None
    is_own: bool
    is_read_only: bool
    documentation: str | None
    type: int = 0

    def typed_value(self) -> ConfigValue:
        """Return the value as its type says; text that does not fit its type stays text."""
        if self.value is None:
            return None
        try:
            if self.type in _INTEGERS:
                return int(self.value)
            if self.type == _DOUBLE:
                return float(self.value)
        except ValueError:
            return self.value
        if self.type == _BOOLEAN:
            return {"true": True, "false": False}.get(self.value.lower(), self.value)
        if self.type == _LIST:
            return [word.strip() for word in self.value.split(",") if word.strip()]
        return self.value


@frozen
class DescribedConfigs:
    """The configuration of a group or topic, or why it is not available (``error`` is a code, 0 for none)."""

    error: int
    message: str | None
    configs: tuple[DescribedConfig, ...]


def to_request(name: str, kind: int = GROUP) -> DescribeConfigsRequest:
    """Request the whole configuration of a group, or of a topic with ``kind`` TOPIC."""
    resource = _Resource(resource_type=kind, resource_name=name, configuration_keys=None)
    return DescribeConfigsRequest(resources=[resource], include_synonyms=False, include_documentation=True)


def from_response(message: DescribeConfigsResponse, name: str, kind: int = GROUP) -> DescribedConfigs:
    """Read the configuration of this group or topic. Raises ``DecodeError`` if it is not in the answer."""
    for result in message.results:
        if (result.resource_type, result.resource_name) == (kind, name):
            configs = [
                DescribedConfig(
                    config.name,
                    config.value,
                    config.config_source == _OWN[kind],
                    config.read_only,
                    config.documentation or None,
                    config.config_type,
                )
                for config in result.configs
            ]
            return DescribedConfigs(result.error_code, result.error_message, tuple(configs))
    raise DecodeError(f"the response to DescribeConfigs lacks {_KINDS[kind]} {name}")

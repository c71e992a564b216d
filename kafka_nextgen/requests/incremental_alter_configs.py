"""IncrementalAlterConfigs, versions 0 and 1: changes a group's configuration (KIP-339)."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.requests.describe_configs import GROUP
from kafka_nextgen.wire.messages import IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse

__all__ = ["from_response", "to_request"]

_SET, _DELETE = 0, 1  # of Kafka's AlterConfigOp.OpType

_Resource = IncrementalAlterConfigsRequest.AlterConfigsResource
_Config = _Resource.AlterableConfig


def to_request(
    group_id: str, changes: Mapping[str, str | None], *, validate_only: bool
) -> IncrementalAlterConfigsRequest:
    """Request to set these keys of a group; None resets a key to the broker's value for all groups."""
    configs = [
        _Config(name=name, config_operation=_DELETE if value is None else _SET, value=value)
        for name, value in changes.items()
    ]
    resource = _Resource(resource_type=GROUP, resource_name=group_id, configs=configs)
    return IncrementalAlterConfigsRequest(resources=[resource], validate_only=validate_only)


def from_response(message: IncrementalAlterConfigsResponse, group_id: str) -> tuple[int, str | None]:
    """Read the error code (0 for none) and the error message. Raises ``DecodeError`` if the group is missing."""
    for response in message.responses:
        if (response.resource_type, response.resource_name) == (GROUP, group_id):
            return response.error_code, response.error_message
    raise DecodeError(f"the response to IncrementalAlterConfigs lacks group {group_id}")

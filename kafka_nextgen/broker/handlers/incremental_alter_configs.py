"""IncrementalAlterConfigs: change the configuration of topics, brokers and groups, key by key (KIP-339)."""

from __future__ import annotations

from collections import Counter

from kafka_nextgen.broker.cluster import Context
from kafka_nextgen.broker.configs.altering import Change
from kafka_nextgen.broker.configs.resources import alter
from kafka_nextgen.broker.topics import Refusal
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import (
    DataContainer,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)

__all__ = ["handle"]

_Response = IncrementalAlterConfigsResponse.AlterConfigsResourceResponse

_TWICE = Refusal(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")


async def handle(request: IncrementalAlterConfigsRequest, context: Context) -> IncrementalAlterConfigsResponse:
    """Alter each resource for itself; ``validate_only`` says what would become of that."""
    counts = Counter((asked.resource_type, asked.resource_name) for asked in request.resources)
    return IncrementalAlterConfigsResponse(
        responses=[
            _response(asked, _TWICE)
            if counts[asked.resource_type, asked.resource_name] > 1
            else _response(asked, _altered(asked, context, request.validate_only))
            for asked in request.resources
        ]
    )


def _altered(asked: DataContainer, context: Context, validate_only: bool) -> Refusal | None:
    changes = [Change(config.name, config.config_operation, config.value) for config in asked.configs]
    return alter(asked.resource_type, asked.resource_name, changes, context, validate_only=validate_only)


def _response(asked: DataContainer, refusal: Refusal | None) -> _Response:
    return _Response(
        error_code=ErrorCode.NONE if refusal is None else refusal.code,
        error_message=None if refusal is None else refusal.message,
        resource_type=asked.resource_type,
        resource_name=asked.resource_name,
    )

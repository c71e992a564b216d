"""AlterConfigs: give topics, brokers and groups a configuration that replaces all they were given before (KIP-133)."""

from __future__ import annotations

from collections import Counter

from kafka_nextgen.broker.cluster import Context
from kafka_nextgen.broker.configs.altering import replacing
from kafka_nextgen.broker.configs.resources import alter, given_to
from kafka_nextgen.broker.topics import Refusal
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import AlterConfigsRequest, AlterConfigsResponse, DataContainer

__all__ = ["handle"]

_Response = AlterConfigsResponse.AlterConfigsResourceResponse

_TWICE = Refusal(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")


async def handle(request: AlterConfigsRequest, context: Context) -> AlterConfigsResponse:
    """Configure each resource for itself; ``validate_only`` says what would become of that."""
    counts = Counter((asked.resource_type, asked.resource_name) for asked in request.resources)
    return AlterConfigsResponse(
        responses=[
            _response(asked, _TWICE)
            if counts[asked.resource_type, asked.resource_name] > 1
            else _response(asked, _replaced(asked, context, request.validate_only))
            for asked in request.resources
        ]
    )


def _replaced(asked: DataContainer, context: Context, validate_only: bool) -> Refusal | None:
    kind, name = asked.resource_type, asked.resource_name
    given = [(config.name, config.value) for config in asked.configs]
    changes = replacing(given, given_to(kind, name, context))
    return alter(kind, name, changes, context, validate_only=validate_only)


def _response(asked: DataContainer, refusal: Refusal | None) -> _Response:
    return _Response(
        error_code=ErrorCode.NONE if refusal is None else refusal.code,
        error_message=None if refusal is None else refusal.message,
        resource_type=asked.resource_type,
        resource_name=asked.resource_name,
    )

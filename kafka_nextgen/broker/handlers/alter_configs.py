"""AlterConfigs: give topics, brokers and groups a configuration that replaces all they were given before (KIP-133)."""

from __future__ import annotations

from functools import partial

from kafka_nextgen.broker.configs.altering import replacing
from kafka_nextgen.broker.configs.answering import answer_each
from kafka_nextgen.broker.configs.resources import alter, given_to
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.wire.messages import AlterConfigsRequest, AlterConfigsResponse

__all__ = ["handle"]

_Asked = AlterConfigsRequest.AlterConfigsResource
_Response = AlterConfigsResponse.AlterConfigsResourceResponse


async def handle(request: AlterConfigsRequest, context: Context) -> AlterConfigsResponse:
    """Configure each resource for itself; ``validate_only`` says what would become of that."""
    replace = partial(_replaced, context=context, validate_only=request.validate_only)
    return AlterConfigsResponse(responses=[_Response(**answer) for answer in answer_each(request.resources, replace)])


def _replaced(asked: _Asked, context: Context, validate_only: bool) -> Refusal | None:
    kind, name = asked.resource_type, asked.resource_name
    given = [(config.name, config.value) for config in asked.configs]
    changes = replacing(given, given_to(kind, name, context))
    return alter(kind, name, changes, context, validate_only=validate_only)

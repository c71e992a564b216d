"""IncrementalAlterConfigs: change the configuration of topics, brokers and groups, key by key (KIP-339)."""

from __future__ import annotations

from functools import partial

from kafka_nextgen.broker.configs.altering import Change
from kafka_nextgen.broker.configs.answering import answer_each
from kafka_nextgen.broker.configs.resources import alter
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.wire.messages import IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse

__all__ = ["handle"]

_Asked = IncrementalAlterConfigsRequest.AlterConfigsResource
_Response = IncrementalAlterConfigsResponse.AlterConfigsResourceResponse


async def handle(request: IncrementalAlterConfigsRequest, context: Context) -> IncrementalAlterConfigsResponse:
    """Alter each resource for itself; ``validate_only`` says what would become of that."""
    change = partial(_altered, context=context, validate_only=request.validate_only)
    answers = answer_each(request.resources, change)
    return IncrementalAlterConfigsResponse(responses=[_Response(**answer) for answer in answers])


def _altered(asked: _Asked, context: Context, validate_only: bool) -> Refusal | None:
    changes = [Change(config.name, config.config_operation, config.value) for config in asked.configs]
    return alter(asked.resource_type, asked.resource_name, changes, context, validate_only=validate_only)

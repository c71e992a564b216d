"""DescribeConfigs: what topics, brokers and groups are configured with (KIP-133, KIP-226, KIP-848)."""

from __future__ import annotations

from kafka_nextgen.broker.configs.keys import ConfigValue
from kafka_nextgen.broker.configs.resources import describe
from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import DescribeConfigsRequest, DescribeConfigsResponse

__all__ = ["handle"]

_Result = DescribeConfigsResponse.DescribeConfigsResult
_Config = _Result.DescribeConfigsResourceResult
_Synonym = _Config.DescribeConfigsSynonym


async def handle(request: DescribeConfigsRequest, context: Context) -> DescribeConfigsResponse:
    """Describe each resource."""
    return DescribeConfigsResponse(
        results=[_result(asked, context, request.include_synonyms) for asked in request.resources]
    )


def _result(asked: DescribeConfigsRequest.DescribeConfigsResource, context: Context, with_synonyms: bool) -> _Result:
    found = describe(asked.resource_type, asked.resource_name, context)
    refusal = found if isinstance(found, Refusal) else Refusal(ErrorCode.NONE, "")
    values = () if isinstance(found, Refusal) else found
    wanted = asked.configuration_keys
    return _Result(
        error_code=refusal.code,
        error_message=refusal.message,
        resource_type=asked.resource_type,
        resource_name=asked.resource_name,
        configs=[_config(value, with_synonyms) for value in values if wanted is None or value.name in wanted],
    )


def _config(value: ConfigValue, with_synonyms: bool) -> _Config:
    return _Config(
        name=value.name,
        value=value.value,
        read_only=value.is_read_only,
        config_source=value.source,
        is_sensitive=value.is_sensitive,
        synonyms=[
            _Synonym(name=each.name, value=each.value, source=each.source)
            for each in (value.synonyms if with_synonyms else ())
        ],
        config_type=value.kind,
        documentation=None,
    )

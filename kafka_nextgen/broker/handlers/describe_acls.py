"""DescribeAcls: the rules that a filter finds, by resource (KIP-140)."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DESCRIBE_CLUSTER
from kafka_nextgen.broker.security.rule_messages import filter_from
from kafka_nextgen.broker.security.rules import Rule
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import DescribeAclsRequest, DescribeAclsResponse

__all__ = ["handle"]

_Resource = DescribeAclsResponse.DescribeAclsResource
_Acl = _Resource.AclDescription


async def handle(request: DescribeAclsRequest, context: Context) -> DescribeAclsResponse:
    """Tell the rules that are found."""
    authorizer = context.cluster.security.authorizer
    if not context.may(DESCRIBE_CLUSTER):
        return _refused(DESCRIBE_CLUSTER.error, "Cluster authorization failed.")
    if authorizer is None:
        return _refused(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured on the broker")
    try:
        wanted = filter_from(request)
    except ValueError as error:
        return _refused(ErrorCode.INVALID_REQUEST, str(error))
    rules = [rule for rule in authorizer.rules if wanted.finds(rule)]
    return DescribeAclsResponse(error_code=ErrorCode.NONE, error_message=None, resources=_by_resource(rules))


def _refused(error: ErrorCode, message: str) -> DescribeAclsResponse:
    return DescribeAclsResponse(error_code=error, error_message=message, resources=[])


def _by_resource(rules: Sequence[Rule]) -> list[_Resource]:
    by_resource: dict[tuple[int, str, int], list[Rule]] = {}
    for rule in rules:
        by_resource.setdefault((rule.resource_type, rule.name, rule.pattern), []).append(rule)
    return [
        _Resource(resource_type=kind, resource_name=name, pattern_type=pattern, acls=[_acl(rule) for rule in found])
        for (kind, name, pattern), found in sorted(by_resource.items(), key=lambda entry: entry[0])
    ]


def _acl(rule: Rule) -> _Acl:
    return _Acl(
        principal=str(rule.principal), host=rule.host, operation=rule.operation, permission_type=rule.permission
    )

"""CreateAcls, DeleteAcls and DescribeAcls: add, remove and list access rules (KIP-140)."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.broker.security.access import Authorizer
from kafka_nextgen.broker.security.rights import ALTER_CLUSTER, DESCRIBE_CLUSTER, Right
from kafka_nextgen.broker.security.rule_filters import filter_from, rule_from
from kafka_nextgen.broker.security.rules import Rule
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import (
    CreateAclsRequest,
    CreateAclsResponse,
    DeleteAclsRequest,
    DeleteAclsResponse,
    DescribeAclsRequest,
    DescribeAclsResponse,
)

__all__ = ["create_acls", "delete_acls", "describe_acls"]

_Creation = CreateAclsResponse.AclCreationResult
_Deletion = DeleteAclsResponse.DeleteAclsFilterResult
_DeletedAcl = _Deletion.DeleteAclsMatchingAcl
_Resource = DescribeAclsResponse.DescribeAclsResource
_Acl = _Resource.AclDescription


async def create_acls(request: CreateAclsRequest, context: Context) -> CreateAclsResponse:
    """Add each rule that is valid; return a result for each."""
    authorizer = _authorizer(ALTER_CLUSTER, context, "No Authorizer is configured.")
    if isinstance(authorizer, Refusal):
        refused = _Creation(error_code=authorizer.code, error_message=authorizer.message)
        return CreateAclsResponse(results=[refused for _ in request.creations])
    return CreateAclsResponse(results=[_create(creation, authorizer) for creation in request.creations])


async def delete_acls(request: DeleteAclsRequest, context: Context) -> DeleteAclsResponse:
    """Remove the rules that each filter matches; return them."""
    authorizer = _authorizer(ALTER_CLUSTER, context, "No Authorizer is configured.")
    if isinstance(authorizer, Refusal):
        refused = _failed_deletion(authorizer.code, authorizer.message)
        return DeleteAclsResponse(filter_results=[refused for _ in request.filters])
    return DeleteAclsResponse(filter_results=[_delete(fields, authorizer) for fields in request.filters])


async def describe_acls(request: DescribeAclsRequest, context: Context) -> DescribeAclsResponse:
    """List the rules that the filter matches, by resource."""
    authorizer = _authorizer(DESCRIBE_CLUSTER, context, "No Authorizer is configured on the broker")
    if isinstance(authorizer, Refusal):
        return DescribeAclsResponse(error_code=authorizer.code, error_message=authorizer.message, resources=[])
    try:
        wanted = filter_from(request)
    except ValueError as error:
        return DescribeAclsResponse(error_code=ErrorCode.INVALID_REQUEST, error_message=str(error), resources=[])
    rules = [rule for rule in authorizer.rules if wanted.matches(rule)]
    return DescribeAclsResponse(error_code=ErrorCode.NONE, error_message=None, resources=_by_resource(rules))


def _authorizer(right: Right, context: Context, if_none: str) -> Authorizer | Refusal:
    if not context.may(right):
        return Refusal(right.error, "Cluster authorization failed.")
    authorizer = context.cluster.security.authorizer
    return authorizer or Refusal(ErrorCode.SECURITY_DISABLED, if_none)


def _create(creation: CreateAclsRequest.AclCreation, authorizer: Authorizer) -> _Creation:
    try:
        authorizer.add(rule_from(creation))
    except ValueError as error:
        return _Creation(error_code=ErrorCode.INVALID_REQUEST, error_message=str(error))
    return _Creation(error_code=ErrorCode.NONE, error_message=None)


def _delete(fields: DeleteAclsRequest.DeleteAclsFilter, authorizer: Authorizer) -> _Deletion:
    try:
        deleted = authorizer.remove(filter_from(fields).matches)
    except ValueError as error:
        return _failed_deletion(ErrorCode.INVALID_REQUEST, str(error))
    acls = [_deleted_acl(rule) for rule in deleted]
    return _Deletion(error_code=ErrorCode.NONE, error_message=None, matching_acls=acls)


def _failed_deletion(error: ErrorCode, message: str) -> _Deletion:
    return _Deletion(error_code=error, error_message=message, matching_acls=[])


def _deleted_acl(rule: Rule) -> _DeletedAcl:
    return _DeletedAcl(
        error_code=ErrorCode.NONE,
        error_message=None,
        resource_type=rule.resource_type,
        resource_name=rule.name,
        pattern_type=rule.pattern,
        principal=str(rule.principal),
        host=rule.host,
        operation=rule.operation,
        permission_type=rule.permission,
    )


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

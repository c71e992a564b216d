"""DeleteAcls: take away the rules that filters find, and tell which those were (KIP-140)."""

from __future__ import annotations

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.access import Authorizer
from kafka_nextgen.broker.security.rights import ALTER_CLUSTER
from kafka_nextgen.broker.security.rule_messages import filter_from
from kafka_nextgen.broker.security.rules import Rule
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import DeleteAclsRequest, DeleteAclsResponse

__all__ = ["handle"]

_Result = DeleteAclsResponse.DeleteAclsFilterResult
_Acl = _Result.DeleteAclsMatchingAcl


async def handle(request: DeleteAclsRequest, context: Context) -> DeleteAclsResponse:
    """Take away what each filter finds."""
    authorizer = context.cluster.security.authorizer
    if not context.may(ALTER_CLUSTER):
        return _all(request, _refused(ALTER_CLUSTER.error, "Cluster authorization failed."))
    if authorizer is None:
        return _all(request, _refused(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured."))
    return DeleteAclsResponse(filter_results=[_delete(fields, authorizer) for fields in request.filters])


def _all(request: DeleteAclsRequest, result: _Result) -> DeleteAclsResponse:
    return DeleteAclsResponse(filter_results=[result for _ in request.filters])


def _refused(error: ErrorCode, message: str) -> _Result:
    return _Result(error_code=error, error_message=message, matching_acls=[])


def _delete(fields: DeleteAclsRequest.DeleteAclsFilter, authorizer: Authorizer) -> _Result:
    try:
        gone = authorizer.remove(filter_from(fields).finds)
    except ValueError as error:
        return _refused(ErrorCode.INVALID_REQUEST, str(error))
    return _Result(error_code=ErrorCode.NONE, error_message=None, matching_acls=[_acl(rule) for rule in gone])


def _acl(rule: Rule) -> _Acl:
    return _Acl(
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

"""CreateAcls: add rules, each for itself (KIP-140)."""

from __future__ import annotations

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.access import Authorizer
from kafka_nextgen.broker.security.rights import ALTER_CLUSTER
from kafka_nextgen.broker.security.rule_messages import rule_from
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import CreateAclsRequest, CreateAclsResponse

__all__ = ["handle"]

_Result = CreateAclsResponse.AclCreationResult


async def handle(request: CreateAclsRequest, context: Context) -> CreateAclsResponse:
    """Add what can be a rule, and say of each what became of it."""
    authorizer = context.cluster.security.authorizer
    if not context.may(ALTER_CLUSTER):
        return _all(request, _Result(error_code=ALTER_CLUSTER.error, error_message="Cluster authorization failed."))
    if authorizer is None:
        reason = "No Authorizer is configured."
        return _all(request, _Result(error_code=ErrorCode.SECURITY_DISABLED, error_message=reason))
    return CreateAclsResponse(results=[_create(creation, authorizer) for creation in request.creations])


def _all(request: CreateAclsRequest, result: _Result) -> CreateAclsResponse:
    return CreateAclsResponse(results=[result for _ in request.creations])


def _create(creation: CreateAclsRequest.AclCreation, authorizer: Authorizer) -> _Result:
    try:
        authorizer.add(rule_from(creation))
    except ValueError as error:
        return _Result(error_code=ErrorCode.INVALID_REQUEST, error_message=str(error))
    return _Result(error_code=ErrorCode.NONE, error_message=None)

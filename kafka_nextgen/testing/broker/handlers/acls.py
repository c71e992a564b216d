"""CreateAcls, DeleteAcls and DescribeAcls: add, remove and list access rules (KIP-140).

In a filter, a null name, principal or host and the value ANY match everything. With pattern type MATCH, a name matches
every rule that applies to the resource with that name (KIP-290).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.refusal import Refusal, error_fields
from kafka_nextgen.testing.broker.security.access import Authorizer
from kafka_nextgen.testing.broker.security.acls import (
    CLUSTER_NAME,
    Operation,
    PatternType,
    PermissionType,
    ResourceType,
    Right,
)
from kafka_nextgen.testing.broker.security.principals import Principal
from kafka_nextgen.testing.broker.security.rules import Rule
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.schemas.access import AclFilter

__all__ = ["create_acls", "delete_acls", "describe_acls"]

_Creation = m.CreateAclsResponse.AclCreationResult
_Deletion = m.DeleteAclsResponse.DeleteAclsFilterResult
_DeletedAcl = _Deletion.DeleteAclsMatchingAcl
_Resource = m.DescribeAclsResponse.DescribeAclsResource
_Acl = _Resource.AclDescription

_Word = TypeVar("_Word", ResourceType, PatternType, Operation, PermissionType)


@frozen
class _RuleFilter:
    """Selects rules."""

    resource_type: ResourceType
    name: str | None
    pattern: PatternType
    principal: str | None
    host: str | None
    operation: Operation
    permission: PermissionType

    def matches(self, rule: Rule) -> bool:
        """Whether the filter selects the rule."""
        return (
            self.resource_type in (ResourceType.ANY, rule.resource_type)
            and self._matches_name(rule)
            and self.principal in (None, str(rule.principal))
            and self.host in (None, rule.host)
            and self.operation in (Operation.ANY, rule.operation)
            and self.permission in (PermissionType.ANY, rule.permission)
        )

    def _matches_name(self, rule: Rule) -> bool:
        if self.pattern not in (PatternType.ANY, PatternType.MATCH, rule.pattern):
            return False
        if self.name is None:
            return True
        if self.pattern is PatternType.MATCH:
            return rule.is_about(rule.resource_type, self.name)
        return self.name == rule.name


async def create_acls(request: m.CreateAclsRequest, context: Context) -> m.CreateAclsResponse:
    """Add each rule that is valid; return a result for each."""
    authorizer = _authorizer(Right.ALTER_CLUSTER, context, "No Authorizer is configured.")
    if isinstance(authorizer, Refusal):
        return m.CreateAclsResponse(results=[_Creation(**error_fields(authorizer)) for _ in request.creations])
    return m.CreateAclsResponse(results=[_create(creation, authorizer) for creation in request.creations])


async def delete_acls(request: m.DeleteAclsRequest, context: Context) -> m.DeleteAclsResponse:
    """Remove the rules that each filter matches; return them."""
    authorizer = _authorizer(Right.ALTER_CLUSTER, context, "No Authorizer is configured.")
    if isinstance(authorizer, Refusal):
        return m.DeleteAclsResponse(filter_results=[_deletion(authorizer) for _ in request.filters])
    return m.DeleteAclsResponse(filter_results=[_delete(fields, authorizer) for fields in request.filters])


async def describe_acls(request: m.DescribeAclsRequest, context: Context) -> m.DescribeAclsResponse:
    """List the rules that the filter matches, by resource."""
    authorizer = _authorizer(Right.DESCRIBE_CLUSTER, context, "No Authorizer is configured on the broker")
    if isinstance(authorizer, Refusal):
        return m.DescribeAclsResponse(**error_fields(authorizer), resources=[])
    try:
        wanted = _filter_from(request)
    except ValueError as error:
        return m.DescribeAclsResponse(error_code=ErrorCode.INVALID_REQUEST, error_message=str(error), resources=[])
    rules = [rule for rule in authorizer.rules if wanted.matches(rule)]
    return m.DescribeAclsResponse(**error_fields(None), resources=_by_resource(rules))


def _authorizer(right: Right, context: Context, if_none: str) -> Authorizer | Refusal:
    if not context.may(right):
        return Refusal(right.error, "Cluster authorization failed.")
    authorizer = context.cluster.security.authorizer
    return authorizer or Refusal(ErrorCode.SECURITY_DISABLED, if_none)


def _create(creation: m.CreateAclsRequest.AclCreation, authorizer: Authorizer) -> _Creation:
    try:
        authorizer.add(_rule_from(creation))
    except ValueError as error:
        return _Creation(error_code=ErrorCode.INVALID_REQUEST, error_message=str(error))
    return _Creation(**error_fields(None))


def _delete(fields: AclFilter, authorizer: Authorizer) -> _Deletion:
    try:
        deleted = authorizer.remove(_filter_from(fields).matches)
    except ValueError as error:
        return _deletion(Refusal(ErrorCode.INVALID_REQUEST, str(error)))
    return _deletion(None, deleted)


def _deletion(refusal: Refusal | None, deleted: Sequence[Rule] = ()) -> _Deletion:
    return _Deletion(**error_fields(refusal), matching_acls=[_deleted_acl(rule) for rule in deleted])


def _deleted_acl(rule: Rule) -> _DeletedAcl:
    return _DeletedAcl(
        **error_fields(None),
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


def _filter_from(fields: AclFilter) -> _RuleFilter:
    """Read a filter. Raises ``ValueError`` for an unknown number."""
    return _RuleFilter(
        ResourceType(fields.resource_type_filter),
        fields.resource_name_filter,
        PatternType(fields.pattern_type_filter),
        fields.principal_filter,
        fields.host_filter,
        Operation(fields.operation),
        PermissionType(fields.permission_type),
    )


def _rule_from(fields: m.CreateAclsRequest.AclCreation) -> Rule:
    """Read a rule to add. Raises ``ValueError`` with the reason if it is invalid."""
    rule = Rule(
        Principal.parse(fields.principal),
        _definite(Operation(fields.operation)),
        _definite(ResourceType(fields.resource_type)),
        fields.resource_name,
        _definite(PatternType(fields.resource_pattern_type)),
        _definite(PermissionType(fields.permission_type)),
        fields.host,
    )
    if not rule.name:
        raise ValueError("Invalid empty resource name")
    if rule.resource_type is ResourceType.CLUSTER and rule.name != CLUSTER_NAME:
        raise ValueError(f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}")
    return rule


def _definite(word: _Word) -> _Word:
    if word.name in ("ANY", "MATCH"):
        raise ValueError(f"{word.name} is for filters only")
    return word

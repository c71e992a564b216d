"""Rules and filters of rules as CreateAcls, DeleteAcls and DescribeAcls have them.

A null name, principal or host and the value ANY match everything. With pattern type MATCH a name matches every rule
that is about the resource of that name (KIP-290).
"""

from __future__ import annotations

from typing import TypeVar

from attrs import frozen

from kafka_nextgen.broker.security.acl_types import (
    CLUSTER_NAME,
    Operation,
    PatternType,
    PermissionType,
    ResourceType,
)
from kafka_nextgen.broker.security.principals import Principal
from kafka_nextgen.broker.security.rules import Rule
from kafka_nextgen.wire.messages import CreateAclsRequest, DeleteAclsRequest, DescribeAclsRequest

__all__ = ["RuleFilter", "filter_from", "rule_from"]

_Word = TypeVar("_Word", ResourceType, PatternType, Operation, PermissionType)


@frozen
class RuleFilter:
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


def filter_from(fields: DescribeAclsRequest | DeleteAclsRequest.DeleteAclsFilter) -> RuleFilter:
    """Read a filter. Raises ``ValueError`` for an unknown number."""
    return RuleFilter(
        ResourceType(fields.resource_type_filter),
        fields.resource_name_filter,
        PatternType(fields.pattern_type_filter),
        fields.principal_filter,
        fields.host_filter,
        Operation(fields.operation),
        PermissionType(fields.permission_type),
    )


def rule_from(fields: CreateAclsRequest.AclCreation) -> Rule:
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

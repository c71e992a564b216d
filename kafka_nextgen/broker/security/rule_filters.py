"""Rules in messages, which the three APIs of ACLs have in common: one as it is, and what is to be found of them.

A filter's name, principal and host may be null, and its words ANY, for all there are. By pattern type MATCH a name
finds every rule that is about a resource of that name (KIP-290).
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
    """Which rules are meant."""

    resource_type: ResourceType
    name: str | None
    pattern: PatternType
    principal: str | None
    host: str | None
    operation: Operation
    permission: PermissionType

    def matches(self, rule: Rule) -> bool:
        """Whether the rule is meant."""
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
    """Read a filter. Raises ``ValueError`` for a number that means nothing."""
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
    """Read a rule that is to be made. Raises ``ValueError`` with the reason if it can't be one."""
    rule = Rule(
        Principal.parse(fields.principal),
        _certain(Operation(fields.operation)),
        _certain(ResourceType(fields.resource_type)),
        fields.resource_name,
        _certain(PatternType(fields.resource_pattern_type)),
        _certain(PermissionType(fields.permission_type)),
        fields.host,
    )
    if not rule.name:
        raise ValueError("Invalid empty resource name")
    if rule.resource_type is ResourceType.CLUSTER and rule.name != CLUSTER_NAME:
        raise ValueError(f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}")
    return rule


def _certain(word: _Word) -> _Word:
    if word.name in ("ANY", "MATCH"):
        raise ValueError(f"{word.name} is for filters only")
    return word

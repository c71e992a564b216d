"""Authorization: the rules of a cluster, which may change while it runs, and the rights of one client.

Without an authorizer (``authorizer.class.name``) every client has every right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.security.acls import (
    CLUSTER_NAME,
    Operation,
    PatternType,
    PermissionType,
    ResourceType,
    Right,
)
from kafka_nextgen.testing.broker.security.principals import Principal
from kafka_nextgen.testing.broker.security.rules import Action, Rule, allows, allows_somewhere
from kafka_nextgen.testing.broker.security.settings import SecuritySettings
from kafka_nextgen.testing.broker.security.users import Users
from kafka_nextgen.testing.broker.storage import Catalogue

__all__ = ["Access", "Authorizer", "BrokerSecurity"]

_KIND = "rule"  # of entries in the catalogue


class Authorizer:
    """The rules, each once, in the order they were added.

    ``rules`` are those that the broker is started with; the catalogue keeps those that are added later.
    """

    def __init__(self, settings: SecuritySettings, rules: Iterable[Rule] = ()) -> None:
        self._super_users = settings.parsed_super_users()
        self._if_no_rule = settings.allow_everyone_if_no_acl_found
        self._rules = dict.fromkeys(rules)
        self._catalogue = Catalogue()

    def recover(self, catalogue: Catalogue) -> None:
        """Add the rules that a catalogue kept; it keeps further changes as well."""
        self._catalogue = catalogue
        self._rules.update(dict.fromkeys(map(_decoded, catalogue.entries(_KIND).values())))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules."""
        return tuple(self._rules)

    def add(self, rule: Rule) -> None:
        """Add a rule, unless it already exists; raises ``StorageError``."""
        if rule not in self._rules:
            self._catalogue.put(_KIND, _key(rule), _encoded(rule))
            self._rules[rule] = None

    def remove(self, is_meant: Callable[[Rule], bool]) -> tuple[Rule, ...]:
        """Remove the rules for which ``is_meant`` is true, and return them; raises ``StorageError``."""
        gone = tuple(filter(is_meant, self._rules))
        for rule in gone:
            self._catalogue.remove(_KIND, _key(rule))
            del self._rules[rule]
        return gone

    def allows(self, action: Action) -> bool:
        """Whether the action is allowed."""
        return action.principal in self._super_users or allows(self._rules, action, if_no_rule=self._if_no_rule)

    def allows_somewhere(self, action: Action) -> bool:
        """Whether the action is allowed for at least one resource name."""
        if action.principal in self._super_users:
            return True
        return allows_somewhere(self._rules, action, if_no_rule=self._if_no_rule)


@frozen
class Access:
    """The rights of one client: a principal at the address ``host``."""

    authorizer: Authorizer | None = field(repr=False)
    principal: Principal
    host: str

    def may(self, right: Right, name: str = CLUSTER_NAME) -> bool:
        """Whether the client has this right on the resource with this name; rights on the cluster need no name."""
        return self.authorizer is None or self.authorizer.allows(self._action(right, name))

    def may_somewhere(self, right: Right) -> bool:
        """Whether the client has this right on at least one resource, which need not exist."""
        return self.authorizer is None or self.authorizer.allows_somewhere(self._action(right, ""))

    def operations(self, resource_type: ResourceType, name: str = CLUSTER_NAME) -> frozenset[int]:
        """The numbers of all operations that the client may perform on a resource (KIP-430)."""
        rights = (right for right in Right if right.resource_type is resource_type and self.may(right, name))
        return frozenset(int(right.operation) for right in rights)

    def _action(self, right: Right, name: str) -> Action:
        return Action(self.principal, self.host, right.operation, right.resource_type, name)


@frozen
class BrokerSecurity:
    """Who may log in and what clients may do; both may change while the broker runs."""

    users: Users = field(factory=Users)
    authorizer: Authorizer | None = None

    def recover(self, catalogue: Catalogue) -> None:
        """Restore the changes that a catalogue kept; it keeps further changes as well."""
        self.users.recover(catalogue)
        if self.authorizer is not None:
            self.authorizer.recover(catalogue)


def _key(rule: Rule) -> str:
    return json.dumps(_encoded(rule))


def _encoded(rule: Rule) -> list[object]:
    numbers = [int(rule.operation), int(rule.resource_type), int(rule.pattern), int(rule.permission)]
    return [str(rule.principal), rule.name, rule.host, *numbers]


def _decoded(value: Any) -> Rule:
    principal, name, host, operation, resource_type, pattern, permission = value
    return Rule(
        Principal.parse(principal),
        Operation(operation),
        ResourceType(resource_type),
        name,
        PatternType(pattern),
        PermissionType(permission),
        host,
    )

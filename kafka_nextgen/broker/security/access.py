"""Asking the rules: the rules of a cluster, which may change while it runs, and one client's view of them.

Without an authorizer (``authorizer.class.name``) everybody may do everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import field, frozen

from kafka_nextgen.broker.security.principals import Principal
from kafka_nextgen.broker.security.rights import Right
from kafka_nextgen.broker.security.rule_entries import RuleEntries
from kafka_nextgen.broker.security.rules import Action, Rule, allows, allows_somewhere
from kafka_nextgen.broker.security.settings import SecuritySettings
from kafka_nextgen.broker.security.vocabulary import CLUSTER_NAME, SUPPORTED, ResourceType
from kafka_nextgen.broker.storage import Catalogue

__all__ = ["Access", "Authorizer"]


class Authorizer:
    """The rules there are, each once, in the order they came.

    ``rules`` are those that the broker is started with; only what is added to them is kept.
    """

    def __init__(self, settings: SecuritySettings, rules: Iterable[Rule] = ()) -> None:
        self._super_users = settings.parsed_super_users()
        self._if_no_rule = settings.allow_everyone_if_no_acl_found
        self._rules = dict.fromkeys(rules)
        self._entries = RuleEntries(Catalogue())

    def recover(self, catalogue: Catalogue) -> None:
        """Add the rules that a catalogue kept, and have it keep what comes."""
        self._entries = RuleEntries(catalogue)
        self._rules.update(dict.fromkeys(self._entries.all()))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules."""
        return tuple(self._rules)

    def add(self, rule: Rule) -> None:
        """Add a rule, unless it is there; raises ``StorageError``."""
        if rule not in self._rules:
            self._entries.add(rule)
            self._rules[rule] = None

    def remove(self, is_meant: Callable[[Rule], bool]) -> tuple[Rule, ...]:
        """Take away the rules that are meant, and return them; raises ``StorageError``."""
        gone = tuple(filter(is_meant, self._rules))
        for rule in gone:
            self._entries.remove(rule)
            del self._rules[rule]
        return gone

    def allows(self, action: Action) -> bool:
        """Whether the action may happen."""
        return action.principal in self._super_users or allows(self._rules, action, if_no_rule=self._if_no_rule)

    def allows_somewhere(self, action: Action) -> bool:
        """Whether it may happen to a resource of some name."""
        if action.principal in self._super_users:
            return True
        return allows_somewhere(self._rules, action, if_no_rule=self._if_no_rule)


@frozen
class Access:
    """What one client may do: ``principal``, who comes from the address ``host``."""

    authorizer: Authorizer | None = field(repr=False)
    principal: Principal
    host: str

    def may(self, right: Right, name: str = CLUSTER_NAME) -> bool:
        """Whether it has this right to what has this name; the cluster needs none."""
        return self.authorizer is None or self.authorizer.allows(self._action(right, name))

    def may_somewhere(self, right: Right) -> bool:
        """Whether there can be a resource that it has this right to."""
        return self.authorizer is None or self.authorizer.allows_somewhere(self._action(right, ""))

    def operations(self, resource_type: ResourceType, name: str = CLUSTER_NAME) -> frozenset[int]:
        """The numbers of all it may do with a resource (KIP-430)."""
        supported = SUPPORTED[resource_type]
        may = (operation for operation in supported if self.may(Right(operation, resource_type), name))
        return frozenset(map(int, may))

    def _action(self, right: Right, name: str) -> Action:
        return Action(self.principal, self.host, right.operation, right.resource_type, name)

"""Rules as entries of the broker's catalogue, which keeps those that were added while it ran."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from attrs import frozen

from kafka_nextgen.broker.security.principals import Principal
from kafka_nextgen.broker.security.rules import Rule
from kafka_nextgen.broker.security.vocabulary import Operation, Pattern, Permission, ResourceType
from kafka_nextgen.broker.storage import Catalogue

__all__ = ["RuleEntries"]

_KIND = "rule"


@frozen
class RuleEntries:
    """The rules in a catalogue, each under a key that is made of the whole of it."""

    _catalogue: Catalogue

    def all(self) -> Iterator[Rule]:
        """The rules, in the order they came."""
        return map(_read, self._catalogue.entries(_KIND).values())

    def add(self, rule: Rule) -> None:
        """Keep a rule; raises ``StorageError``."""
        self._catalogue.put(_KIND, _key(rule), _written(rule))

    def remove(self, rule: Rule) -> None:
        """Keep a rule no longer, if it was kept; raises ``StorageError``."""
        self._catalogue.remove(_KIND, _key(rule))


def _key(rule: Rule) -> str:
    return json.dumps(_written(rule))


def _written(rule: Rule) -> list[object]:
    numbers = [int(rule.operation), int(rule.resource_type), int(rule.pattern), int(rule.permission)]
    return [str(rule.principal), rule.name, rule.host, *numbers]


def _read(value: Any) -> Rule:
    principal, name, host, operation, resource_type, pattern, permission = value
    return Rule(
        Principal.parse(principal),
        Operation(operation),
        ResourceType(resource_type),
        name,
        Pattern(pattern),
        Permission(permission),
        host,
    )

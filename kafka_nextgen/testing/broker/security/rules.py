"""Rules, Kafka's ACLs, and what follows from them (KIP-11, KIP-290; ``StandardAuthorizer`` of KIP-801).

A rule allows or denies a principal, or all principals, an operation on resources of a type: on those with a given name,
on those whose names begin with it, or, for the name ``*``, on all of them. Among the rules about a resource:

1. a rule that denies overrides all that allow,
2. a rule that allows READ, WRITE, DELETE or ALTER allows DESCRIBE as well, and one that allows ALTER_CONFIGS allows
   DESCRIBE_CONFIGS; a rule that denies READ denies only that,
3. if no rule is about the resource at all, ``allow.everyone.if.no.acl.found`` decides; otherwise everything that is not
   allowed is denied, even to principals that no rule names.

Super users may do everything; no rule limits them.

The command line and tests write rules as text: ``allow User:alice READ,WRITE TOPIC orders* 127.0.0.1``. That is: the
permission, the principal (``User:*`` is every user), operations or ALL, the type of resource, a name, and optionally
the one address that it applies to. A name that ends with ``*`` is a prefix, and a single ``*`` means all names. Rules
about the cluster have no name. A line that begins with ``#`` is a comment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Final, TypeVar

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.security.acls import (
    CLUSTER_NAME,
    SUPPORTED,
    Operation,
    PatternType,
    PermissionType,
    ResourceType,
)
from kafka_nextgen.testing.broker.security.principals import Principal

__all__ = ["WILDCARD", "WILDCARD_PRINCIPAL", "Action", "Rule", "allows", "allows_somewhere", "parse_rules"]

#: The principal of rules about all principals.
WILDCARD_PRINCIPAL: Final = Principal.user("*")

#: A rule's name for all resources of a type, and its host for all hosts.
WILDCARD: Final = "*"

_IMPLYING: Final[Mapping[Operation, frozenset[Operation]]] = {
    Operation.DESCRIBE: frozenset({Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ALTER}),
    Operation.DESCRIBE_CONFIGS: frozenset({Operation.ALTER_CONFIGS}),
}

_Word = TypeVar("_Word", bound=IntEnum)

_FORM = "allow|deny PRINCIPAL OPERATION[,OPERATION] TYPE NAME [HOST]"


@frozen
class Action:
    """An operation that a principal at an address requests, on the resource with this name."""

    principal: Principal
    host: str
    operation: Operation
    resource_type: ResourceType
    name: str


@frozen(order=True)
class Rule:
    """One of Kafka's ACLs; by default it allows the operation from every host, on the resource with this name."""

    principal: Principal
    operation: Operation
    resource_type: ResourceType
    name: str
    pattern: PatternType = PatternType.LITERAL
    permission: PermissionType = PermissionType.ALLOW
    host: str = WILDCARD

    def is_about(self, resource_type: ResourceType, name: str) -> bool:
        """Whether the rule is about this resource."""
        if self.resource_type is not resource_type:
            return False
        if self.pattern is PatternType.PREFIXED:
            return name.startswith(self.name)
        return self.name in (name, WILDCARD)

    def concerns(self, principal: Principal, host: str) -> bool:
        """Whether the rule is about this principal at this address."""
        return self.principal in (principal, WILDCARD_PRINCIPAL) and self.host in (host, WILDCARD)

    def covers(self, operation: Operation) -> bool:
        """Whether the rule allows or denies this operation."""
        if self.operation in (operation, Operation.ALL):
            return True
        return self.permission is PermissionType.ALLOW and self.operation in _IMPLYING.get(operation, ())


def allows(rules: Iterable[Rule], action: Action, *, if_no_rule: bool) -> bool:
    """Whether the rules allow the action."""
    about = [rule for rule in rules if rule.is_about(action.resource_type, action.name)]
    if not about:
        return if_no_rule
    fitting = [rule for rule in about if rule.concerns(action.principal, action.host) and rule.covers(action.operation)]
    return bool(fitting) and all(rule.permission is PermissionType.ALLOW for rule in fitting)


def allows_somewhere(rules: Collection[Rule], action: Action, *, if_no_rule: bool) -> bool:
    """Whether the action is allowed for some name; the name in ``action`` is ignored (KIP-679).

    That is the case if a rule allows it for a name, and no rule denies it for the same name, for a shorter prefix or
    for everything.
    """
    fitting = [
        rule
        for rule in rules
        if rule.resource_type is action.resource_type
        and rule.concerns(action.principal, action.host)
        and rule.operation in (action.operation, Operation.ALL)
    ]
    denied = [rule for rule in fitting if rule.permission is PermissionType.DENY]
    if any(_is_about_everything(rule) for rule in denied):
        return False
    allowed = [rule for rule in fitting if rule.permission is PermissionType.ALLOW]
    return if_no_rule or any(_is_about_everything(rule) or not _is_taken(rule, denied) for rule in allowed)


def _is_about_everything(rule: Rule) -> bool:
    return rule.pattern is PatternType.LITERAL and rule.name == WILDCARD


def _is_taken(allowed: Rule, denied: Iterable[Rule]) -> bool:
    return any(
        allowed.name.startswith(rule.name)
        if rule.pattern is PatternType.PREFIXED
        else allowed.pattern is PatternType.LITERAL and allowed.name == rule.name
        for rule in denied
    )


def parse_rules(lines: Iterable[str]) -> tuple[Rule, ...]:
    """Read rules, one per line; several operations make several rules. Raises ``ConfigError``."""
    texts = (line.strip() for line in lines)
    return tuple(rule for text in texts if text and not text.startswith("#") for rule in _parse(text))


def _parse(text: str) -> tuple[Rule, ...]:
    words = text.split()
    try:
        return _rules(words)
    except ValueError as error:
        raise ConfigError(f"{text!r} is not a rule of the form {_FORM}: {error}") from None


def _rules(words: Sequence[str]) -> tuple[Rule, ...]:
    if len(words) < 4:
        raise ValueError("words are missing")
    permission, principal = _word(PermissionType, words[0]), Principal.parse(words[1])
    resource_type = _word(ResourceType, words[3])
    rest = list(words[4:])
    name = CLUSTER_NAME if resource_type is ResourceType.CLUSTER else rest.pop(0) if rest else ""
    if not name or len(rest) > 1:
        raise ValueError("a name is missing" if not name else "there are too many words")
    pattern, name = _pattern(name)
    host = rest[0] if rest else WILDCARD
    operations = [_operation(word, resource_type) for word in words[2].split(",")]
    return tuple(Rule(principal, operation, resource_type, name, pattern, permission, host) for operation in operations)


def _pattern(name: str) -> tuple[PatternType, str]:
    if name != WILDCARD and name.endswith(WILDCARD):
        return PatternType.PREFIXED, name[: -len(WILDCARD)]
    return PatternType.LITERAL, name


def _operation(word: str, resource_type: ResourceType) -> Operation:
    operation = _word(Operation, word)
    if operation is not Operation.ALL and operation not in SUPPORTED[resource_type]:
        raise ValueError(f"{operation.name} does not apply to resources of type {resource_type.name}")
    return operation


def _word(kind: type[_Word], word: str) -> _Word:
    known = {entry.name: entry for entry in kind if entry.name != "ANY"}
    if word.upper() not in known:
        raise ValueError(f"{word} is not one of {', '.join(known)}")
    return known[word.upper()]

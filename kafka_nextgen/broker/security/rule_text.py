"""Rules as text, for the command line and for tests: ``allow User:alice READ,WRITE TOPIC orders* 127.0.0.1``.

That is: the permission, the principal (``User:*`` is every user), operations or ALL, the type of resource, a name, and
perhaps the one address that it holds for. A name that ends with ``*`` is the beginning of names, and a ``*`` alone
stands for all. Rules about the cluster have no name. A line that begins with ``#`` is a comment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import TypeVar

from kafka_nextgen.broker.security.acls import (
    CLUSTER_NAME,
    SUPPORTED,
    Operation,
    PatternType,
    PermissionType,
    ResourceType,
)
from kafka_nextgen.broker.security.principals import Principal
from kafka_nextgen.broker.security.rules import WILDCARD, Rule
from kafka_nextgen.errors import ConfigError

__all__ = ["parse_rules"]

_Word = TypeVar("_Word", bound=IntEnum)

_FORM = "allow|deny PRINCIPAL OPERATION[,OPERATION] TYPE NAME [HOST]"


def parse_rules(lines: Iterable[str]) -> tuple[Rule, ...]:
    """Read rules, one a line; several operations make several rules. Raises ``ConfigError``."""
    texts = (line.strip() for line in lines)
    return tuple(rule for text in texts if text and not text.startswith("#") for rule in _parse(text))


def _parse(text: str) -> tuple[Rule, ...]:
    words = text.split()
    try:
        return _rules(words)
    except ValueError as error:
        raise ConfigError(f"{text!r} is no rule, which is {_FORM}: {error}") from None


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
        raise ValueError(f"there is no {operation.name} on {resource_type.name}")
    return operation


def _word(kind: type[_Word], word: str) -> _Word:
    known = {entry.name: entry for entry in kind if entry.name != "ANY"}
    if word.upper() not in known:
        raise ValueError(f"{word} is none of {', '.join(known)}")
    return known[word.upper()]

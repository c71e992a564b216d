"""The parsers of broker settings: one for each kind of value.

A setting is a field with a parser, which takes the setting's name and its value, typed or as text, and raises
``ConfigError`` if the value is invalid.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import Enum
from typing import Final, TypeVar

from attrs import field

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties.secret import Secret

__all__ = [
    "INT32_MAX",
    "bool_key",
    "int_key",
    "key",
    "member_of",
    "names",
    "names_or_none",
    "one_of",
    "property_name",
    "secret",
    "some_of",
    "text",
]

INT32_MAX: Final = 2**31 - 1

_T = TypeVar("_T")
_E = TypeVar("_E", bound=Enum)

Parser = Callable[[str, object], _T]


def property_name(field_name: str) -> str:
    """Kafka's name of a setting: the field's name with dots."""
    return field_name.replace("_", ".")


def key(default: _T, parse: Parser[_T], separator: str = ",") -> _T:
    """A setting; ``separator`` separates the items of a list."""
    setting: _T = field(default=default, metadata={"parse": parse, "separator": separator})
    return setting


def int_key(default: int, low: int = 1, high: int = INT32_MAX) -> int:
    """A setting that is a whole number between ``low`` and ``high``."""

    def parse(key: str, value: object) -> int:
        try:
            number = int(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else None
        except ValueError:
            number = None
        if number is None:
            raise ConfigError(f"{key} must be a whole number, not {value!r}", key)
        if not low <= number <= high:
            raise ConfigError(f"{key} must be between {low} and {high}, not {number}", key)
        return number

    return key(default, parse)


def bool_key(default: bool) -> bool:
    """A setting that is true or false."""

    def parse(key: str, value: object) -> bool:
        text = str(value).strip().lower()
        if text not in ("true", "false"):
            raise ConfigError(f"{key} must be true or false, not {value!r}", key)
        return text == "true"

    return key(default, parse)


def text(key: str, value: object) -> str:
    """Parse any text."""
    if not isinstance(value, str):
        raise ConfigError(f"{key} must be text, not {value!r}", key)
    return value.strip()


def secret(key: str, value: object) -> Secret | None:
    """Parse text that is never shown; empty text is None."""
    if not isinstance(value, (str, Secret)):
        raise ConfigError(f"{key} must be text", key)  # does not show the value
    try:
        return Secret.of(value) if value != "" else None
    except ValueError as error:
        raise ConfigError(f"{key}: {error}", key) from None


def names(key: str, value: object) -> tuple[str, ...]:
    """Parse names: at least one, without duplicates."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        raise ConfigError(f"{key} must be a list of names separated by commas, not {value!r}", key)
    found = tuple(str(item).strip() for item in items)
    if not found or not all(found) or len(set(found)) != len(found):
        raise ConfigError(f"{key} must have at least one name and no duplicates, not {value!r}", key)
    return found


def names_or_none(separator: str = ",") -> Parser[tuple[str, ...]]:
    """Parse names, possibly none."""

    def parse(key: str, value: object) -> tuple[str, ...]:
        if value in ("", (), []):
            return ()
        return names(key, value.split(separator) if isinstance(value, str) else value)

    return parse


def one_of(*choices: str) -> Parser[str]:
    """Parse one of these choices, which may include the empty text."""

    def parse(key: str, value: object) -> str:
        if value not in choices:
            known = ", ".join(filter(None, choices))
            or_empty = "empty or " if "" in choices else ""
            raise ConfigError(f"{key} must be {or_empty}one of {known}, not {value!r}", key)
        return str(value)

    return parse


def some_of(choices: Collection[str]) -> Parser[tuple[str, ...]]:
    """Parse some of these choices: at least one, without duplicates."""

    def parse(key: str, value: object) -> tuple[str, ...]:
        return tuple(one_of(*choices)(key, word) for word in names(key, value))

    return parse


def member_of(kind: type[_E]) -> Parser[_E]:
    """Parse a member of an enum, or its value, which is in lower case."""

    def parse(key: str, value: object) -> _E:
        try:
            return value if isinstance(value, kind) else kind(str(value).lower())
        except ValueError:
            known = ", ".join(str(member.value) for member in kind)
            raise ConfigError(f"{key} must be one of {known}, not {value!r}", key) from None

    return parse

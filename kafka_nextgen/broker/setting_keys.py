"""How a broker setting is read: one parser for each kind of value.

A setting is a field whose parser takes Kafka's name of it and the value, as what it is or as text, and raises
``ConfigError`` for what it can't be.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from attrs import field

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.secret import Secret

__all__ = [
    "INT32_MAX",
    "bool_key",
    "choice_key",
    "choices_key",
    "int_key",
    "list_key",
    "optional_list_key",
    "property_name",
    "secret_key",
    "text_key",
]

INT32_MAX: Final = 2**31 - 1


def property_name(field_name: str) -> str:
    """Kafka's name of a setting: the field's with dots."""
    return field_name.replace("_", ".")


def _integer(low: int, high: int) -> Callable[[str, object], int]:
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

    return parse


def _boolean(key: str, value: object) -> bool:
    text = str(value).strip().lower()
    if text not in ("true", "false"):
        raise ConfigError(f"{key} must be true or false, not {value!r}", key)
    return text == "true"


def _text_list(key: str, value: object) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        raise ConfigError(f"{key} must be a list of names separated by commas, not {value!r}", key)
    names = tuple(str(item).strip() for item in items)
    if not names or not all(names) or len(set(names)) != len(names):
        raise ConfigError(f"{key} must name at least one thing and none twice, not {value!r}", key)
    return names


def int_key(default: int, low: int = 1, high: int = INT32_MAX) -> int:
    """A whole number between ``low`` and ``high``."""
    number: int = field(default=default, metadata={"parse": _integer(low, high)})
    return number


def bool_key(default: bool) -> bool:
    """True or false."""
    flag: bool = field(default=default, metadata={"parse": _boolean})
    return flag


def list_key(default: tuple[str, ...]) -> tuple[str, ...]:
    """Names, at least one and none twice."""
    names: tuple[str, ...] = field(default=default, metadata={"parse": _text_list})
    return names


def text_key(default: str = "") -> str:
    """Any text."""
    text: str = field(default=default, metadata={"parse": _text})
    return text


def choice_key(default: str, choices: Collection[str]) -> str:
    """One of a few words."""
    word: str = field(default=default, metadata={"parse": _one_of(choices)})
    return word


def choices_key(default: tuple[str, ...], choices: Collection[str]) -> tuple[str, ...]:
    """Some of a few words, at least one and none twice."""
    words: tuple[str, ...] = field(default=default, metadata={"parse": _some_of(choices)})
    return words


def optional_list_key(separator: str = ",") -> tuple[str, ...]:
    """Names, or none at all."""
    names: tuple[str, ...] = field(default=(), metadata={"parse": _split_at(separator), "separator": separator})
    return names


def secret_key() -> Secret | None:
    """Text that is never shown; empty is none."""
    secret: Secret | None = field(default=None, metadata={"parse": _secret})
    return secret


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{key} must be text, not {value!r}", key)
    return value.strip()


def _one_of(choices: Collection[str]) -> Callable[[str, object], str]:
    def parse(key: str, value: object) -> str:
        if value not in choices:
            raise ConfigError(f"{key} must be one of {', '.join(filter(None, choices))}, not {value!r}", key)
        return str(value)

    return parse


def _some_of(choices: Collection[str]) -> Callable[[str, object], tuple[str, ...]]:
    def parse(key: str, value: object) -> tuple[str, ...]:
        return tuple(_one_of(choices)(key, word) for word in _text_list(key, value))

    return parse


def _split_at(separator: str) -> Callable[[str, object], tuple[str, ...]]:
    def parse(key: str, value: object) -> tuple[str, ...]:
        if value in ("", (), []):
            return ()
        return _text_list(key, value.split(separator) if isinstance(value, str) else value)

    return parse


def _secret(key: str, value: object) -> Secret | None:
    if not isinstance(value, (str, Secret)):
        raise ConfigError(f"{key} must be text", key)  # and what it is instead is not shown
    try:
        return Secret.of(value) if value != "" else None
    except ValueError as error:
        raise ConfigError(f"{key}: {error}", key) from None

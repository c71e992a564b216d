"""The types of configuration keys and values, and Kafka's messages about invalid values."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from math import inf

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.settings import Profile

__all__ = ["ConfigKey", "ConfigValue", "Kind", "Source", "Synonym"]


class Kind(IntEnum):
    """The type of a key's values, by Kafka's numbers."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    LONG = 5
    DOUBLE = 6
    LIST = 7
    PASSWORD = 9


class Source(IntEnum):
    """The source of a value, by Kafka's numbers (``ConfigSource``)."""

    TOPIC = 1
    BROKER = 2  # set on one broker while it ran
    ALL_BROKERS = 3  # set on all brokers while they ran
    AT_START = 4
    DEFAULT = 5
    GROUP = 8


_LARGEST = {Kind.INT: 2**31 - 1, Kind.LONG: 2**63 - 1, Kind.DOUBLE: inf}


@frozen
class ConfigKey:
    """A key and its valid values.

    Numbers lie between ``lowest`` and ``highest``, or equal ``also``. Texts and items of lists are one of ``choices``,
    if there are any. A list with a ``pattern`` matches that regular expression, and ``form`` says so in Kafka's words.

    A topic's key has a ``default``; a broker setting named ``broker_key`` replaces it, if there is one. Releases
    before ``since`` lack the key.
    """

    name: str
    kind: Kind
    default: str = ""
    broker_key: str = ""
    lowest: int | None = None
    choices: tuple[str, ...] = ()
    highest: int | None = None
    also: int | None = None
    pattern: str | None = None
    form: str = ""
    since: Profile = Profile.V4_0

    def complaint(self, value: str) -> str | None:
        """Return why the key can't have this value, in Kafka's words; None if it can."""
        match self.kind:
            case Kind.INT | Kind.LONG:
                wrong = self._number_complaint(value, int)
            case Kind.DOUBLE:
                wrong = self._number_complaint(value, float)
            case Kind.BOOLEAN:
                wrong = self._boolean_complaint(value)
            case _:
                wrong = self._text_complaint(value)
        if wrong is None:
            return None
        shown = f"[{', '.join(_items(value))}]" if self.pattern is not None else value
        return f"Invalid value {shown} for configuration {self.name}: {wrong}"

    def _number_complaint(self, value: str, read: Callable[[str], float]) -> str | None:
        try:
            number = None if "_" in value else read(value)  # Python reads 1_000 as a number, Java does not
        except ValueError:
            number = None
        largest = _LARGEST[self.kind]
        if number is None or number > largest or number < -largest - 1:
            return f"Not a number of type {self.kind.name}"
        return self._range_complaint(number)

    def _range_complaint(self, number: float) -> str | None:
        is_low = self.lowest is not None and number < self.lowest
        is_high = self.highest is not None and number > self.highest
        if number == self.also or not (is_low or is_high):
            return None
        if self.also is not None:
            return f"Value must be between {self.lowest} and {self.highest} or equal to {self.also}"
        return f"Value must be at least {self.lowest}" if is_low else f"Value must be no more than {self.highest}"

    def _boolean_complaint(self, value: str) -> str | None:
        return None if value.lower() in ("true", "false") else "Expected value to be either true or false"

    def _text_complaint(self, value: str) -> str | None:
        items = _items(value) if self.kind is Kind.LIST else [value]
        if self.choices and not set(items) <= set(self.choices):
            return f"String must be one of: {', '.join(self.choices)}"
        if self.pattern is not None and value and re.fullmatch(self.pattern, value) is None:
            return self.form
        return None


def _items(value: str) -> list[str]:
    return [item.strip() for item in value.split(",")] if value else []


@frozen
class Synonym:
    """A value of a key from one source; it is effective if no source above it has one."""

    name: str
    value: str | None
    source: Source


@frozen
class ConfigValue:
    """A key as it is described: the first of its synonyms is effective, and there is always one."""

    name: str
    kind: Kind
    synonyms: tuple[Synonym, ...]
    is_read_only: bool = False
    is_sensitive: bool = False

    @property
    def value(self) -> str | None:
        """The effective value; None if it is secret."""
        return self.synonyms[0].value

    @property
    def source(self) -> Source:
        """The source of the effective value."""
        return self.synonyms[0].source

"""What a configuration key can be set to, and what Kafka says of a value that is none."""

from __future__ import annotations

from enum import IntEnum

from attrs import frozen

__all__ = ["ConfigKey", "ConfigValue", "Kind", "Source", "Synonym"]


class Kind(IntEnum):
    """The type of a key's values, by Kafka's numbers."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    LONG = 5
    LIST = 7
    PASSWORD = 9


class Source(IntEnum):
    """Where a value is from, by Kafka's numbers."""

    TOPIC = 1
    BROKER = 2  # given to one broker while it ran
    ALL_BROKERS = 3  # given to all of them while they ran
    AT_START = 4
    DEFAULT = 5
    GROUP = 8


_LARGEST = {Kind.INT: 2**31 - 1, Kind.LONG: 2**63 - 1}


@frozen
class ConfigKey:
    """A key by its name. Numbers are at least ``lowest``, and texts one of ``choices``, if there are any."""

    name: str
    kind: Kind
    lowest: int | None = None
    choices: tuple[str, ...] = ()

    def complaint(self, value: str) -> str | None:
        """Say why the key can't have this value, in Kafka's words; None if it can."""
        wrong = self._number_complaint(value) if self.kind in _LARGEST else self._choice_complaint(value)
        return None if wrong is None else f"Invalid value {value} for configuration {self.name}: {wrong}"

    def _number_complaint(self, value: str) -> str | None:
        try:
            number = int(value)
        except ValueError:
            number = None
        largest = _LARGEST[self.kind]
        if number is None or not -largest - 1 <= number <= largest:
            return f"Not a number of type {self.kind.name}"
        if self.lowest is not None and number < self.lowest:
            return f"Value must be at least {self.lowest}"
        return None

    def _choice_complaint(self, value: str) -> str | None:
        items = [value] if self.kind is not Kind.LIST else [item for item in value.split(",") if item]
        if self.choices and not set(items) <= set(self.choices):
            return f"String must be one of: {', '.join(self.choices)}"
        return None


@frozen
class Synonym:
    """A value that would count if nothing above it did."""

    name: str
    value: str | None
    source: Source


@frozen
class ConfigValue:
    """A key as it is described: what counts is the first of its synonyms, of which there is always one."""

    name: str
    kind: Kind
    synonyms: tuple[Synonym, ...]
    is_read_only: bool = False
    is_sensitive: bool = False

    @property
    def value(self) -> str | None:
        """The value that counts; None if nobody may see it."""
        return self.synonyms[0].value

    @property
    def source(self) -> Source:
        """Where that is from."""
        return self.synonyms[0].source

"""How the text of one option is read. Every error is a ``ConfigError`` that names the option and shows what is wanted.

Numbers and truth values are read as the built-in source reads them: Scala's ``toInt``, ``toLong`` and ``toBoolean``.
Times are Spark's time strings (``JavaUtils.timeStringAs``): ``500ms``, ``30s``, ``15m``; without a unit milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Final, TypeVar

from attrs import frozen

from kafka_nextgen.errors import ConfigError

__all__ = ["INT64_MAX", "OptionValues", "read_boolean", "read_milliseconds", "read_number", "read_word"]

INT64_MAX: Final = 2**63 - 1

_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,20}")
_E = TypeVar("_E", bound=Enum)
_TIME: Final = re.compile(r"(-?[0-9]{1,20})([a-z]+)?")
_MICROSECONDS: Final = {
    "us": 1,
    "ms": 1_000,
    "s": 1_000_000,
    "m": 60_000_000,
    "min": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
}


def read_boolean(option: str, text: str) -> bool:
    """Read true or false, in any case."""
    return read_word(option, text, ("true", "false")) == "true"


def read_word(option: str, text: str, words: tuple[str, ...]) -> str:
    """Read one of some words, in any case; the word in lower case."""
    word = text.strip().lower()
    if word not in words:
        raise ConfigError(f"{option} must be {' or '.join(words)}, not {text!r}", option)
    return word


def read_number(option: str, text: str, least: int, greatest: int = INT64_MAX) -> int:
    """Read a whole number within bounds, both included."""
    found = _NUMBER.fullmatch(text.strip())
    if found is None or not least <= int(found[0]) <= greatest:
        raise ConfigError(f"{option} must be a whole number from {least} to {greatest}, not {text!r}", option)
    return int(found[0])


def read_milliseconds(option: str, text: str) -> int:
    """Read a time as milliseconds, rounded down; it is not negative."""
    found = _TIME.fullmatch(text.strip().lower())
    unit = _MICROSECONDS.get(found[2] or "ms") if found is not None else None
    if found is None or unit is None or found[1].startswith("-") or int(found[1]) > INT64_MAX:
        raise ConfigError(f"{option} must be a time with a unit of {', '.join(_MICROSECONDS)}, not {text!r}", option)
    return int(found[1]) * unit // 1_000


@frozen
class OptionValues:
    """The values of a query's options by name in lower case, each read on demand. Raises ``ConfigError``."""

    given: Mapping[str, str]

    def number(self, option: str, default: int, least: int, greatest: int) -> int:
        """A whole number within bounds, both included."""
        text = self._text(option)
        return default if text is None else read_number(option, text, least, greatest)

    def limit(self, option: str, greatest: int = INT64_MAX) -> int | None:
        """A number from 1 up; None, which is no limit, by default."""
        text = self._text(option)
        return None if text is None else read_number(option, text, 1, greatest)

    def minimum(self, option: str) -> int | None:
        """A number that from 0 down is none, as for the built-in source."""
        text = self._text(option)
        number = 0 if text is None else read_number(option, text, -INT64_MAX - 1)
        return number if number > 0 else None

    def milliseconds(self, option: str, default: int) -> int:
        """A time."""
        text = self._text(option)
        return default if text is None else read_milliseconds(option, text)

    def boolean(self, option: str, *, default: bool) -> bool:
        """True or false."""
        text = self._text(option)
        return default if text is None else read_boolean(option, text)

    def member(self, option: str, default: _E) -> _E:
        """The member of an enum that a word stands for."""
        text, members = self._text(option), type(default)
        return default if text is None else members(read_word(option, text, tuple(one.value for one in members)))

    def _text(self, option: str) -> str | None:
        return self.given.get(option.lower())

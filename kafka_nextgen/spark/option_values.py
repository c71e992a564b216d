"""Read the options of a query, whose names are case-insensitive, as numbers, times, words or booleans.

Numbers and booleans are read as in the built-in source: like Scala's ``toInt``, ``toLong`` and ``toBoolean``. Times are
Spark's time strings (``JavaUtils.timeStringAs``): ``500ms``, ``30s``, ``15m``; numbers without a unit are milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, TypeVar

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern

__all__ = ["INT64_MAX", "OptionValues"]

INT64_MAX: Final = 2**63 - 1

_E = TypeVar("_E", bound=Enum)
_NUMBER: Final = lazy_pattern(r"[+-]?[0-9]{1,20}")
_TIME: Final = lazy_pattern(r"(-?[0-9]{1,20})([a-z]+)?")
_MICROSECONDS: Final = {
    "us": 1,
    "ms": 1_000,
    "s": 1_000_000,
    "m": 60_000_000,
    "min": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
}


@frozen
class OptionValues:
    """Options as text by names in lower case. The methods raise ``ConfigError``, which names the option."""

    given: Mapping[str, str]

    def text(self, option: str) -> str | None:
        """Return the text of an option without surrounding spaces; None if it is not given."""
        text = self.given.get(option.lower())
        return None if text is None else text.strip()

    def __contains__(self, option: str) -> bool:
        return option.lower() in self.given

    def number(self, option: str, default: int, least: int, greatest: int = INT64_MAX) -> int:
        """Return a whole number within inclusive bounds."""
        number = self.optional_number(option, least, greatest)
        return default if number is None else number

    def optional_number(self, option: str, least: int, greatest: int = INT64_MAX) -> int | None:
        """Return a whole number within inclusive bounds; None if it is not given."""
        text = self.text(option)
        if text is None:
            return None
        if not _NUMBER.fullmatch(text) or not least <= int(text) <= greatest:
            raise _wrong(option, f"a whole number from {least} to {greatest}", text)
        return int(text)

    def milliseconds(self, option: str, default: int) -> int:
        """Return a time in milliseconds, rounded down and not negative."""
        text = self.text(option)
        if text is None:
            return default
        found = _TIME.fullmatch(text.lower())
        unit = _MICROSECONDS.get(found[2] or "ms") if found is not None else None
        if found is None or unit is None or not 0 <= int(found[1]) <= INT64_MAX:
            raise _wrong(option, f"a time with a unit of {', '.join(_MICROSECONDS)}", text)
        return int(found[1]) * unit // 1_000

    def boolean(self, option: str, *, default: bool) -> bool:
        """Return a boolean, ignoring case."""
        return self.word(option, ("true", "false"), str(default).lower()) == "true"

    def member(self, option: str, default: _E) -> _E:
        """Return the member of an enum with this value, ignoring case."""
        members = type(default)
        return members(self.word(option, tuple(one.value for one in members), default.value))

    def word(self, option: str, words: tuple[str, ...], default: str) -> str:
        """Return one of these words in lower case, ignoring case."""
        text = self.text(option)
        word = default if text is None else text.lower()
        if word not in words:
            raise _wrong(option, " or ".join(words), text)
        return word


def _wrong(option: str, wanted: str, text: str | None) -> ConfigError:
    return ConfigError(f"{option} must be {wanted}, not {text!r}", option)

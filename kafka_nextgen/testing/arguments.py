"""Checks of the types of a test's arguments.

Without them a wrong one would be noticed late, by an error of the inside, or never: a topic that is a list has no
records, and a node ``"1"`` meets no fault. Each function returns the argument, or raises TypeError.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real

__all__ = ["flag", "mapping", "number", "seconds", "text", "texts", "whole_number"]


def text(what: str, given: object) -> str:
    """Text."""
    if not isinstance(given, str):
        raise _wrong(f"a {what} is text", given)
    return given


def texts(what: str, given: object) -> Iterable[str]:
    """An iterable of text, but not text."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise _wrong(f"{what} is a list of text", given)
    return [text(f"member of {what}", each) for each in given]


def mapping(what: str, given: object) -> Mapping[str, object]:
    """A mapping whose keys are text."""
    if not isinstance(given, Mapping):
        raise _wrong(f"{what} is a mapping", given)
    for name in given:
        text(f"key of {what}", name)
    return given


def whole_number(what: str, given: object) -> int:
    """An int, but not a bool."""
    if not isinstance(given, int) or isinstance(given, bool):
        raise TypeError(f"{what} is a whole number, not {given!r}")
    return given


def number(what: str, given: object) -> float:
    """An int or float, but not a bool."""
    if not isinstance(given, Real) or isinstance(given, bool):
        raise TypeError(f"{what} is a number, not {given!r}")
    return float(given)


def seconds(what: str, given: object) -> float:
    """A number of seconds. Raises ValueError if it is negative or NaN."""
    if not isinstance(given, Real) or isinstance(given, bool):
        raise TypeError(f"{what} is a number of seconds, not {given!r}")
    if not float(given) >= 0:
        raise ValueError(f"{what} is 0 seconds or more, not {given}")
    return float(given)


def flag(what: str, given: object) -> bool:
    """True or False."""
    if not isinstance(given, bool):
        raise TypeError(f"{what} is True or False, not {given!r}")
    return given


def _wrong(rule: str, given: object) -> TypeError:
    return TypeError(f"{rule}, not a {type(given).__name__}")

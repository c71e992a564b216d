"""Escapes of Java regular expressions that are refused, and what to write instead."""

from __future__ import annotations

from typing import Final

from kafka_nextgen.errors import ConfigError

__all__ = ["refusal", "why_refused"]

_REFUSED_ESCAPES: Final = {
    "p": r"\p{...}: write the characters, as in [a-z]",
    "P": r"\P{...}: write the characters, as in [^a-z]",
    "h": r"\h: a topic's name has no white space",
    "H": r"\H: a topic's name has no white space, so write a dot",
    "v": r"\v: a topic's name has no white space",
    "V": r"\V: a topic's name has no white space, so write a dot",
    "R": r"\R: a topic's name has no line break",
    "X": r"\X: write a dot",
    "G": r"\G: write ^",
    "k": r"a back-reference (\k)",
    "N": r"\N{...}: write the character",
    "c": r"\c: a topic's name has no control characters",
}
_INSTEAD: Final = (
    "Write the pattern without it, name the topics with subscribe, or set patternSyntax=re2 and write it in RE2, which "
    "is matched against whole names"
)


def refusal(pattern: str, construct: str) -> ConfigError:
    """The error about a construct of a pattern."""
    return ConfigError(f"subscribePattern {pattern!r} has {construct}. {_INSTEAD}.", "subscribePattern")


def why_refused(kind: str) -> str:
    """What is wrong with a backslash before a character, or at the end of a pattern."""
    if not kind:
        return "a backslash at its end"
    if kind.isdigit():
        return rf"a back-reference (\{kind})"
    return _REFUSED_ESCAPES.get(kind, rf"\{kind}, which stands for no character")

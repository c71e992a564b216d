"""Translate the Java regular expressions of ``subscribePattern`` for Python's ``re``.

The translated pattern finds the same topics. Constructs without a translation are refused: a pattern with a different
meaning would silently omit topics.

Three facts keep the translation small:

* Spark's built-in source *searches*: it subscribes to a topic if the pattern matches anywhere in its name
  (``SubscribePatternStrategy.assignedTopicPartitions`` in ``ConsumerStrategy.scala`` calls ``findFirstIn``), so
  ``orders`` also matches ``orders-eu``. ``^orders$`` matches only ``orders``.
* It only matters whether there is a match, not where it is, and captured text is not used.
* A topic's name is 1 to 249 of the characters ``a-z A-Z 0-9 . _ -``. It has no line terminators, so ``$``, ``\\Z`` and
  ``\\z`` are the same, ``.`` matches every character, and the flags ``d``, ``m`` and ``s`` change nothing. It is ASCII,
  so Java's ``\\w``, ``\\d``, ``\\s`` and ``\\b`` are Python's with ``re.ASCII``, and so is ``(?i)``.

===================================  ==================================================================
construct                            translation
===================================  ==================================================================
``\\Q...\\E``                          each character escaped, before anything else is read (as in Java)
``(?<name>``                         ``(?P<name>``
``(?i)`` at the beginning, or        ``re.IGNORECASE``; refused elsewhere, but ``(?i:...)`` is kept
after a first ``^``
``\\0n``, ``\\xhh``, ``\\uhhhh``, ``\\e``  the character
``*+``, ``(?>...)``                  kept from Python 3.11.5 on; older versions match them differently
``[...]``                            read character by character; ``[`` within and ``&&`` are refused
``\\p{..}``, ``\\h``, ``\\v``, ``\\R``      refused: Python does not have them, or gives them another meaning
``\\1``, ``\\k<name>``                 refused: the two engines restore groups differently
===================================  ==================================================================
"""

from __future__ import annotations

import re
import sys
from typing import Final, NoReturn

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_patterns import lazy_pattern

__all__ = ["compile_java_pattern"]

#: Python 3.11 introduced possessive quantifiers and atomic groups; until 3.11.5 they could miss matches (gh-106052).
_HAS_POSSESSIVE: Final = sys.version_info >= (3, 11, 5)

_QUOTATION_OR_ESCAPE: Final = lazy_pattern(r"\\Q(.*?)(?:\\E|\Z)|\\.", re.DOTALL)
_QUANTIFIER: Final = lazy_pattern(r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})[+?]?")
_NAMED_GROUP: Final = lazy_pattern(r"\(\?<([a-zA-Z][a-zA-Z0-9]*)>")
_FLAGS: Final = lazy_pattern(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])")
_ANCHOR_BEFORE_FLAGS: Final = lazy_pattern(r"\^\(\?[a-zA-Z-]*\)")

#: Escapes by number: their digits and the base.
_NUMBERED: Final = {
    "0": (lazy_pattern(r"[0-3][0-7]{2}|[0-7]{1,2}"), 8),
    "x": (lazy_pattern(r"[0-9a-fA-F]{2}"), 16),
    "u": (lazy_pattern(r"[0-9a-fA-F]{4}"), 16),
}

#: Beginnings of groups that mean the same in both languages; longer ones first.
_SAME_GROUPS: Final = ("(?<=", "(?<!", "(?:", "(?=", "(?!")
_SAME_ESCAPES: Final = frozenset("dDsSwWbBA")
_SAME_CLASSES: Final = frozenset("dDsSwW")
_ENDS: Final = frozenset("zZ")
_METACHARACTERS: Final = frozenset(".^$|)")
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}

#: Flags that change nothing for topic names.
_FLAGS_WITHOUT_EFFECT: Final = frozenset("dms")

#: Refused escapes, and what to write instead.
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


def compile_java_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a Java regular expression for ``search`` in topic names.

    Arguments:
        pattern: a pattern for ``java.util.regex.Pattern.compile`` without additional flags.

    Raises ``ConfigError`` for constructs that Java refuses or Python would match differently.
    """
    translation = _Translation(pattern)
    translated = translation.whole()
    try:
        return re.compile(translated, translation.flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigError(f"subscribePattern {pattern!r} can't be used: {error}", "subscribePattern") from None


class _Translation:
    """The translation of one pattern: the text without quotations, and the position in it."""

    def __init__(self, pattern: str) -> None:
        self.flags = re.ASCII
        self._pattern = pattern
        self._text = _without_quotations(pattern)
        self._at = 0

    def whole(self) -> str:
        """Return the pattern in Python's syntax."""
        parts = [self._take(1)] if _ANCHOR_BEFORE_FLAGS.match(self._text) else []
        self._leading_flags()
        while self._at < len(self._text):
            parts.append(self._next())
        return "".join(parts)

    def _next(self) -> str:
        char = self._text[self._at]
        if char == "\\":
            return self._escape()
        if char == "[":
            return self._class()
        if char == "(":
            return self._group()
        if char in "*+?{":
            return self._quantifier()
        self._at += 1
        return char if char in _METACHARACTERS else re.escape(char)

    def _leading_flags(self) -> None:
        """Read flags at the beginning, which apply to the whole pattern; later ones to the rest of their group."""
        while (found := _FLAGS.match(self._text, self._at)) and found[3] == ")":
            on, off = self._checked(found)
            self.flags = self.flags | re.IGNORECASE if "i" in on else self.flags
            self.flags = self.flags & ~re.IGNORECASE if "i" in off else self.flags
            self._at = found.end()

    def _checked(self, flags: re.Match[str]) -> tuple[str, str]:
        on, off = flags[1], flags[2] or ""
        others = sorted(set(on + off) - _FLAGS_WITHOUT_EFFECT - {"i"})
        if others:
            self._refuse(f"the flag {others[0]} of {flags[0]}")
        return on, off

    def _group(self) -> str:
        for beginning in _SAME_GROUPS:
            if self._text.startswith(beginning, self._at):
                return self._take(len(beginning))
        if self._text.startswith("(?>", self._at):
            self._demand_possessive("an atomic group, (?>...)")
            return self._take(3)
        if named := _NAMED_GROUP.match(self._text, self._at):
            self._at = named.end()
            return f"(?P<{named[1]}>"
        return self._group_with_flags() if self._text.startswith("(?", self._at) else self._take(1)

    def _group_with_flags(self) -> str:
        found = _FLAGS.match(self._text, self._at)
        if found is None:
            self._refuse(f"a group that begins with {self._text[self._at : self._at + 3]}, which Java does not have")
        if found[3] == ")":
            self._refuse(f"{found[0]} after the beginning: write (?i:...) around the part that it applies to")
        on, off = self._checked(found)
        self._at = found.end()
        if "i" in off:
            return "(?-i:"
        return "(?i:" if "i" in on else "(?:"

    def _quantifier(self) -> str:
        found = _QUANTIFIER.match(self._text, self._at)
        if found is None:
            self._refuse(r"{ without a number of repetitions: write \{ for a literal brace")
        if len(found[0]) > 1 and found[0].endswith("+"):
            self._demand_possessive(f"a possessive quantifier, {found[0]}")
        self._at = found.end()
        return found[0]

    def _escape(self) -> str:
        if self._following() in _SAME_ESCAPES:
            return self._take(2)
        if self._following() in _ENDS:
            self._at += 2
            return r"\Z"
        return re.escape(self._character())

    def _class(self) -> str:
        begin = self._take(2) if self._text.startswith("[^", self._at) else self._take(1)
        if self._text.startswith("]", self._at):
            self._refuse(rf"{begin}]: write \] for a literal bracket")
        members = []
        while not self._text.startswith("]", self._at):
            members.append(self._member())
        self._at += 1
        return f"{begin}{''.join(members)}]"

    def _member(self) -> str:
        if self._text.startswith("\\", self._at) and self._following() in _SAME_CLASSES:
            return self._take(2)
        first = self._single()
        if not self._text.startswith("-", self._at) or self._following() in ("", "]"):
            return re.escape(first)
        self._at += 1
        last = self._single()
        if last < first:
            self._refuse(f"the range {first}-{last}, whose end is before its beginning")
        return f"{re.escape(first)}-{re.escape(last)}"

    def _single(self) -> str:
        """Read one character, a member of a class or an end of a range."""
        if self._at >= len(self._text):
            self._refuse("a class that is not closed")
        if self._text[self._at] == "[":
            self._refuse(r"a class within a class: write \[ for a literal bracket")
        if self._text.startswith("&&", self._at):
            self._refuse("an intersection of classes, &&")
        return self._character() if self._text[self._at] == "\\" else self._take(1)

    def _character(self) -> str:
        """Read an escape, and return the character that it represents."""
        kind = self._following()
        self._at += 2
        if kind in _CONTROLS:
            return _CONTROLS[kind]
        if kind in _NUMBERED:
            return self._numbered(*_NUMBERED[kind])
        if not kind or (kind.isascii() and kind.isalnum()):
            self._refuse(_why_refused(kind))
        return kind

    def _numbered(self, digits: re.Pattern[str], base: int) -> str:
        found = digits.match(self._text, self._at)
        if found is None:
            self._refuse("a numeric escape without digits")
        self._at = found.end()
        return chr(int(found[0], base))

    def _demand_possessive(self, construct: str) -> None:
        if not _HAS_POSSESSIVE:
            self._refuse(f"{construct}, which Python matches correctly from 3.11.5 on")

    def _following(self) -> str:
        """Return the character after this one; empty at the end."""
        return self._text[self._at + 1 : self._at + 2]

    def _take(self, count: int) -> str:
        self._at += count
        return self._text[self._at - count : self._at]

    def _refuse(self, construct: str) -> NoReturn:
        raise ConfigError(f"subscribePattern {self._pattern!r} has {construct}. {_INSTEAD}.", "subscribePattern")


def _without_quotations(pattern: str) -> str:
    """Replace quotations with escapes, as Java does before it reads the rest (``Pattern.RemoveQEQuoting``).

    So a quantifier after a quotation applies to its last character, and a class may contain a quotation.
    """
    return _QUOTATION_OR_ESCAPE.sub(lambda found: found[0] if found[1] is None else _quoted(found[1]), pattern)


def _quoted(text: str) -> str:
    """Escape a quotation; a leading digit is escaped by its code, so that it does not continue a preceding number."""
    escaped = "".join(f"\\{char}" if char.isascii() and not char.isalnum() else char for char in text)
    return rf"\x3{escaped}" if escaped[:1].isascii() and escaped[:1].isdigit() else escaped


def _why_refused(kind: str) -> str:
    """Return why a backslash is invalid before this character, or at the end of a pattern."""
    if not kind:
        return "a backslash at its end"
    if kind.isdigit():
        return rf"a back-reference (\{kind})"
    return _REFUSED_ESCAPES.get(kind, rf"\{kind}, which does not represent a character")

"""Parse ``sasl.jaas.config``: one login module with its options.

::

    org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="secret";

Tokens are the same as in Java's ``StreamTokenizer`` as Kafka's ``JaasConfig`` configures it:

* Characters up to U+0020 (space) separate tokens.
* A word begins with a letter, ``_`` or ``$``, and continues with these, digits, ``.`` and ``-``. Every other character
  is a token, so a value that begins with a digit needs quotes.
* ``/`` begins a comment, even inside a word. The comment ends with the line, or at ``*/`` if it began with ``/*``. So a
  password with a slash needs quotes.
* Double or single quotes enclose a value on one line. In it, ``\\a \\b \\f \\n \\r \\t \\v`` and a backslash with up to
  three octal digits represent one character. A backslash before any other character is dropped.

Values become ``Secret``. Errors show no part of the text except the names of known options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from attrs import field

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.properties.secret import Secret

__all__ = ["KEY", "LoginModule", "parse_jaas"]

KEY: Final = "sasl.jaas.config"

_SKIPPED: Final = lazy_pattern(r"(?:[\x00-\x20]+|/\*.*?(?:\*/|\Z)|/[^\r\n]*)+", re.DOTALL)
_WORD: Final = lazy_pattern(r"[A-Za-z_$\xa0-\U0010ffff][A-Za-z0-9_$.\xa0-\U0010ffff-]*")
_QUOTED: Final = lazy_pattern(r"""(["'])((?:\\.|(?!\1)[^\\\r\n])*)\1""", re.DOTALL)
_ESCAPE: Final = lazy_pattern(r"\\([0-3][0-7]{2}|[0-7]{1,2}|.)", re.DOTALL)
_LETTERS: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_FLAGS: Final = frozenset({"required", "requisite", "sufficient", "optional"})
_FORM: Final = 'a login module, required, options with quoted values, and a semicolon: ... required name="value";'

#: Names of options that an error may show.
_KNOWN: Final = frozenset(
    {"clientId", "clientSecret", "keyTab", "password", "principal", "scope", "serviceName", "tokenauth", "username"}
)


@frozen
class LoginModule:
    """A login module: the ``name`` of its class without the package, and its ``options`` by name."""

    name: str
    options: Mapping[str, Secret] = field(repr=False)

    def text(self, option: str) -> str | None:
        """Return the revealed value of an option; None if it is not set."""
        value = self.options.get(option)
        return None if value is None else value.reveal()


def parse_jaas(text: str, key: str = KEY) -> LoginModule:
    """Parse the value of ``sasl.jaas.config``.

    Arguments:
        key: the name of the key in errors.

    Raises ``ConfigError`` if it is not one login module with a control flag, options and a semicolon.
    """
    try:
        return _parsed(text)
    except _MalformedError as error:
        raise ConfigError(f"{key} can't be read: {error}. The form is {_FORM}", key) from None


class _MalformedError(ValueError):
    """The text is not one login module. The message does not show values."""


def _parsed(text: str) -> LoginModule:
    tokens = list(_tokens(text))
    if not tokens:
        raise _MalformedError("it names no login module")
    entries = _split(tokens)
    if len(entries) > 1:
        raise _MalformedError(f"it has {len(entries)} login modules, but Kafka accepts only one")
    return _module(entries[0])


@frozen
class _Token:
    """A word, a quoted value, or a single character, which has no ``value``."""

    sign: str
    value: str | None = field(default=None, repr=False)


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        if found := _SKIPPED.match(text, at):
            pass
        elif found := _QUOTED.match(text, at):
            yield _Token("value", _ESCAPE.sub(_unescaped, found[2]))
        elif found := _WORD.match(text, at):
            yield _Token("value", found[0])
        elif text[at] in "\"'":
            raise _MalformedError("a quote is opened but not closed on the same line")
        else:
            yield _Token(text[at])
        at = found.end() if found else at + 1


def _unescaped(escape: re.Match[str]) -> str:
    said = escape[1]
    return chr(int(said, 8)) if said.isascii() and said.isdigit() and said < "8" else _LETTERS.get(said, said)


def _split(tokens: list[_Token]) -> list[list[_Token]]:
    """Return the tokens of each entry, without its semicolon."""
    entries: list[list[_Token]] = [[]]
    for token in tokens:
        if token.sign == ";":
            entries.append([])
        else:
            entries[-1].append(token)
    if entries.pop():
        raise _MalformedError("it does not end with a semicolon")
    return entries


def _module(entry: list[_Token]) -> LoginModule:
    if len(entry) < 2 or entry[0].value is None:
        raise _MalformedError("it must begin with a login module and a control flag, such as required")
    if (entry[1].value or "").lower() not in _FLAGS:
        raise _MalformedError("required, requisite, sufficient or optional must follow the login module")
    options: dict[str, Secret] = {}
    for at in range(2, len(entry), 3):
        name, value = _option(entry[at : at + 3])
        options[name] = Secret(value)  # the last value wins, as in Java
    return LoginModule(entry[0].value.rpartition(".")[2], options)


def _option(tokens: list[_Token]) -> tuple[str, str]:
    name = tokens[0].value
    if len(tokens) < 3 or name is None or tokens[1].sign != "=" or tokens[2].value is None:
        shown = f"the option {name}" if name in _KNOWN else "an option"
        raise _MalformedError(f"{shown} has no value")
    return name, tokens[2].value

"""Read the text of a ``.properties`` file as Java's ``Properties.load`` does.

===================================  ====================================================================
in the file                          what it is
===================================  ====================================================================
``#`` or ``!`` beginning a line      a comment; it is never continued
a backslash before the line's end    the line is continued; whitespace at the start of the next line is skipped
``=``, ``:`` or a blank              ends a key, unless a backslash precedes it
``\\t``, ``\\n``, ``\\r``, ``\\f``       the control character
``\\uXXXX``                           a UTF-16 code unit; a surrogate pair is one character
a backslash before any other         that character
===================================  ====================================================================

There are two differences. A file is UTF-8, whereas Java expects Latin-1; a file with only ASCII and ``\\uXXXX`` reads
the same in both. A key that is given twice with different values is an error, whereas Java uses the last one. Blanks
around a value are ignored, as in Kafka's ``ConfigDef``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.text import is_utf_8

__all__ = ["lines_of_properties", "parse_properties", "read_properties_file", "text_of_file"]

_BLANKS: Final = " \t\f"
_LINE_ENDS: Final = lazy_pattern(r"\r\n|\r|\n")
_KEY: Final = lazy_pattern(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR: Final = lazy_pattern(r"[ \t\f]*[=:]?[ \t\f]*")
_ESCAPE: Final = lazy_pattern(r"\\(u[0-9a-fA-F]{4}|.|\Z)", re.DOTALL)
_LETTERS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def read_properties_file(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read a file. Raises ``ConfigError`` with its name; it never shows a value."""
    return parse_properties(text_of_file(path), os.fspath(path))


def text_of_file(path: str | os.PathLike[str]) -> str:
    """Return the text of a file. Raises ``ConfigError`` if it can't be read, or is not UTF-8."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise ConfigError(f"{os.fspath(path)} can't be read: {reason}") from None
    if not is_utf_8(data):  # Python's own error would contain the whole file
        raise ConfigError(f"{os.fspath(path)} is not UTF-8: convert it, or write other characters as \\uXXXX")
    return data.decode()


def parse_properties(text: str, source: str = "the properties") -> dict[str, str]:
    """Parse the text of a file.

    Arguments:
        source: the origin of the text, for errors.

    Raises ``ConfigError`` for a malformed ``\\uXXXX``, for a line without a key, and for a key with two values.
    """
    found: dict[str, str] = {}
    for _, key, value in lines_of_properties(text, source):
        if found.setdefault(key, value) != value:
            raise ConfigError(f"{source}: {key} is given twice, with different values: remove one", key)
    return found


def lines_of_properties(text: str, source: str) -> Iterator[tuple[int, str, str]]:
    """Yield the number of each line with a key, the key, and its value. Raises ``ConfigError`` for malformed lines."""
    for number, line in _logical_lines(text.removeprefix("\ufeff")):
        end = _KEY.match(line).end()  # type: ignore[union-attr]  # it matches the empty string too
        key = _unescaped(line[:end], source, number)
        if not key:
            raise ConfigError(f"{source}: line {number} has no key before its separator")
        value = _unescaped(line[_SEPARATOR.match(line, end).end() :], source, number)  # type: ignore[union-attr]
        yield number, key, value.strip()


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers and continuations, but without comments and blank lines."""
    lines = enumerate(_LINE_ENDS.split(text), 1)
    for number, natural in lines:
        line = natural.lstrip(_BLANKS)
        if not line or line == "\\" or line[0] in "#!":  # a lone backslash continues nothing
            continue
        while _is_continued(line):
            line = line[:-1] + next(lines, (0, ""))[1].lstrip(_BLANKS)
        yield number, line


def _is_continued(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _unescaped(text: str, source: str, number: int) -> str:
    def character(escape: re.Match[str]) -> str:
        said = escape[1]
        if said == "u":
            raise ConfigError(f"{source}: line {number} has \\u without four hexadecimal digits")
        return chr(int(said[1:], 16)) if len(said) > 1 else _LETTERS.get(said, said)

    replaced = _ESCAPE.sub(character, text)
    return replaced.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

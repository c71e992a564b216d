"""Checks of text, and text for logs and errors.

Peers choose names of hosts, clients and topics. A newline in one of them would forge a line of a log, and a terminal
would execute an escape sequence.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "MOST_SHOWN",
    "can_be_sent",
    "describe_error",
    "is_utf_8",
    "java_length",
    "nearest",
    "printable",
    "with_nearest",
]

#: The length of the longest message that is shown whole.
MOST_SHOWN = 8_000


def can_be_sent(text: str) -> bool:
    """Whether UTF-8 can encode the text. It can't encode lone surrogates, as ``os.environ`` has for Latin-1 bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_utf_8(data: bytes) -> bool:
    """Whether the bytes are valid UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def java_length(text: str) -> int:
    """The length of ``text`` as Java counts it, and so Kafka's limits: in UTF-16 units, two for an emoji."""
    return len(text) + sum(character > "\uffff" for character in text)


def printable(text: str, most: int = MOST_SHOWN) -> str:
    """The text on one line, at most ``most`` characters of it, with escapes for unprintable ones."""
    if len(text) > most:
        return f"{printable(text[:most])}... ({len(text)} characters)"
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def describe_error(error: BaseException) -> str:
    """The class and the message of an exception, without the values that its ``repr`` would show."""
    message = str(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def nearest(written: str, known: Iterable[str], alike: float = 0.8) -> str | None:
    """The known name that is most similar to ``written``; None if none has a similarity of ``alike`` (0 to 1)."""
    import difflib  # slow to load, and only needed for errors

    found = difflib.get_close_matches(written, known, n=1, cutoff=alike)
    return found[0] if found else None


def with_nearest(written: str, meant: str | None) -> str:
    """An unknown name, followed by the known name that may be meant."""
    return f"{written} (the nearest is {meant})" if meant else written

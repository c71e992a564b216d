"""Text from elsewhere: whether it can be sent, and how it is shown.

Names of hosts, clients and topics are what a peer says they are. In a log or on a terminal a newline in one of them
would forge a line, and an escape sequence would be obeyed.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["MOST_SHOWN", "can_be_sent", "is_utf_8", "nearest", "printable", "told", "with_nearest"]

#: No message is shown with more characters.
MOST_SHOWN = 8_000


def can_be_sent(text: str) -> bool:
    """Whether UTF-8 has it: a lone surrogate, as ``os.environ`` makes of bytes in Latin-1, it has not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_utf_8(data: bytes) -> bool:
    """Whether this is text in UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def printable(text: str, most: int = MOST_SHOWN) -> str:
    """The text on one line, with escapes for what is not printable, and at most ``most`` of its characters."""
    if len(text) > most:
        return f"{printable(text[:most])}... ({len(text)} characters)"
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def told(error: BaseException) -> str:
    """An exception that was not foreseen: its kind and its words, without the values that a ``repr`` would show."""
    words = str(error)
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def nearest(written: str, known: Iterable[str], alike: float = 0.8) -> str | None:
    """The known name that may have been meant: one at least so much ``alike``, of 1; None if there is none."""
    import difflib  # for a misspelt name only

    found = difflib.get_close_matches(written, known, n=1, cutoff=alike)
    return found[0] if found else None


def with_nearest(written: str, meant: str | None) -> str:
    """An unknown name, with the one that may have been meant."""
    return f"{written} (the nearest is {meant})" if meant else written

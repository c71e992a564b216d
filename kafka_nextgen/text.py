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
    "edit_distance",
    "is_utf_8",
    "java_length",
    "misspelled",
    "nearest",
    "printable",
    "with_nearest",
]

#: The maximum length of a message that is shown in full.
MOST_SHOWN = 8_000


def can_be_sent(text: str) -> bool:
    """Whether UTF-8 can encode the text. It can't encode lone surrogates, used in ``os.environ`` for Latin-1 bytes."""
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
    """The length of ``text`` in Java, and therefore in Kafka's limits: UTF-16 units, two for an emoji."""
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
    import difflib  # slow to import, and only needed for errors

    found = difflib.get_close_matches(written, known, n=1, cutoff=alike)
    return found[0] if found else None


def with_nearest(written: str, meant: str | None) -> str:
    """An unknown name, followed by the known name that was probably meant."""
    return f"{written} (did you mean {meant}?)" if meant else written


def misspelled(written: str, known: Iterable[str]) -> str | None:
    """The known name that ``written`` misspells; None if there is none, or if several are equally likely.

    Names are words separated by dots. At most one letter in three of a misspelled word is wrong, so
    ``fetch.min.wait.ms`` is not ``fetch.max.wait.ms``; words may be in a different order, and dots may be missing.
    """
    found: dict[str, int] = {}
    for name in known:
        edits = _edits_between(written, name)
        if edits is not None:
            found[name] = edits
    best = [name for name in found if found[name] == min(found.values())]
    return best[0] if len(best) == 1 else None


def _edits_between(written: str, name: str) -> int | None:
    """How many letters differ; None if these are too many for a misspelling."""
    ours, theirs = written.split("."), name.split(".")
    if sorted(ours) == sorted(theirs):
        return 0
    if len(ours) != len(theirs):
        ours, theirs = ["".join(ours)], ["".join(theirs)]
    if abs(len(written) - len(name)) > 3:
        return None
    edits = [edit_distance(one, another) for one, another in zip(ours, theirs, strict=True)]
    is_near = all(edit <= max(1, len(word) // 3) for edit, word in zip(edits, theirs, strict=True))
    return sum(edits) if is_near and sum(edits) <= 2 else None


def edit_distance(one: str, another: str) -> int:
    """How many letters to insert, remove, replace, or swap with their neighbour to convert one text to the other."""
    before: list[int] = []
    last = list(range(len(another) + 1))
    for i, letter in enumerate(one):
        row = [i + 1]
        for j, other in enumerate(another):
            best = min(last[j + 1] + 1, row[j] + 1, last[j] + (letter != other))
            if i and j and letter == another[j - 1] and other == one[i - 1]:
                best = min(best, before[j - 1] + 1)
            row.append(best)
        before, last = last, row
    return last[-1]

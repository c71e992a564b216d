"""A reader of plain YAML: block mappings and sequences of plain or quoted scalars, with comments, nothing else.

It is enough for manifests that are written that way, and refuses the rest instead of guessing.
"""

from __future__ import annotations

import re

_KEY = re.compile(r"(?P<key>[\w./-]+):(?: (?P<value>.+))?")
_COMMENT = re.compile(r"(^|\s)#.*$")
_REFUSED = "&*!|>{[%@`"

Value = str | int | bool | None | dict[str, "Value"] | list["Value"]  # type: ignore[misc]


def read_documents(text: str) -> list[Value]:
    """Return the documents of a file, which ``---`` separates. Raises ValueError for YAML that is not plain."""
    return [_document(part) for part in re.split(r"^---\s*$", text, flags=re.MULTILINE)]


def _document(text: str) -> Value:
    lines = [_COMMENT.sub("", line).rstrip() for line in text.splitlines()]
    kept = [(len(line) - len(line.lstrip()), line.lstrip()) for line in lines if line]
    value, rest = _block(kept, kept[0][0] if kept else 0)
    if rest:
        raise ValueError(f"wrong indentation: {rest[0][1]!r}")
    return value


_Lines = list[tuple[int, str]]


def _block(lines: _Lines, indent: int) -> tuple[Value, _Lines]:
    """Read the mapping or sequence that begins here; return it and the lines after it."""
    if not lines:
        return None, []
    return _sequence(lines, indent) if lines[0][1].startswith("- ") else _mapping(lines, indent)


def _sequence(lines: _Lines, indent: int) -> tuple[Value, _Lines]:
    items: list[Value] = []
    while lines and lines[0][0] == indent and lines[0][1].startswith("- "):
        text = lines[0][1][2:]
        if _KEY.fullmatch(text):
            item, lines = _mapping([(indent + 2, text), *lines[1:]], indent + 2)
        else:
            item, lines = _scalar(text), lines[1:]
        items.append(item)
    return items, lines


def _mapping(lines: _Lines, indent: int) -> tuple[Value, _Lines]:
    found: dict[str, Value] = {}
    while lines and lines[0][0] == indent and not lines[0][1].startswith("- "):
        match = _KEY.fullmatch(lines[0][1])
        if match is None or match["key"] in found:
            raise ValueError(f"neither a key with a value nor a new one: {lines[0][1]!r}")
        lines = lines[1:]
        if match["value"] is not None:
            found[match["key"]] = _scalar(match["value"])
        elif lines and (lines[0][0] > indent or (lines[0][0] == indent and lines[0][1].startswith("- "))):
            found[match["key"]], lines = _block(lines, lines[0][0])
        else:
            found[match["key"]] = None
    return found, lines


def _scalar(text: str) -> Value:
    if text[0] in _REFUSED:
        raise ValueError(f"not plain YAML: {text!r}")
    if text[0] in "\"'":
        if len(text) < 2 or text[-1] != text[0]:
            raise ValueError(f"an open quote: {text!r}")
        return text[1:-1]
    words: dict[str, bool | None] = {"true": True, "false": False, "null": None}
    if text in words:
        return words[text]
    return int(text) if re.fullmatch(r"-?\d+", text) else text

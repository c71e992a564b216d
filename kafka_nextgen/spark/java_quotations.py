r"""Quotations in Java regular expressions: between ``\Q`` and ``\E`` every character stands for itself.

Java replaces quotations before it reads the rest of a pattern (``Pattern.RemoveQEQuoting``). So a quantifier after a
quotation applies to its last character, and a class may contain a quotation. Without ``\E`` it reaches to the end.
"""

from __future__ import annotations

__all__ = ["without_quotations"]


def without_quotations(pattern: str) -> str:
    """Return the pattern with escapes instead of quotations."""
    parts, at = [], 0
    while at < len(pattern):
        if pattern.startswith(r"\Q", at):
            quoted, _, _ = pattern[at + 2 :].partition(r"\E")
            parts.append(_quoted(quoted))
            at += 2 + len(quoted) + 2
        else:
            length = 2 if pattern[at] == "\\" else 1
            parts.append(pattern[at : at + length])
            at += length
    return "".join(parts)


def _quoted(text: str) -> str:
    """Escape a quotation; a first digit by its code, so that it does not continue a number before it."""
    if text[:1].isascii() and text[:1].isdigit():
        return rf"\x3{text[0]}{_escaped(text[1:])}"
    return _escaped(text)


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char.isascii() and not char.isalnum() else char for char in text)

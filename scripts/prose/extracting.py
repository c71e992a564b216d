"""Extract prose from pages in Markdown, and from the docstrings and comments of modules.

Code is replaced with a placeholder of the same length, so that positions stay the same and no rule matches it.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Prose", "prose_of"]

#: Replaces each character of code. It is not a letter, so no rule matches across code.
_HOLE = "\N{MIDDLE DOT}"

_FENCED = re.compile(r"^( *)(```|~~~).*?^\1\2[`~]*\s*?$", re.M | re.S)
_INLINE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
_TARGET = re.compile(
    r"(?<=\])\([^)\s]*(?: \"[^\"]*\")?\)|(?<=\]): \S+|https?://\S+|<[^>\n]+>|\{[%{:][^}]*\}|^\[[^\]]+\]:.*$", re.M
)
_QUOTED = re.compile(r"\"[^\"\n]{1,120}\"")


@dataclass(frozen=True)
class Prose:
    """Text of a file; ``lines`` maps the offsets at which its lines begin to their numbers in the file."""

    file: Path
    text: str
    lines: tuple[tuple[int, int], ...]

    def place(self, at: int) -> str:
        """Return the file and the line of an offset in the text."""
        number = self.lines[bisect_right(self.lines, (at, 1 << 60)) - 1][1]
        return f"{self.file}:{number}"


def prose_of(file: Path) -> Iterator[Prose]:
    """Yield the prose of a page or module."""
    source = file.read_text()
    if file.suffix == ".py":
        yield from _docstrings(file, source)
        yield from _comments(file, source)
    else:
        yield _prose(file, _without_code(source), 1)


def _docstrings(file: Path, source: str) -> Iterator[Prose]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            literal = node.body[0]
            assert isinstance(literal, ast.Expr)
            assert isinstance(literal.value, ast.Constant)
            text = "\n".join(line.strip() for line in _without_examples(str(literal.value.value)))
            yield _prose(file, _without_inline(text), literal.lineno)


def _without_examples(text: str) -> Iterator[str]:
    """Yield lines; those of examples, tables and trees are blank."""
    lines = text.split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin, in_example = min(margins, default=0), False
    for number, line in enumerate(lines):
        depth = len(line) - len(line.lstrip()) if number else margin
        if number and depth > margin and not lines[number - 1].strip() and line.strip():
            in_example = True
        if line.strip() and depth <= margin:
            in_example = False
        yield "" if in_example or re.search(r"\S {2,}\S|^ *[=|]{3,}|[\N{BOX DRAWINGS LIGHT VERTICAL}]", line) else line


def _comments(file: Path, source: str) -> Iterator[Prose]:
    block: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        number, text = token.start[0], re.sub(r"^#[:!]?\s?", "", token.string)
        if re.match(r"(?:noqa|type:|pragma|fmt:|isort:|ruff:|----)", text):
            continue
        if block and (block[-1][0] != number - 1 or token.line.strip()[0] != "#"):
            yield _of_lines(file, block)
            block = []
        block.append((number, text))
    if block:
        yield _of_lines(file, block)


def _of_lines(file: Path, block: list[tuple[int, str]]) -> Prose:
    return _prose(file, _without_inline("\n".join(text for _, text in block)), block[0][0])


def _prose(file: Path, text: str, first: int) -> Prose:
    starts, at = [], 0
    for number, line in enumerate(text.split("\n"), first):
        starts.append((at, number))
        at += len(line) + 1
    return Prose(file, text, tuple(starts))


def _without_code(text: str) -> str:
    return _without_inline(_FENCED.sub(_blanked, text))


def _without_inline(text: str) -> str:
    for pattern in (_INLINE, _TARGET, _QUOTED):
        text = pattern.sub(_blanked, text)
    return text


def _blanked(match: re.Match[str]) -> str:
    return re.sub(r"[^\s]", _HOLE, match.group(0))

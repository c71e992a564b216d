"""Print tables for people, JSON for programs, and errors to stderr.

A table has no lines and no colours. In a pipe it is as wide as needed, so no cell is broken. On a terminal words are
never broken: long cells are folded between words, or rows become blocks of lines. Names come from clients, so control
characters in them are escaped, and names longer than Kafka allows are cut.
"""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click
from attrs import asdict

from kafka_nextgen.codes import name_of
from kafka_nextgen.errors import BrokerError, KafkaNextgenError
from kafka_nextgen.lazy_imports import lazy_module
from kafka_nextgen.text import printable
from kafka_nextgen.wire.topics import by_name

if TYPE_CHECKING:
    from rich import cells as rich_cells
    from rich import console as rich_console
    from rich import table as rich_table
    from rich import text as rich_text
else:  # only tables need them
    rich_cells, rich_console, rich_table, rich_text = (
        lazy_module(f"rich.{name}") for name in ("cells", "console", "table", "text")
    )

__all__ = ["Cell", "Columns", "fail_with", "print_json", "print_line", "print_rows", "print_table", "utc", "words"]

T = TypeVar("T")

_GAP = 2  # columns between two cells of a row
_NOTHING = "-"
_LONGEST_NAME = 255
_OF_MANY_NAMES = ("ASSIGNORS", "SUBSCRIPTION", "ASSIGNMENT", "TARGET")  # columns

Cell: TypeAlias = str | int | None
#: The cells of a row by their columns' names.
Columns: TypeAlias = Mapping[str, Callable[[T], Cell]]


def print_rows(columns: Columns[T], values: Iterable[T], *, stacks: bool = False) -> None:
    """Print a table with a row for each value. With ``stacks``, rows wider than the terminal become blocks of lines."""
    print_table(tuple(columns), [[cell(value) for cell in columns.values()] for value in values], stacks=stacks)


def print_table(header: Sequence[str], rows: Iterable[Sequence[Cell]], *, stacks: bool = False) -> None:
    """Print a table. None is shown as ``-``; numbers are right-aligned.

    Where it is wider than the terminal, cells are folded between words, or with ``stacks`` rows become blocks of lines.
    They also do if the words alone are too wide.
    """
    rows = list(rows)
    texts = [[_shown(name, cell) for name, cell in zip(header, row, strict=True)] for row in rows]
    columns = list(zip(header, *texts, strict=True))
    full = [max(map(rich_cells.cell_len, column)) for column in columns]
    width = _terminal_width()
    if width is None or _line_width(full) <= width:
        widths: Sequence[int] | None = full
    else:
        widths = None if stacks else _folded_widths(columns, full, width)
    if rows and width is not None and widths is None:
        _print_blocks(header, rows, width)
        return
    widths = widths or full
    table = rich_table.Table(box=None, pad_edge=False, show_edge=False)
    for at, name in enumerate(header):
        is_numbers = any(isinstance(row[at], int) for row in rows)
        table.add_column(
            rich_text.Text(name),
            justify="right" if is_numbers else "left",
            overflow="fold",
            width=widths[at],
        )
    for row in texts:
        table.add_row(*map(rich_text.Text, row))
    text = io.StringIO()
    rich_console.Console(file=text, width=_line_width(widths), color_system=None).print(table)
    for line in text.getvalue().splitlines():
        click.echo(line.rstrip())


def _line_width(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _folded_widths(columns: Sequence[Sequence[str]], full: Sequence[int], width: int) -> list[int] | None:
    """Return the widths of columns that are folded between words to fit; None if their words are too wide.

    The widest columns are folded first, so that short cells stay on one line.
    """
    least = [max(rich_cells.cell_len(word) for text in column for word in text.split() or ("",)) for column in columns]
    if _line_width(least) > width:
        return None
    widths = list(full)
    while (excess := _line_width(widths) - width) > 0:
        at = max((at for at in range(len(widths)) if widths[at] > least[at]), key=widths.__getitem__)
        next_widest = max((other for other in widths if other < widths[at]), default=0)
        widths[at] = max(least[at], widths[at] - excess, next_widest)
    return widths


def _print_blocks(header: Sequence[str], rows: Iterable[Sequence[Cell]], width: int) -> None:
    """Print a block for each row: the known cells, each after its column's name and folded between words.

    A word that is wider than the rest of the line stays whole, so that it can be copied.
    """
    indent = max(map(len, header)) + _GAP
    for number, row in enumerate(rows):
        if number:
            click.echo()
        for name, cell in zip(header, row, strict=True):
            if cell is not None:
                _print_folded(f"{name:{indent}}", _shown(name, cell), width)


def _print_folded(start: str, text: str, width: int) -> None:
    """Print ``start`` and the words of ``text``, with further lines indented by the width of ``start``."""
    line, is_empty = start, True
    for word in text.split(" "):
        if not is_empty and rich_cells.cell_len(line) + 1 + rich_cells.cell_len(word) > width:
            click.echo(line)
            line, is_empty = " " * len(start), True
        line, is_empty = (line + word if is_empty else f"{line} {word}"), False
    click.echo(line.rstrip())


def _terminal_width() -> int | None:
    """Return the columns of the terminal; None in a pipe or file."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _shown(name: str, cell: Cell) -> str:
    text = _NOTHING if cell is None else str(cell)
    return printable(text, max(len(text), 1) if name in _OF_MANY_NAMES else _LONGEST_NAME)


def print_line(line: str, *, err: bool = False) -> None:
    """Print one line that contains names, to stderr with ``err``."""
    click.echo(printable(line), err=err)


def print_json(document: object) -> None:
    """Print a JSON document.

    Programs get values, not text that they would have to parse: partitions become ``{"orders": [0, 1]}``, an error its
    type, code and message, and attrs objects become objects with their fields, in which values of an IntEnum become
    names. Only bytes are text, in hexadecimal.
    """
    click.echo(json.dumps(document, indent=2, default=_plain))


def _plain(value: Any) -> object:
    """Convert a value that JSON can't represent."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, frozenset):
        return by_name(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, KafkaNextgenError):
        code = name_of(value.code) if isinstance(value, BrokerError) else None
        return {"type": type(value).__name__, "code": code, "message": str(value)}
    return asdict(value, recurse=False, value_serializer=_named)


def _named(_owner: object, _field: object, value: object) -> object:
    return value.name.lower() if isinstance(value, IntEnum) else value


def utc(at_s: float) -> datetime:
    """Convert seconds since the Unix epoch to a time."""
    return datetime.fromtimestamp(at_s, timezone.utc)


def words(value: Enum) -> str:
    """Return the name of a value in lower case, with spaces."""
    return value.name.lower().replace("_", " ")


def fail_with(errors: Iterable[KafkaNextgenError]) -> None:
    """Print the errors to stderr, and exit with code 1 if there are any."""
    told = list(errors)
    for error in told:
        click.echo(f"Error: {error}", err=True)
    if told:
        raise SystemExit(1)

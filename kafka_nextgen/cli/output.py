"""Print tables for people, JSON for programs, and errors to stderr.

A table has no lines and no colours. In a pipe it is as wide as needed, so no cell is broken; on a terminal long cells
are folded, or rows of members become blocks. Names come from clients, so control characters in them are escaped, and
names longer than Kafka allows are cut.
"""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from enum import Enum, IntEnum
from typing import Any, TypeAlias, TypeVar

import click
from attrs import asdict
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.text import printable
from kafka_nextgen.types import format_partitions

__all__ = ["Cell", "Columns", "fail_with", "print_json", "print_line", "print_rows", "print_table", "utc", "words"]

T = TypeVar("T")

_ENDLESS = 1_000_000  # columns; no table is wider
_GAP = 2  # columns between two cells of a row
_NOTHING = "-"
_LONGEST_NAME = 255
_OF_MANY_NAMES = ("ASSIGNORS", "SUBSCRIPTION", "ASSIGNMENT", "TARGET")  # columns

Cell: TypeAlias = str | int | None
#: The cells of a row by their columns' names.
Columns: TypeAlias = Mapping[str, Callable[[T], Cell]]


def print_rows(columns: Columns[T], values: Iterable[T], *, stacks: bool = False) -> None:
    """Print a table with a row for each value. With ``stacks``, rows wider than the terminal become blocks of lines."""
    rows = [[cell(value) for cell in columns.values()] for value in values]
    if stacks and rows and _width_of(tuple(columns), rows) > _terminal_width():
        _print_blocks(tuple(columns), rows)
    else:
        print_table(tuple(columns), rows)


def _width_of(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> int:
    """Return the width of a table that is not folded, in columns."""
    texts = [header, *([_shown(name, cell) for name, cell in zip(header, row, strict=True)] for row in rows)]
    widths = (max(map(cell_len, column)) for column in zip(*texts, strict=True))
    return sum(widths) + _GAP * (len(header) - 1)


def _print_blocks(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Print a block for each row: one line for each known cell, with its column's name first."""
    longest = max(map(len, header))
    for number, row in enumerate(rows):
        if number:
            click.echo()
        for name, cell in zip(header, row, strict=True):
            if cell is not None:
                click.echo(f"{name:{longest + _GAP}}{_shown(name, cell)}")


def print_table(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Print a table. None is shown as ``-``; numbers are right-aligned."""
    rows = list(rows)
    table = Table(box=None, pad_edge=False, show_edge=False)
    for at, name in enumerate(header):
        is_numbers = any(isinstance(row[at], int) for row in rows)
        table.add_column(Text(name), justify="right" if is_numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_shown(name, cell)) for name, cell in zip(header, row, strict=True)))
    width = _terminal_width()
    text = io.StringIO()
    Console(file=text, width=width, color_system=None).print(table)
    for line in text.getvalue().splitlines():
        click.echo(line.rstrip())


def _terminal_width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _ENDLESS


def _shown(name: str, cell: Cell) -> str:
    text = _NOTHING if cell is None else str(cell)
    return printable(text, max(len(text), 1) if name in _OF_MANY_NAMES else _LONGEST_NAME)


def print_line(line: str, *, err: bool = False) -> None:
    """Print one line that contains names, to stderr with ``err``."""
    click.echo(printable(line), err=err)


def print_json(document: object) -> None:
    """Print a JSON document.

    attrs objects become objects with their fields, in which values of an IntEnum become names, and bytes become
    hexadecimal strings.
    """
    click.echo(json.dumps(document, indent=2, default=_plain))


def _plain(value: Any) -> object:
    """Convert a value that JSON can't represent."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, frozenset):
        return format_partitions(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, KafkaNextgenError):
        return str(value)
    return asdict(value, recurse=False, value_serializer=_named)


def _named(_owner: object, _field: object, value: object) -> object:
    return value.name.lower() if isinstance(value, IntEnum) else value


def utc(at_s: float) -> datetime:
    """Return the time that is so many seconds after the Unix epoch."""
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

"""Importing the library is quiet, also for whoever makes every warning an error."""

from __future__ import annotations

import subprocess
import sys
import typing
from collections.abc import Iterator

import attrs
import pytest

import kafka_nextgen


def test_the_import_warns_of_nothing() -> None:
    program = "import kafka_nextgen, kafka_nextgen.broker, kafka_nextgen.testing, kafka_nextgen.cli.main"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=60)


def test_what_the_application_says_about_warnings_stays_in_force() -> None:
    program = "import warnings as w; before = w.filters[:]; import kafka_nextgen; assert w.filters[:] == before"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def parts(hint: object) -> Iterator[object]:
    """The types that a type hint is made of."""
    yield hint
    for part in typing.get_args(hint):
        yield from parts(part)


def has_fields(kind: object) -> bool:
    return isinstance(kind, type) and (attrs.has(kind) or hasattr(kind, "_fields"))  # or a named tuple


VALUES = [name for name in kafka_nextgen.__all__ if has_fields(getattr(kafka_nextgen, name))]


@pytest.mark.parametrize("name", VALUES)
def test_the_types_of_what_is_exported_are_exported(name: str) -> None:
    hints = typing.get_type_hints(getattr(kafka_nextgen, name)).values()
    used = {part for hint in hints for part in parts(hint) if isinstance(part, type)}
    ours = {kind for kind in used if kind.__module__.startswith("kafka_nextgen")}
    assert ours <= {getattr(kafka_nextgen, exported) for exported in kafka_nextgen.__all__}


def test_what_run_takes_can_be_written_down() -> None:
    from kafka_nextgen import AsyncDeadLetter, AsyncHandler, DeadLetter, Handler, Order, Record

    async def handle(record: Record) -> None: ...

    def give_up(record: Record, error: Exception) -> None: ...

    handlers: tuple[Handler, AsyncHandler] = (print, handle)
    letters: tuple[DeadLetter, AsyncDeadLetter] = (give_up, give_up)
    assert (len(handlers), len(letters), Order("key")) == (2, 2, Order.KEY)

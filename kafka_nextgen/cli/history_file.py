"""``--history FILE``: keep what happens to the groups of an embedded broker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.file_sink import FileSink

__all__ = ["history_option", "open_history"]

history_option = click.option(
    "--history",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Append what happens to groups to this file: events as lines of JSON.",
)


@contextmanager
def open_history(path: Path | None) -> Iterator[Callable[[Event], None] | None]:
    """What appends events to this file, by a thread of its own, as long as the block runs; None without a path."""
    if path is None:
        yield None
        return
    if path.is_dir() or not path.parent.is_dir():
        raise ConfigError(f"--history: {path} is no file in a directory that is there")
    sink = FileSink(path)
    try:
        yield sink.write
    finally:
        sink.close()

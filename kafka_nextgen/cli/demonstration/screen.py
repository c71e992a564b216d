"""The screen of the demonstration: a table redrawn in place on a terminal, otherwise plain lines."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from kafka_nextgen import clocks
from kafka_nextgen.cli.demonstration.progress import PARTITION_COUNT, TOPIC, Progress
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["PlainScreen", "Screen", "TerminalScreen", "open_screen"]

_COLOURS = ("cyan", "magenta", "green")
_MAX_NEWS = 8
_BAR_WIDTH = 36


class PlainScreen:
    """Prints messages, and the state periodically; for logs and pipes."""

    interval_s = 2.0

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = clocks.monotonic()

    def tell(self, news: str) -> None:
        """Print a message."""
        line = f"{clocks.monotonic() - self._began:5.1f} s  {news}"
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def show(self, progress: Progress) -> None:
        """Print owners and totals."""
        owners = [f"{name} {_partitions_of(progress, name)}" for name in sorted(set(progress.owners.values()))]
        self.tell(f"{_sums(progress)}; {'; '.join(owners) or 'no owner'}")


class TerminalScreen:
    """Redraws a table in place, with a line for each partition and recent messages below."""

    interval_s = 0.1

    def __init__(self, live: Live) -> None:
        self._live = live
        self._news: deque[str] = deque(maxlen=_MAX_NEWS)
        self._colours: dict[str, str] = {}

    def tell(self, news: str) -> None:
        """Keep a message for the next redraw."""
        self._news.append(news)

    def show(self, progress: Progress) -> None:
        """Redraw."""
        news = [Text(line, style="dim") for line in self._news]
        self._live.update(Group(self._table(progress), *news), refresh=True)

    def _table(self, progress: Progress) -> Table:
        table = Table("partition", "owner", "processed", "", "behind", title=_sums(progress), title_justify="left")
        for number in range(PARTITION_COUNT):
            done, there = progress.progress[number], progress.produced[number]
            bar = ProgressBar(total=progress.totals[number], completed=done, width=_BAR_WIDTH)
            owner = self._owner(progress, progress.owners.get(number))
            table.add_row(f"{TOPIC}[{number}]", owner, bar, f"{done:,}", f"{there - done:,}")
        return table

    def _owner(self, progress: Progress, name: str | None) -> Text:
        if name is None:
            return Text("-", style="dim")
        if name in progress.killed:
            return Text(f"{name}, killed", style="red")
        colour = self._colours.setdefault(name, _COLOURS[len(self._colours) % len(_COLOURS)])
        return Text(name, style=colour)


Screen = PlainScreen | TerminalScreen


@contextmanager
def open_screen(console: Console) -> Iterator[Screen]:
    """Yield the screen for a terminal or for other output."""
    if not console.is_terminal:
        yield PlainScreen(console)
        return
    with Live(console=console, auto_refresh=False) as live:
        yield TerminalScreen(live)


def _sums(progress: Progress) -> str:
    ledger = progress.ledger
    return f"{ledger.count_produced():,} of {progress.total:,} flights written, {ledger.count_processed():,} processed"


def _partitions_of(progress: Progress, name: str) -> str:
    return format_partitions(TopicPartition(TOPIC, number) for number in progress.owned_by(name))

"""What the demonstration shows: a table that is redrawn where there is a terminal, plain lines where there is none."""

from __future__ import annotations

import time
from collections import deque
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from kafka_nextgen.cli.demonstration.board import PARTITIONS, TOPIC, Board
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["PlainScreen", "Screen", "TerminalScreen", "open_screen"]

_COLOURS = ("cyan", "magenta", "green")
_NEWS_KEPT = 8
_BAR_WIDTH = 36


class PlainScreen:
    """News as they come, and from time to time how far the whole is; for logs and pipes."""

    interval_s = 2.0

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = time.monotonic()

    def __enter__(self) -> PlainScreen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def tell(self, news: str) -> None:
        """Print a sentence."""
        line = f"{time.monotonic() - self._began:5.1f} s  {news}"
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def show(self, board: Board) -> None:
        """Print who owns what and how far all is."""
        owners = [f"{name} {_partitions_of(board, name)}" for name in sorted(set(board.owners.values()))]
        self.tell(f"{_sums(board)}; {'; '.join(owners) or 'no owner yet'}")


class TerminalScreen:
    """One table, redrawn in place: a line for each partition, the news below."""

    interval_s = 0.1

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=False)
        self._news: deque[str] = deque(maxlen=_NEWS_KEPT)
        self._colours: dict[str, str] = {}

    def __enter__(self) -> TerminalScreen:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def tell(self, news: str) -> None:
        """Keep a sentence for the next drawing."""
        self._news.append(news)

    def show(self, board: Board) -> None:
        """Draw."""
        news = [Text(line, style="dim") for line in self._news]
        self._live.update(Group(self._table(board), *news), refresh=True)

    def _table(self, board: Board) -> Table:
        table = Table("partition", "owner", "processed", "", "behind", title=_sums(board), title_justify="left")
        for number in range(PARTITIONS):
            done, there = board.progress[number], board.produced[number]
            bar = ProgressBar(total=board.totals[number], completed=done, width=_BAR_WIDTH)
            owner = self._owner(board, board.owners.get(number))
            table.add_row(f"{TOPIC}[{number}]", owner, bar, f"{done:,}", f"{there - done:,}")
        return table

    def _owner(self, board: Board, name: str | None) -> Text:
        if name is None:
            return Text("-", style="dim")
        if name in board.killed:
            return Text(f"{name}, killed", style="red")
        colour = self._colours.setdefault(name, _COLOURS[len(self._colours) % len(_COLOURS)])
        return Text(name, style=colour)


Screen = PlainScreen | TerminalScreen


def open_screen(console: Console) -> Screen:
    """The screen that suits what stdout is."""
    return TerminalScreen(console) if console.is_terminal else PlainScreen(console)


def _sums(board: Board) -> str:
    ledger = board.ledger
    return f"{ledger.count_produced():,} of {board.total:,} flights written, {ledger.count_processed():,} processed"


def _partitions_of(board: Board, name: str) -> str:
    return format_partitions(TopicPartition(TOPIC, number) for number in board.owned_by(name))

"""Show groups: a table redrawn in place on a terminal, otherwise one line for each event."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from kafka_nextgen.cli.following.group_views import GroupView, GroupViews, MemberView, event_text
from kafka_nextgen.history.events import FREQUENT_KINDS, Event
from kafka_nextgen.text import printable
from kafka_nextgen.types import format_partitions

__all__ = ["PlainScreen", "Screen", "TerminalScreen", "open_screen"]

_MAX_RECENT = 8
_STYLES = {"stable": "green", "rebalancing": "yellow", "empty": "dim"}

_MAY_BE_CUT = ("GROUP / MEMBER", "OWNS")

_Row = tuple[Text, Text, Text, Text, Text]


class PlainScreen:
    """Prints events as lines, for pipes and logs."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, groups: GroupViews, events: Sequence[Event]) -> None:
        """Print the events."""
        for event in events:
            self._console.print(event_text(event), markup=False, highlight=False, soft_wrap=True)


class TerminalScreen:
    """Shows a table of groups and members, and the last events below."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._recent_lines: deque[str] = deque(maxlen=_MAX_RECENT)

    def show(self, groups: GroupViews, events: Sequence[Event]) -> None:
        """Redraw the groups after these events."""
        self._recent_lines.extend(event_text(event) for event in events if event.kind not in FREQUENT_KINDS)
        lines = [Text(line, style="dim", no_wrap=True, overflow="ellipsis") for line in self._recent_lines]
        self._live.update(Group(self._table(groups), Text(), *lines), refresh=True)

    def _table(self, groups: GroupViews) -> Table:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("GROUP / MEMBER", "STATE", "EPOCH", "OWNS", "LAG"):  # only columns that may be cut can shrink
            table.add_column(name, no_wrap=name not in _MAY_BE_CUT, justify="right" if name == "LAG" else "left")
        rows = [row for view in groups.views() for row in _rows(view)]
        room = max(3, self._live.console.height - _MAX_RECENT - 4)
        for row in rows[:room]:
            table.add_row(*row)
        if len(rows) > room:
            table.add_row(Text(f"and {len(rows) - room} more lines", style="dim"))
        return table


def _rows(view: GroupView) -> Iterator[_Row]:
    state = Text(printable(view.state), style=_STYLES.get(view.state, "red"))
    owned = sum(len(member.owned) for member in view.members.values())
    sums = f"{owned} partitions, {len(view.members)} members"
    yield (_cut(view.group, "bold"), state, _epoch(view.epoch), _cut(sums), _lag(view.lag_of(view.ends)))
    for member in sorted(view.members.values(), key=lambda each: each.name):
        yield _member_row(view, member)


def _member_row(view: GroupView, member: MemberView) -> _Row:
    is_behind = None not in (view.epoch, member.epoch) and member.epoch != view.epoch
    return (
        _cut(f"  {member.name}"),
        Text("behind" if is_behind else "", style="yellow"),
        _epoch(member.epoch),
        _cut(format_partitions(member.owned)),
        _lag(view.lag_of(member.owned)),
    )


def _lag(lag: int | None) -> Text:
    return Text("-" if lag is None else f"{lag:,}")


def _cut(text: str, style: str = "") -> Text:
    """Return text for one line, cut with an ellipsis."""
    return Text(printable(text), style=style, no_wrap=True, overflow="ellipsis")


def _epoch(epoch: int | None) -> Text:
    return Text("-" if epoch is None else str(epoch))


Screen = PlainScreen | TerminalScreen


@contextmanager
def open_screen(console: Console) -> Iterator[Screen]:
    """Yield the screen for a terminal or for other output."""
    if not console.is_terminal:
        yield PlainScreen(console)
        return
    with Live(console=console, auto_refresh=False) as live:
        yield TerminalScreen(live)

"""A scenario as a ladder: members and their coordinator, or its nodes, stand side by side, and time goes down.

What is drawn is read from the lines that a played scenario consists of, so that it is the same for every world.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from html import escape
from typing import Any

from attrs import define, evolve, field, frozen

from tests.verification.scenario_language import InvariantError, Player, Scenario, ScenarioError
from tests.verification.scenario_language.grammar import Block, Command
from tests.verification.scenario_language.notation import parse_duration
from tests.verification.simulation.stories.world import ClusterWorld

COORDINATOR = "coordinator"

_SENT = re.compile(r"(?P<who>\S+) -> (?P<what>.*)")
_ANSWERED = re.compile(r"-> (?P<who>\S+) (?P<what>.*?)(?: \((?P<node>node\d)\))?")
_AFTER = re.compile(r"after (?P<time>\d[\w.]*)")
_COORDINATES = re.compile(r"(?P<node>node\d) coordinates")


class Shape(Enum):
    COMMAND = "command"
    ARROW = "arrow"
    LOST = "lost"  # an arrow that does not arrive
    NOTE = "note"


@frozen
class Row:
    """One line of a ladder: at this time (seconds) something goes from one column to another, or is so in one."""

    time: float
    shape: Shape
    what: str
    of: str = ""
    to: str = ""


@frozen
class Ladder:
    """All columns from left to right, and all rows from above; the last row says what is ``broken``, if anything is."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    broken: str | None = None

    def text(self, width: int = 120) -> str:
        """As text: lanes, and beside them what each row says."""
        lanes = _Lanes(self.columns)
        lines = (f"{_time(row.time):>8}  {lanes.draw(row)}  {row.what}".rstrip()[:width] for row in self.rows)
        return "\n".join([f"{'':>8}  {lanes.head()}".rstrip(), *lines]) + "\n"


def _time(seconds: float) -> str:
    return f"{seconds:.1f}s"


class _Lanes:
    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns
        self._width = max(map(len, columns), default=0) + 2
        self._middles = {name: at * self._width + self._width // 2 for at, name in enumerate(columns)}

    def head(self) -> str:
        return "".join(f"{name:^{self._width}}" for name in self._columns)

    def draw(self, row: Row) -> str:
        if row.shape is Shape.COMMAND:
            return "=" * (self._width * len(self._columns))
        canvas = [" "] * (self._width * len(self._columns))
        for middle in self._middles.values():
            canvas[middle] = "|"
        if row.shape is Shape.NOTE:
            canvas[self._middles[row.of]] = "*"
        else:
            self._arrow(canvas, self._middles[row.of], self._middles[row.to], lost=row.shape is Shape.LOST)
        return "".join(canvas)

    def _arrow(self, canvas: list[str], of: int, to: int, *, lost: bool) -> None:
        low, high = sorted((of, to))
        canvas[low + 1 : high] = ("." if lost else "-") * (high - low - 1)
        canvas[of], canvas[to] = "o", "x" if lost else "><"[to < of]


@define
class _Reader:
    rows: list[Row] = field(factory=list)
    now: float = 0.0
    began: float = 0.0
    node: str = COORDINATOR
    waiting: dict[str, int] = field(factory=dict)  # the row of each member's latest request

    def command(self, text: str) -> None:
        self.began = self.now
        self.rows.append(Row(self.now, Shape.COMMAND, text))

    def passed(self, seconds: float) -> None:
        self.now = self.began + seconds

    def line(self, line: str) -> None:
        said = line.strip()
        sent, answered, after = _SENT.fullmatch(said), _ANSWERED.fullmatch(said), _AFTER.fullmatch(said)
        if after is not None:
            self.now = self.began + parse_duration(after["time"])
        elif sent is not None:
            self.waiting[sent["who"]] = len(self.rows)
            self.rows.append(Row(self.now, Shape.ARROW, said, sent["who"], self.node))
        elif answered is not None:
            self._answer(said, answered)
        else:
            coordinates = _COORDINATES.fullmatch(said)
            self.node = coordinates["node"] if coordinates else self.node
            self.rows.append(Row(self.now, Shape.NOTE, said, said.split()[0]))

    def _answer(self, said: str, answered: re.Match[str]) -> None:
        who, node = answered["who"], answered["node"] or self.node
        asked = self.waiting.get(who)
        if asked is not None:
            self.rows[asked] = evolve(self.rows[asked], to=node)
        lost = said.removesuffix(" late").endswith("no answer")
        self.rows.append(Row(self.now, Shape.LOST if lost else Shape.ARROW, said, node, who))


def ladder_of(scenario: Scenario, player: Player[Any]) -> Ladder:
    """Play a scenario, and draw it. Raises what playing raises, but for what is broken: that is drawn."""
    reader = _Reader()
    for block in scenario.blocks:
        for command, text in _commands(block):
            reader.command(text)
            happened, broken = _played(player, command)
            for line in happened:
                reader.line(line)
            if broken is not None:
                reader.rows.append(Row(reader.now, Shape.NOTE, f"broken: {broken}"))
                return _arranged(reader.rows, broken)
            reader.passed(_seconds(command))
    return _arranged(reader.rows)


def _commands(block: Block) -> Iterator[tuple[Command, str]]:
    written = [line for line in block.written if not line.startswith(("#", " "))]
    for command, text in zip(block.commands, written, strict=True):
        if command.verb not in ("worlds", "quietly"):
            yield command, text


def _played(player: Player[Any], command: Command) -> tuple[Sequence[str], str | None]:
    """What happens at a command, and what it breaks."""
    block = Block(("",), (command,), ())
    try:
        return player._play_block(block).split("\n")[2:], None  # below the command and its separator
    except InvariantError as error:
        return error.happened, str(error).partition(": ")[2]
    except ScenarioError:
        raise
    except Exception as stumble:  # a machine has found its own mistake
        world = player.world
        told = world.told(world.stage.timeline.now) if isinstance(world, ClusterWorld) else ()
        return list(told), f"{type(stumble).__name__}: {stumble}"


def _seconds(command: Command) -> float:
    return parse_duration(command.name) if command.verb == "tick" else 0.0


def _arranged(rows: Sequence[Row], broken: str | None = None) -> Ladder:
    """With the columns: members as they come, then nodes."""
    names = list(dict.fromkeys(name for row in rows if row.shape in _ARROWS for name in (_base(row.of), _base(row.to))))
    nodes = sorted(name for name in names if name == COORDINATOR or name.startswith("node"))
    known = [name for name in names if name not in nodes]
    told = sorted({row.of for row in rows if row.of.startswith("node")} - set(nodes))
    columns = (*known, *(nodes or [COORDINATOR]), *told)
    return Ladder(columns, tuple(_placed(row, columns) for row in rows), broken)


_ARROWS: Mapping[Shape, None] = {Shape.ARROW: None, Shape.LOST: None}


def _base(name: str) -> str:
    return name.partition("/")[0]


def _placed(row: Row, columns: Sequence[str]) -> Row:
    """In columns that there are: what is said of nobody else is the coordinator's."""
    last = next(each for each in reversed(columns) if each == COORDINATOR or each.startswith("node"))
    of, to = _base(row.of), _base(row.to)
    return evolve(row, of=of if of in columns else last, to=to if to in columns else last)


_LANE, _LEFT, _TOP, _ROW, _TEXT = 110, 70, 40, 18, 7.0
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"
 font-family="monospace" font-size="11">
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 L8 4 L0 8 z"/></marker></defs>
<rect width="100%" height="100%" fill="white"/>"""


def svg(ladder: Ladder) -> str:
    height = _TOP + _ROW * (len(ladder.rows) + 1)
    text_at = _LEFT + _LANE * len(ladder.columns)
    width = text_at + round(_TEXT * max((len(row.what) for row in ladder.rows), default=0)) + 20
    lanes = {name: _LEFT + _LANE * at + _LANE // 2 for at, name in enumerate(ladder.columns)}
    parts = [_HEAD.format(width=width, height=height)]
    for name, x in lanes.items():
        parts.append(f'<text x="{x}" y="20" text-anchor="middle" font-weight="bold">{escape(name)}</text>')
        parts.append(f'<line x1="{x}" y1="28" x2="{x}" y2="{height - 8}" stroke="#bbb"/>')
    for at, row in enumerate(ladder.rows):
        parts += _row(row, _TOP + _ROW * (at + 1), lanes, text_at)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _row(row: Row, y: int, lanes: dict[str, int], text_at: int) -> Iterator[str]:
    yield f'<text x="4" y="{y}" fill="#777">{row.time:.1f}s</text>'
    if row.shape is Shape.COMMAND:
        yield f'<line x1="{_LEFT}" y1="{y - 4}" x2="{text_at - 8}" y2="{y - 4}" stroke="#ddd" stroke-width="8"/>'
        yield f'<text x="{text_at}" y="{y}" font-weight="bold">{escape(row.what)}</text>'
        return
    if row.shape is Shape.NOTE:
        yield f'<circle cx="{lanes[row.of]}" cy="{y - 4}" r="3"/>'
    else:
        dashes = ' stroke-dasharray="4 3"' if row.shape is Shape.LOST else ' marker-end="url(#tip)"'
        yield f'<line x1="{lanes[row.of]}" y1="{y - 4}" x2="{lanes[row.to]}" y2="{y - 4}" stroke="black"{dashes}/>'
    yield f'<text x="{text_at}" y="{y}">{escape(row.what)}</text>'

"""A ladder as an SVG picture."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tests.simulation.stories.ladder import Ladder, Row, Shape

__all__ = ["svg"]

_LANE, _LEFT, _TOP, _ROW, _TEXT = 110, 70, 40, 18, 7.0
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"
 font-family="monospace" font-size="11">
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 L8 4 L0 8 z"/></marker></defs>
<rect width="100%" height="100%" fill="white"/>"""


def svg(ladder: Ladder) -> str:
    """Draw it."""
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

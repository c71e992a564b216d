"""What the scripts of this folder that draw a picture share.

``Picture`` is for pictures of boxes, lines and text; it needs nothing else. Plots are drawn by matplotlib, of the extra
``kafka-nextgen[bench]``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import asdict, frozen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "Picture", "new_figure", "save"]

#: The colours for things to be told apart, as classes of a ``Picture``.
COLOURS = ("blue", "amber", "green", "violet", "red")


def new_figure(width_in: float, height_in: float) -> Figure:
    """An empty figure of this size (inches). Ends the program without matplotlib, when all but the picture is done."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        sys.exit(f"The picture is not drawn: {error}. pip install matplotlib")
    return Figure(figsize=(width_in, height_in), layout="constrained")


def save(figure: Figure, path: Path) -> None:
    """Write the figure as SVG: the same picture makes the same file, byte for byte."""
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": path.stem, "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


@frozen
class Theme:
    """The colours of a picture, by the names of its classes."""

    paper: str
    ink: str
    faint: str
    fill: str
    blue: str
    amber: str
    green: str
    violet: str
    red: str


LIGHT = Theme("#ffffff", "#1f2328", "#656d76", "#f2f4f7", "#0969da", "#9a6700", "#3f7d2b", "#8250df", "#c1121f")
DARK = Theme("#0d1117", "#e6edf3", "#9aa4af", "#1d242d", "#4f9bd6", "#e0a64a", "#83b35c", "#b98acb", "#ff6b6b")

#: What the classes look like; a colour of the theme is the class of the same name.
STYLE = """\
text { font: 14px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: var(--ink) }
text.small { font-size: 12.5px } text.bold { font-weight: 600 } text.title { font-size: 16px; font-weight: 600 }
text.mono { font: 12.5px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
text.on { fill: var(--paper); font-weight: 600 }
.line { stroke: var(--ink); stroke-width: 1.4; fill: none } .thin { stroke-width: 1 } .dashed { stroke-dasharray: 4 4 }
.paper { fill: var(--paper) } .fill { fill: var(--fill) } .box { stroke: var(--faint) } .head { fill: var(--ink) }
.gap { fill: var(--paper); stroke: var(--red); stroke-width: 1.6; stroke-dasharray: 5 3 }
"""


class Picture:
    """An SVG that reads well in light and dark pages, and at the width of a phone, also as an ``<img>``.

    It is drawn for ``WIDTH`` or less: text of 14 px is then still legible on a phone. ``text`` is what the picture
    says, for those who do not see it.
    """

    WIDTH = 520

    def __init__(self, title: str, text: str, height: int) -> None:
        self._title, self._text, self._height = title, text, height
        self._parts: list[str] = []

    def rect(
        self, x: float, y: float, width: float, height: float, kind: str, says: str = "", round_px: int = 4
    ) -> None:
        """Draw a rectangle; ``says`` is its text alternative and its tooltip."""
        inner = f"><title>{escape(says)}</title></rect>" if says else "/>"
        size = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_px}"'
        self._parts.append(f'<rect class="{kind}" {size}{inner}')

    def text(
        self, x: float, y: float, words: str, kind: str = "", anchor: str = "start", *, turned: bool = False
    ) -> None:
        """Write a line of text with its baseline at ``y``; turned, it reads upwards."""
        turn = f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
        at = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}"{turn}'
        self._parts.append(f'<text class="{kind}" {at}>{escape(words)}</text>')

    def terminal(self, x: float, y: float, words: str, kind: str, width: float) -> None:
        """Write text of a terminal, exactly ``width`` wide whatever the font; blanks are left out."""
        if words.strip():
            fit = f'textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"'
            self._parts.append(f'<text class="mono {kind}" x="{x:.1f}" y="{y:g}" {fit}>{escape(words)}</text>')

    def line(self, points: Sequence[tuple[float, float]], kind: str = "line", *, arrow: bool = False) -> None:
        """Draw a line through the points, with an arrowhead at the last one."""
        through = " ".join(f"{x:g},{y:g}" for x, y in points)
        end = ' marker-end="url(#head)"' if arrow else ""
        self._parts.append(f'<polyline class="{kind}" points="{through}"{end}/>')

    def __str__(self) -> str:
        """The SVG."""
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self._height}" '
            f'width="{self.WIDTH}" height="{self._height}" role="img" aria-labelledby="title desc">',
            f'<title id="title">{escape(self._title)}</title>',
            f'<desc id="desc">{escape(self._text)}</desc>',
            f"<style>\n{_colours()}{STYLE}</style>",
            '<marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
            '<path class="head" d="M0 0 10 5 0 10z"/></marker>',
            f'<rect class="paper" width="{self.WIDTH}" height="{self._height}"/>',
            *self._parts,
            "</svg>",
            "",
        ])  # fmt: skip


def _colours() -> str:
    """The themes as variables, and a class for each colour."""
    light, dark = (" ".join(f"--{name}: {value};" for name, value in asdict(theme).items()) for theme in (LIGHT, DARK))
    named = " ".join(f".{each}, text.{each} {{ fill: var(--{each}) }}" for each in ("faint", *COLOURS))
    return f"svg {{ {light} }}\n@media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}\n{named}\n"

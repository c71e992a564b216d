"""What the scripts of this folder that draw a picture share. matplotlib is the extra ``kafka-nextgen[bench]``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["new_figure", "save"]


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

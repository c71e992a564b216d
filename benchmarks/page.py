"""The page of figures, ``docs/benchmarks/index.md``, of which each benchmark writes its own section.

What stands between two comments with a benchmark's name is that benchmark's; the rest of the page is anybody's. A
benchmark with many figures writes a page of its own beside it.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from statistics import median

from kafka_nextgen.version import VERSION

__all__ = [
    "PAGE",
    "about_the_run",
    "in_digits",
    "in_ms",
    "of_peers",
    "per_second",
    "ratio",
    "spread",
    "table",
    "write_page",
    "write_section",
]

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks" / "index.md"


def table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table that can be read as it is: the first column to the left, numbers to the right."""
    rows = [tuple(names), *map(tuple, rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(names))]
    lines = [
        "| " + " | ".join(text.rjust(width) if column else text.ljust(width) for column, (text, width) in cells) + " |"
        for cells in (list(enumerate(zip(row, widths, strict=True))) for row in rows)
    ]
    rule = "|" + "|".join("-" * (width + 1) + (":" if column else "-") for column, width in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def in_ms(seconds: Sequence[float]) -> str:
    """The median in milliseconds, and the least and the most."""
    return spread([value * 1000 for value in seconds])


def per_second(rates: Sequence[float]) -> str:
    """The median of rates, and the least and the most."""
    return _between(*(f"{value:,.0f}" for value in (min(rates), median(rates), max(rates))))


def in_digits(value: float, digits: int) -> str:
    """So many digits, or all in front of the point; never a power of ten for what is large."""
    return f"{value:.{digits}g}" if round(abs(value)) < 10**digits else f"{value:,.0f}"


def spread(values: Sequence[float]) -> str:
    """The median, and the least and the most, in three digits."""
    return _between(*(in_digits(value, 3) for value in (min(values), median(values), max(values))))


def _between(low: str, mid: str, high: str) -> str:
    return mid if low == high else f"{mid} ({low}..{high})"


def of_peers(distributions: Iterable[str]) -> list[str]:
    """The versions of the peers that are installed."""
    return [f"{name} {metadata.version(name)}" for name in distributions]


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """How often the other's median goes into ours."""
    return median(ours) / median(theirs)


def about_the_run(*others: str, load: float) -> str:
    """When and where it ran, and how busy the machine was already: ``load`` as it was at the beginning."""
    when = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    machine = f"{_processor()}, {os.cpu_count()} cores, {platform.system()}"
    versions = (f"kafka_nextgen {VERSION}", f"Python {platform.python_version()}", *others)
    return f"{when}, on {machine} (load {load:.1f} before it began); {', '.join(versions)}."


def write_section(name: str, body: str, page: Path = PAGE) -> None:
    """Replace the section of the benchmark ``name``."""
    begin, end = f"<!-- figures of {name} -->\n", f"<!-- end of {name} -->\n"
    text = page.read_text()
    if begin not in text or end not in text:
        sys.exit(f"{page} has no place for the figures of {name}: it needs the lines\n{begin}{end}")
    before, rest = text.split(begin)
    page.write_text(f"{before}{begin}\n{body.strip()}\n\n{end}{rest.split(end)[1]}")


def write_page(name: str, text: str, folder: Path = PAGE.parent) -> Path:
    """Write a page of its own; return its file."""
    page = folder / f"{name}.md"
    page.write_text(f"{text.strip()}\n")
    return page


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.MULTILINE) if info.exists() else None
    return found[1] if found else platform.processor() or platform.machine()

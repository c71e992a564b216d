"""In which part of the code work is done, told by the files that a stack goes through.

A sample belongs to the innermost of its functions that lies in one of ``PLACES``: what a part has the standard library
or the kernel do is that part's, but for asyncio, which is one itself. What belongs to none is told as such.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.page import table
from benchmarks.profiling.samples import BUSY, stacks_of, told

__all__ = ["ELSEWHERE", "PLACES", "Places", "place_of", "places_of", "places_table"]

#: Each part, and the files that it is made of: the first that fits counts.
PLACES: Mapping[str, re.Pattern[str]] = {
    "the benchmark's handler": re.compile(r"[/(]benchmarks/"),
    "the application's side: polling, records": re.compile(
        r"kafka_nextgen/(engine/application|consumer|aio)|accelerator/(objects|record_rows|record_fields|awaited|iteration)"
    ),
    "connections": re.compile(r"kafka_nextgen/transport|accelerator/receive"),
    "decoding records": re.compile(
        r"kafka_nextgen/(wire/records|fetching/decoding)|engine/reading/record_decoder|accelerator/"
    ),
    "fetching: positions, sessions, what to ask": re.compile(
        r"kafka_nextgen/(fetching|requests/(fetch|cluster_image)|engine/reading)"
    ),
    "requests to bytes, answers from bytes": re.compile(r"kafka_nextgen/(wire|requests)"),
    "the rest of the engine": re.compile(r"kafka_nextgen/"),
    "asyncio": re.compile(r"/asyncio/"),
}

ELSEWHERE = "elsewhere"

_LOCATED = re.compile(r"^(?P<function>.*) \((?P<file>[^()]*?)(:\d+)?\)$")


#: Samples of work, by part of the code and by its functions.
Places = Mapping[str, Counter[str]]


def places_of(lines: Iterable[str], counted: Sequence[str]) -> Places:
    """Read py-spy's raw format; of the main thread only what was inside one of the functions ``counted``."""
    places: dict[str, Counter[str]] = {}
    for _, stack, count in stacks_of(lines, counted):
        if told(stack) in BUSY:
            part, function = place_of(stack)
            places.setdefault(part, Counter())[function] += count
    return places


def place_of(stack: Sequence[str]) -> tuple[str, str]:
    """The part to which a stack, outermost function first, belongs, and the function of it."""
    for frame in reversed(stack):
        for part, files in PLACES.items():
            if files.search(frame):
                return part, _function_of(frame)
    return ELSEWHERE, _function_of(stack[-1]) if stack else ELSEWHERE


def _function_of(frame: str) -> str:
    """A frame without its line, and with no more of its file's path than tells which one it is."""
    located = _LOCATED.match(frame)
    if located is None:
        return frame
    return f"{located['function']} ({'/'.join(located['file'].split('/')[-2:])})"


def places_table(places: Places) -> str:
    """Each part's share of all work, and the function that has the most of it."""
    work = sum(functions.total() for functions in places.values())
    rows = []
    for part, functions in sorted(places.items(), key=lambda each: -each[1].total()):
        ((function, count),) = functions.most_common(1)
        rows.append((part, f"{functions.total() / work:.0%}", f"{count / work:.1%}", f"`{function}`"))
    return table(("part of the code", "of all work", "the most of it in one function", "which is"), rows)

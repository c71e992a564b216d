"""What a stretch of time brought, without the round trips that brought nothing.

after 5s: ...    what happened then
A heartbeats=9   round trips that told nothing, and were answered that nothing changed
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from kafka_nextgen.scenarios.notation import write_duration

__all__ = ["without_keepalives"]

_KEEPALIVE = re.compile(r"(?P<name>\S+) -> heartbeat epoch=(?P<epoch>\d+)(?: instance=\S+)?")


def without_keepalives(began: float, told: Iterable[tuple[float, list[str]]]) -> Iterator[str]:
    """Write what was told at each time since ``began``, and count the rest."""
    counted: Counter[str] = Counter()
    for time, lines in told:
        news = list(_news(lines, counted))
        if news and time > began:
            yield f"   after {write_duration(round(1000 * (time - began)))}"
        yield from (f"   {line}" for line in news)
    yield from (f"   {name} heartbeats={count}" for name, count in sorted(counted.items()))


def _news(lines: list[str], counted: Counter[str]) -> Iterator[str]:
    answers = {
        index: _answer_to(lines, index, match)
        for index, line in enumerate(lines)
        if (match := _KEEPALIVE.fullmatch(line))
    }
    silent = {index for pair in answers.items() if pair[1] is not None for index in pair}
    counted.update(lines[asked].split()[0] for asked, answered in answers.items() if answered is not None)
    yield from (line for index, line in enumerate(lines) if index not in silent)


def _answer_to(lines: list[str], index: int, keepalive: re.Match[str]) -> int | None:
    """Where the keepalive is answered that nothing changed, if it is, and nothing follows from that."""
    answer = f"-> {keepalive['name']} epoch={keepalive['epoch']} assignment=unchanged"
    found = next((at for at in range(index + 1, len(lines)) if lines[at] == answer), None)
    has_consequences = found is not None and lines[found + 1 : found + 2] and lines[found + 1].startswith("   ")
    return None if has_consequences else found

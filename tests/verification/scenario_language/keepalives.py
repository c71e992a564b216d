"""What a stretch of time brought, without the round trips that brought nothing.

after 5s: ...    what happened then
A heartbeats=9   round trips that told nothing, and were answered that nothing changed
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from tests.verification.scenario_language.notation import write_duration

_HEARTBEAT = re.compile(r"(?P<name>\S+) -> heartbeat (?P<full>full )?epoch=(?P<epoch>\d+)(?P<rest>.*)")
_INSTANCE = re.compile(r"(?: instance=\S+)?")
_OWNS = re.compile(r".* owns=(?P<owns>.*)")


def without_keepalives(began: float, told: Iterable[tuple[float, list[str]]]) -> Iterator[str]:
    """Write what was told at each time since ``began``, and count the rest."""
    counted: Counter[str] = Counter()
    for time, lines in told:
        news = list(_news(lines, counted))
        if news and time > began:
            yield f"   after {write_duration(round(1000 * (time - began)))}"
        yield from (f"   {line}" for line in news)
    for who, count in sorted(counted.items()):
        name, _, full = who.partition(" ")
        yield f"   {name} heartbeats={count} {full}".rstrip()


def _news(lines: list[str], counted: Counter[str]) -> Iterator[str]:
    silent: set[int] = set()
    for index, line in enumerate(lines):
        match = _HEARTBEAT.fullmatch(line)
        answer = _expected_answer(match) if match is not None else None
        answered = _find(lines, answer, index) if answer is not None else None
        if match is not None and answered is not None:
            silent |= {index, answered}
            counted[f"{match['name']} {match['full'] or ''}".strip()] += 1
    yield from (line for index, line in enumerate(lines) if index not in silent)


def _expected_answer(heartbeat: re.Match[str]) -> str | None:
    """The answer that brings nothing new, if the heartbeat brought nothing new either."""
    owns = _OWNS.fullmatch(heartbeat["rest"])
    if heartbeat["full"] and owns is not None:
        return f"-> {heartbeat['name']} epoch={heartbeat['epoch']} assignment={owns['owns']}"
    if _INSTANCE.fullmatch(heartbeat["rest"]):
        return f"-> {heartbeat['name']} epoch={heartbeat['epoch']} assignment=unchanged"
    return None


def _find(lines: list[str], answer: str, after: int) -> int | None:
    found = next((at for at in range(after + 1, len(lines)) if lines[at] == answer), None)
    if found is None or any(line.startswith("   ") for line in lines[found + 1 : found + 2]):
        return None
    return found

"""How a member spent its time: spells in which it was busy, which may lie inside each other."""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.history.members import BUSY

__all__ = ["busy_ms"]


def busy_ms(spells: Iterable[tuple[str, int, int]], began: int, ended: int) -> dict[str, int]:
    """Milliseconds between ``began`` and ``ended`` by what the member was busy with.

    A moment in which several spells overlap counts for the first of ``BUSY`` alone.
    """
    taken: list[tuple[int, int]] = []
    spent: dict[str, int] = {}
    of_each = list(spells)
    for busy in BUSY:
        own = [(max(start, began), min(end, ended)) for what, start, end in of_each if what == busy]
        both = _union([*taken, *((start, end) for start, end in own if start < end)])
        spent[busy] = _length(both) - _length(taken)
        taken = both
    return spent


def _union(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _length(spans: list[tuple[int, int]]) -> int:
    return sum(end - start for start, end in spans)

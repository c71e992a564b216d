"""Facts as columns: what the page carries, small for its many rows.

A group's facts of one kind are an object of columns. A text is a number: its place in the table of texts. Times and
epochs that grow from row to row are differences to the row before, and an end is the time since its beginning; what is
the same in all rows stands there once. ``CODING`` goes along, so that a reader needs to know nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from attrs import fields

from kafka_nextgen.history.facts import FACTS, Fact, LagPoint

__all__ = ["CODING", "Column", "Texts", "columns_of", "thinned"]

Cell: TypeAlias = int | None
Column: TypeAlias = Sequence[Cell] | Cell

_GROWING = frozenset({"began", "at", "first", "epoch", "since"})
_FROM = {"ended": "began", "last": "first", "lag_after": "lag_before"}
#: What stands in other columns already, or is not shown.
_LEFT_OUT = {"lags": frozenset({"committed", "end"})}


def _coding(name: str, kind: type[Fact]) -> dict[str, object]:
    columns = {each.name: str(each.type) for each in fields(kind) if each.name not in _left_out(name)}
    texts = [column for column, type_ in columns.items() if "str" in type_]
    numbers = [column for column in columns if column not in texts]
    return {
        "texts": texts,
        "growing": [column for column in numbers if column in _GROWING],
        "from": {column: _FROM[column] for column in numbers if _FROM.get(column) in numbers},
        "others": [column for column in numbers if column not in _GROWING and _FROM.get(column) not in numbers],
    }


def _left_out(name: str) -> frozenset[str]:
    return _LEFT_OUT.get(name, frozenset()) | {"cluster", "group"}


#: How the cells of each kind are coded: the columns of texts, of differences to the row before, those that count from
#: another column of the row, and those that stand there as they are.
CODING: Mapping[str, Mapping[str, object]] = {name: _coding(name, kind) for name, kind in FACTS.items()}


class Texts:
    """A table of texts; each has one place."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def place(self, text: str | None) -> Cell:
        """The place of this text, which is added if it is new; None for None."""
        return None if text is None else self._places.setdefault(text, len(self._places))

    def all(self) -> list[str]:
        """The texts in order of their places."""
        return list(self._places)


def columns_of(name: str, facts: Sequence[Fact], texts: Texts) -> dict[str, Column]:
    """Facts of one group and of one kind, of this ``name`` in ``FACTS``, as columns."""
    kind = FACTS[name]
    types = {each.name: str(each.type) for each in fields(kind) if each.name not in _left_out(name)}
    return {column: _column(column, "str" in types[column], _FROM.get(column), facts, texts) for column in types}


def _column(name: str, is_text: bool, base: str | None, facts: Sequence[Fact], texts: Texts) -> Column:
    cells: list[Cell]
    values = [getattr(fact, name) for fact in facts]
    if is_text:
        cells = [texts.place(value) for value in values]
    elif base is not None and hasattr(facts[0], base):
        cells = [_difference(value, getattr(fact, base)) for value, fact in zip(values, facts, strict=True)]
    elif name in _GROWING:
        cells = list(_differences(values))
    else:
        cells = [_number(value) for value in values]
    return cells[0] if all(cell == cells[0] for cell in cells) else cells


def _number(value: int | bool | None) -> Cell:
    return None if value is None else int(value)


def _difference(value: int | None, base: int | None) -> Cell:
    return None if value is None else value - (base or 0)


def _differences(values: Iterable[int | None]) -> Iterable[Cell]:
    before = 0
    for value in values:
        if value is None:
            yield None
        else:
            yield value - before
            before = value


def thinned(points: Sequence[LagPoint], most: int) -> list[LagPoint]:
    """At most about ``most`` points: of each partition in each stretch of time, the one with the greatest lag."""
    if len(points) <= most:
        return list(points)
    partitions = len({(point.topic, point.partition) for point in points})
    first, last = min(point.at for point in points), max(point.at for point in points)
    stretch = (last - first) // max(most // partitions, 1) + 1
    kept: dict[tuple[str, int, int], LagPoint] = {}
    for point in points:
        key = (point.topic, point.partition, (point.at - first) // stretch)
        before = kept.get(key)
        if before is None or (point.lag or 0) >= (before.lag or 0):
            kept[key] = point
    return sorted(kept.values(), key=lambda point: point.at)

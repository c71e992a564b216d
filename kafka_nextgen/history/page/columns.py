"""Encode facts as columns, which are smaller than rows.

The facts of one kind of a group are an object of columns. A text is an index into the string table. Times and epochs
are differences from the previous row, and an end is the time since its beginning. A column with the same value in all
rows stores it once. The page contains ``COLUMN_CODING``, so that its reader needs no other description.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import fields

from kafka_nextgen.history.facts import FACTS, Fact, LagPoint

__all__ = ["COLUMN_CODING", "Column", "StringTable", "downsample", "encode_columns"]

Cell: TypeAlias = int | None
Column: TypeAlias = Sequence[Cell] | Cell

_DELTA_CODED = frozenset({"began", "at", "first", "epoch", "since"})
_RELATIVE_TO = {"ended": "began", "last": "first", "lag_after": "lag_before"}
#: Columns that other columns imply, or that are not shown.
_OMITTED = {"lags": frozenset({"committed", "end"})}


def _coding(name: str, kind: type[Fact]) -> dict[str, object]:
    columns = {each.name: str(each.type) for each in fields(kind) if each.name not in _omitted(name)}
    texts = [column for column, type_ in columns.items() if "str" in type_]
    numbers = [column for column in columns if column not in texts]
    return {
        "texts": texts,
        "growing": [column for column in numbers if column in _DELTA_CODED],
        "from": {column: _RELATIVE_TO[column] for column in numbers if _RELATIVE_TO.get(column) in numbers},
        "others": [
            column for column in numbers if column not in _DELTA_CODED and _RELATIVE_TO.get(column) not in numbers
        ],
    }


def _omitted(name: str) -> frozenset[str]:
    return _OMITTED.get(name, frozenset()) | {"cluster", "group"}


#: The coding of each kind of fact: text columns, columns of differences from the previous row, columns relative to
#: another column of the row, and plain columns.
COLUMN_CODING: Mapping[str, Mapping[str, Any]] = {name: _coding(name, kind) for name, kind in FACTS.items()}


class StringTable:
    """Texts by index."""

    def __init__(self) -> None:
        self._indexes: dict[str, int] = {}

    def index(self, text: str | None) -> Cell:
        """Return the index of this text, which is added if it is new; None for None."""
        return None if text is None else self._indexes.setdefault(text, len(self._indexes))

    def all(self) -> list[str]:
        """Return the texts in order of their indexes."""
        return list(self._indexes)


def encode_columns(name: str, facts: Sequence[Fact], texts: StringTable) -> dict[str, Column]:
    """Encode the facts of one group of the kind ``name`` in ``FACTS``."""
    columns = [each.name for each in fields(FACTS[name]) if each.name not in _omitted(name)]
    return {column: _column(column, COLUMN_CODING[name], facts, texts) for column in columns}


def _column(name: str, coding: Mapping[str, Any], facts: Sequence[Fact], texts: StringTable) -> Column:
    cells: list[Cell]
    values = [getattr(fact, name) for fact in facts]
    if name in coding["texts"]:
        cells = [texts.index(value) for value in values]
    elif name in coding["growing"]:
        cells = list(_differences(values))
    else:
        base = coding["from"].get(name)
        bases = [0 if base is None else getattr(fact, base) or 0 for fact in facts]
        cells = [None if value is None else value - before for value, before in zip(values, bases, strict=True)]
    return cells[0] if all(cell == cells[0] for cell in cells) else cells


def _differences(values: Iterable[int | None]) -> Iterable[Cell]:
    before = 0
    for value in values:
        if value is None:
            yield None
        else:
            yield value - before
            before = value


def downsample(points: Sequence[LagPoint], most: int) -> list[LagPoint]:
    """Keep about ``most`` points: the greatest lag of each partition in each interval."""
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

"""Encode facts as columns, which are smaller than rows.

The facts of one kind of a group are an object of columns. A text is an index into the string table. Times and epochs
are differences to the row before, and an end is the time since its beginning. A column with one value for all rows
has it once. The page contains ``COLUMN_CODING``, so that its reader needs no other description.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

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


#: The coding of each kind of fact: text columns, columns of differences to the row before, columns relative to another
#: column of the row, and plain columns.
COLUMN_CODING: Mapping[str, Mapping[str, object]] = {name: _coding(name, kind) for name, kind in FACTS.items()}


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
    kind = FACTS[name]
    types = {each.name: str(each.type) for each in fields(kind) if each.name not in _omitted(name)}
    return {column: _column(column, "str" in types[column], _RELATIVE_TO.get(column), facts, texts) for column in types}


def _column(name: str, is_text: bool, base: str | None, facts: Sequence[Fact], texts: StringTable) -> Column:
    cells: list[Cell]
    values = [getattr(fact, name) for fact in facts]
    if is_text:
        cells = [texts.index(value) for value in values]
    elif base is not None and hasattr(facts[0], base):
        cells = [_difference(value, getattr(fact, base)) for value, fact in zip(values, facts, strict=True)]
    elif name in _DELTA_CODED:
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

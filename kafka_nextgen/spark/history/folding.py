"""Fold each group's ordered events to facts, event by event, so a task's memory does not grow with their number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
from attrs import fields

from kafka_nextgen.history.events import CONTRADICTION, Event, EventKind
from kafka_nextgen.history.facts import FACTS, Fact
from kafka_nextgen.history.folding import fold
from kafka_nextgen.history.ordering import group_marks
from kafka_nextgen.spark.history.schemas import DOUBTS, EVENT_NAMES, FACTS_OF_ALL_KINDS, ROWS, arrow_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["events_of", "fact_batches", "folded", "folded_batches"]

_LARGEST = (1 << 63) - 1

_KINDS: Mapping[str, EventKind] = {kind.value: kind for kind in EventKind}
_FACTS = arrow_schema(FACTS_OF_ALL_KINDS)
_NAMES: Mapping[type[Fact], str] = {of: name for name, of in FACTS.items()}
#: An event, and the DOUBTS of its group.
_Marked: TypeAlias = tuple[Event, tuple[bool, ...]]


def folded(ordered: DataFrame, until: int | None = None) -> DataFrame:
    """Fold events from ``ordering.ordered``, up to ``until`` (ms), to ``schemas.FACTS_OF_ALL_KINDS``, in one pass."""
    return ordered.mapInArrow(partial(folded_batches, until=until), FACTS_OF_ALL_KINDS)


def folded_batches(batches: Iterable[pa.RecordBatch], until: int | None = None) -> Iterator[pa.RecordBatch]:
    """Convert batches of ``schemas.MARKED_EVENTS``, group by group, to batches of facts."""
    return fact_batches(_facts(_marked(batches), until))


def _marked(batches: Iterable[pa.RecordBatch]) -> Iterator[_Marked]:
    for batch in batches:
        doubts = zip(*(batch.column(name).to_pylist() for name in DOUBTS), strict=True)
        yield from zip(events_of(batch), doubts, strict=True)


def _facts(marked: Iterable[_Marked], until: int | None) -> Iterator[Fact]:
    for (cluster, _, doubts), of_group in groupby(marked, key=lambda one: (one[0].cluster, one[0].group, one[1])):
        yield from fold(_each_once(of_group, until), group_marks(cluster, **dict(zip(DOUBTS, doubts, strict=True))))


def _each_once(marked: Iterable[_Marked], until: int | None) -> Iterator[Event]:
    """Return the events up to ``until``; adjacent duplicates become one, after an error event if they differ."""
    for _, of_identity in groupby((event for event, _ in marked), key=attrgetter("source", "seq")):
        first, *duplicates = of_identity
        for event in _error_and_event([first, *duplicates]) if duplicates else (first,):
            if until is None or event.at <= until:
                yield event


def _error_and_event(duplicates: Sequence[Event]) -> list[Event]:
    errors = [event for event in duplicates if event.cause == CONTRADICTION]
    others = [event for event in duplicates if event.cause != CONTRADICTION]
    return errors[:1] + others[:1]


# ---- batches


def events_of(batch: pa.RecordBatch) -> Iterator[Event]:
    """Return the events in the columns of a batch, which may have other columns too."""
    columns: list[Sequence[Any]] = []
    for name in EVENT_NAMES:
        values = batch.column(name).to_pylist()
        if name == "kind":
            values = [_KINDS[value] for value in values]
        elif name == "partitions":
            values = [None if value is None else tuple(value) for value in values]
        columns.append(values)
    return map(Event, *columns)


def fact_batches(facts: Iterable[Fact], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
    """Return facts of all kinds as batches; each batch has facts of one kind."""
    waiting: dict[str, list[Fact]] = {}
    for fact in facts:
        name = _NAMES[type(fact)]
        same = waiting.setdefault(name, [])
        same.append(fact)
        if len(same) >= rows:
            yield _fact_batch(name, waiting.pop(name))
    for name, same in waiting.items():
        yield _fact_batch(name, same)


def _fact_batch(name: str, facts: Sequence[Fact]) -> pa.RecordBatch:
    columns = [pa.nulls(len(facts), field.type) for field in _FACTS]
    columns[0] = pa.array([name] * len(facts), pa.string())
    place = _FACTS.get_field_index(name)
    struct = _FACTS.field(place).type
    children = [
        _array([getattr(fact, each.name) for fact in facts], struct.field(each.name).type)
        for each in fields(FACTS[name])
    ]
    columns[place] = pa.StructArray.from_arrays(children, fields=list(struct))
    return pa.RecordBatch.from_arrays(columns, schema=_FACTS)


def _array(values: Sequence[Any], of: pa.DataType) -> pa.Array:
    """Return an array of values. Sums of impossible times may exceed 64 bits; the nearest number replaces them."""
    try:
        return pa.array(values, of)
    except OverflowError:
        return pa.array([None if value is None else min(max(value, -_LARGEST), _LARGEST) for value in values], of)

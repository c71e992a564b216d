"""Events and facts to Arrow batches and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from operator import attrgetter
from typing import Any

import pyarrow as pa
from attrs import fields

from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.facts import FACTS, Fact
from kafka_nextgen.spark.history.schemas import EVENT_NAMES, EVENTS, FACTS_OF_ALL_KINDS, arrow_schema

__all__ = ["ROWS", "event_columns", "events_of", "fact_batches"]

#: Rows of a batch at most.
ROWS = 4_096
_LONGEST = (1 << 63) - 1

_KINDS: Mapping[str, EventKind] = {kind.value: kind for kind in EventKind}
_EVENT_TYPES = [field.type for field in arrow_schema(EVENTS)]
_EVENT_VALUES = [attrgetter("kind.value" if name == "kind" else name) for name in EVENT_NAMES]
_FACTS = arrow_schema(FACTS_OF_ALL_KINDS)
_NAMES: Mapping[type[Fact], str] = {of: name for name, of in FACTS.items()}


def event_columns(events: Sequence[Event | None]) -> list[pa.Array]:
    """The columns of events; rows of nulls where there is none."""
    there = [event for event in events if event is not None]
    columns = [pa.array(list(map(value, there)), of) for value, of in zip(_EVENT_VALUES, _EVENT_TYPES, strict=True)]
    if len(there) == len(events):
        return columns
    places = count()
    taken = pa.array([None if event is None else next(places) for event in events], pa.int64())
    return [column.take(taken) for column in columns]


def events_of(batch: pa.RecordBatch) -> Iterator[Event]:
    """The events of a batch that has their columns, among others."""
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
    """Facts of all kinds as batches; each batch has facts of one kind."""
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
    """Differences and sums of times that can't be may have more than 64 bits: the nearest number stands for them."""
    try:
        return pa.array(values, of)
    except OverflowError:
        return pa.array([None if value is None else min(max(value, -_LONGEST), _LONGEST) for value in values], of)

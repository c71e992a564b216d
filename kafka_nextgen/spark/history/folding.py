"""Each group's events, in order, to facts: in a streaming way, so a task's memory does not grow with events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from kafka_nextgen.history.events import CONTRADICTION, Event
from kafka_nextgen.history.facts import Fact
from kafka_nextgen.history.folding import fold
from kafka_nextgen.history.ordering import group_marks
from kafka_nextgen.spark.history.batches import events_of, fact_batches
from kafka_nextgen.spark.history.schemas import DOUBTS, FACTS_OF_ALL_KINDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["folded", "folded_batches"]

_Marked: TypeAlias = tuple[Event, tuple[bool, ...]]  # an event, and the DOUBTS of its group


def folded(ordered: DataFrame, until: int | None = None) -> DataFrame:
    """Events from ``ordering.ordered`` to facts of all kinds, as ``schemas.FACTS_OF_ALL_KINDS``, in one pass.

    ``until`` leaves out what happened after it (ms).
    """
    return ordered.mapInArrow(partial(folded_batches, until=until), FACTS_OF_ALL_KINDS)


def folded_batches(batches: Iterable[pa.RecordBatch], until: int | None = None) -> Iterator[pa.RecordBatch]:
    """Batches of ``schemas.MARKED_EVENTS``, group by group, to batches of facts."""
    return fact_batches(_facts(_marked(batches), until))


def _marked(batches: Iterable[pa.RecordBatch]) -> Iterator[_Marked]:
    for batch in batches:
        doubts = zip(*(batch.column(name).to_pylist() for name in DOUBTS), strict=True)
        yield from zip(events_of(batch), doubts, strict=True)


def _facts(marked: Iterable[_Marked], until: int | None) -> Iterator[Fact]:
    for (cluster, _, doubts), of_group in groupby(marked, key=_group):
        yield from fold(_each_once(of_group, until), group_marks(cluster, **dict(zip(DOUBTS, doubts, strict=True))))


def _group(marked: _Marked) -> tuple[str, str, tuple[bool, ...]]:
    event, doubts = marked
    return event.cluster, event.group, doubts


def _each_once(marked: Iterable[_Marked], until: int | None) -> Iterator[Event]:
    """The events up to ``until``; of doubles, which lie side by side, one, behind what tells that they differed."""
    for _, of_identity in groupby((event for event, _ in marked), key=attrgetter("source", "seq")):
        first, *doubles = of_identity
        for event in _different([first, *doubles]) if doubles else (first,):
            if until is None or event.at <= until:
                yield event


def _different(doubles: Sequence[Event]) -> list[Event]:
    told = [event for event in doubles if event.cause == CONTRADICTION]
    return [*told[:1], *[event for event in doubles if event.cause != CONTRADICTION][:1]]

"""Each group's events, in order, to facts: in a streaming way, so a task's memory does not grow with events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import pyarrow as pa

from kafka_nextgen.history.answering import marks_of
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.facts import Fact
from kafka_nextgen.history.folding import fold
from kafka_nextgen.spark.history.batches import events_of, fact_batches
from kafka_nextgen.spark.history.schemas import FACTS_OF_ALL_KINDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["folded", "folded_batches"]


def folded(ordered: DataFrame, until: int | None = None) -> DataFrame:
    """Events from ``ordering.ordered`` to facts of all kinds, as ``schemas.FACTS_OF_ALL_KINDS``, in one pass.

    ``until`` leaves out what happened after it (ms).
    """
    return ordered.mapInArrow(partial(folded_batches, until=until), FACTS_OF_ALL_KINDS)


def folded_batches(batches: Iterable[pa.RecordBatch], until: int | None = None) -> Iterator[pa.RecordBatch]:
    """Batches of ``schemas.MARKED_EVENTS``, group by group, to batches of facts."""
    return fact_batches(_facts(_marked(batches), until))


def _marked(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Event, bool]]:
    for batch in batches:
        yield from zip(events_of(batch), batch.column("disagree").to_pylist(), strict=True)


def _facts(marked: Iterable[tuple[Event, bool]], until: int | None) -> Iterator[Fact]:
    for (cluster, _, disagree), of_group in groupby(marked, key=_group):
        yield from fold(_each_once(of_group, until), marks_of(cluster, clocks_disagree=disagree))


def _group(marked: tuple[Event, bool]) -> tuple[str, str, bool]:
    event, disagree = marked
    return event.cluster, event.group, disagree


def _each_once(marked: Iterable[tuple[Event, bool]], until: int | None) -> Iterator[Event]:
    """The events up to ``until``; of doubles, which lie side by side, the first one."""
    before: tuple[str, int] | None = None
    for event, _ in marked:
        if (event.source, event.seq) != before and (until is None or event.at <= until):
            yield event
        before = (event.source, event.seq)

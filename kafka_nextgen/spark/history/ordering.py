"""The events of each group as ``fold`` takes them: clocks put right, the best source of each fact, in order.

These are the steps of ``kafka_nextgen.history.ordering``, with the same rules (``clock_alignment.py``).
Clocks are compared by few rows: the first time at which each source saw a member come to an epoch. Which source tells
best is found by an aggregate over the three kinds of event that this is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as f
from pyspark.sql.types import BooleanType, LongType, MapType, StringType, StructField, StructType

from kafka_nextgen.history.clock_alignment import OBSERVATION_KINDS, EpochObservation, clock_offsets
from kafka_nextgen.history.events import BEGINS_IN_THE_MIDDLE, MEMBERSHIP_KINDS, EventKind
from kafka_nextgen.history.ordering import SINGLE_SOURCE_KINDS, SOURCES_BY_TRUST, only_members_reported
from kafka_nextgen.spark.history.schemas import EVENT_NAMES, MARKED_EVENTS, arrow_schema

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["aligned", "doubts_of_sights", "ordered", "selected"]

_GROUP = ["cluster", "group"]

_DOUBTS = StructType(
    [
        *(StructField(name, StringType()) for name in _GROUP),
        StructField("offsets", MapType(StringType(), LongType())),
        StructField("members_alone", BooleanType()),
    ]
)
_ARROW_DOUBTS = arrow_schema(_DOUBTS)


def ordered(events: DataFrame) -> DataFrame:
    """Events as ``schemas.MARKED_EVENTS``: all of a group in one task, group by group, and in order."""
    right = aligned(selected(events), events)
    placed = right.select(*MARKED_EVENTS.names, _rank().alias("rank")).repartition(*_GROUP)
    return placed.sortWithinPartitions(*_GROUP, "at", "rank", "source", "seq").select(*MARKED_EVENTS.names)


# ---- clocks, and what makes a group's facts less than certain


def aligned(events: DataFrame, every: DataFrame) -> DataFrame:
    """Events with ``at`` by the clock of their group's reference, and what is to be doubted in the group.

    ``clocks_disagree``: its clocks were put right. ``members_alone``: no other source tells who was in it.
    Both are judged by ``every`` event of these groups.
    """
    found = events.join(f.broadcast(_doubts(every)), _GROUP, "left")
    offset = f.coalesce(f.col("offsets")[f.col("source")], f.lit(0))
    at = f.coalesce(f.try_add(f.col("at"), offset), f.col("at"))  # a time may be as large as there are
    columns = [at.alias(name) if name == "at" else f.col(name) for name in EVENT_NAMES]
    disagree = f.coalesce(f.size("offsets") > 0, f.lit(False))
    alone = f.coalesce(f.col("members_alone"), f.lit(False))
    return found.select(*columns, disagree.alias("clocks_disagree"), alone.alias("members_alone"))


def _doubts(events: DataFrame) -> DataFrame:
    """What to add to the times of each source, and whether members alone tell: of those groups that are doubtful."""
    is_sight = (
        _is_one_of(OBSERVATION_KINDS) & f.col("epoch").isNotNull() & ~f.col("cause").eqNullSafe(BEGINS_IN_THE_MIDDLE)
    )
    sight = [
        f.when(is_sight, column).alias(name) for name, column in (("member", _member()), ("epoch", f.col("epoch")))
    ]
    seen = events.where(_is_one_of(MEMBERSHIP_KINDS)).select(*_GROUP, "source", "kind", *sight, "at")
    first = seen.groupBy(*_GROUP, "source", "kind", "member", "epoch").agg(f.min("at").alias("at"))
    placed = first.repartition(*_GROUP).sortWithinPartitions(*_GROUP)
    return placed.mapInArrow(doubts_of_sights, _DOUBTS)


def doubts_of_sights(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What was first told of a group's members, group by group, to one row for each doubtful group.

    A row without an epoch is no sight. One group's sights are in memory.
    """
    rows = (row for batch in batches for row in batch.to_pylist())
    for (cluster, group), of_group in groupby(rows, key=lambda row: (row["cluster"], row["group"])):
        told = list(of_group)
        offsets = clock_offsets(_sight(row) for row in told if row["epoch"] is not None)
        wrong = [(source, offset) for source, offset in offsets.items() if offset]
        alone = only_members_reported(row["source"] for row in told)
        if wrong or alone:
            columns = [
                pa.array([value], column.type)
                for value, column in zip((cluster, group, wrong, alone), _ARROW_DOUBTS, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=_ARROW_DOUBTS)


def _sight(row: dict[str, Any]) -> EpochObservation:
    return EpochObservation(row["source"], EventKind(row["kind"]), row["member"], row["epoch"], row["at"])


# ---- the best source


def selected(events: DataFrame) -> DataFrame:
    """Events without those of which a better source tells."""
    is_told_by_several = _is_one_of(SINGLE_SOURCE_KINDS) & f.col("epoch").isNotNull()
    about = [*_GROUP, "kind", "told_of", "epoch"]
    told = events.where(is_told_by_several)
    told = told.withColumn("told_of", _member()).withColumn("rank", _rank())
    ranks = told.groupBy(*about).agg(f.min("rank").alias("best"), f.max("rank").alias("worst"))
    one, other = told.alias("one"), ranks.where("worst > best").alias("other")
    is_about = [f.col(f"one.{name}").eqNullSafe(f.col(f"other.{name}")) for name in about]
    best = one.join(other, [*is_about, f.col("one.rank") > f.col("other.best")], "left_anti")
    return events.where(~is_told_by_several).unionByName(best.select(*events.columns))


def _is_one_of(kinds: Iterable[EventKind]) -> Column:
    return f.col("kind").isin(sorted(kind.value for kind in kinds))


def _member() -> Column:
    """The member that an event is about, for what is told of the group as a whole no one."""
    return f.when(f.col("kind") != EventKind.GROUP_EPOCH.value, f.col("member")).alias("member")


def _rank() -> Column:
    """How well an event's source knows what it tells; 0 is the best."""
    word = f.substring_index("source", ":", 1)
    column = f.lit(None).cast("int")
    for number, kind in enumerate(SOURCES_BY_TRUST):
        column = f.when(word == kind.value, f.lit(number)).otherwise(column)
    return column

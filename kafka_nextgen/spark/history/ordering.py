"""Prepare each group's events for ``fold``: align clocks, keep the best source of each fact, and sort.

The rules match ``kafka_nextgen.history.ordering`` and ``clock_alignment.py``. Clocks are compared with few rows: the
first time at which each source saw a member reach an epoch. The best source is found by an aggregate over the three
kinds of events that several sources report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as f

from kafka_nextgen.history.clock_alignment import OBSERVATION_KINDS, EpochObservation, clock_offsets
from kafka_nextgen.history.events import BEGINS_IN_THE_MIDDLE, MEMBERSHIP_KINDS, EventKind
from kafka_nextgen.history.ordering import SINGLE_SOURCE_KINDS, SOURCES_BY_TRUST, only_members_reported
from kafka_nextgen.spark.history.schemas import EVENT_NAMES, GROUP_DOUBTS, MARKED_EVENTS, arrow_schema

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["aligned", "group_doubts", "ordered", "selected"]

_GROUP = ["cluster", "group"]

_DOUBTS = arrow_schema(GROUP_DOUBTS)


def ordered(events: DataFrame) -> DataFrame:
    """Return events as ``schemas.MARKED_EVENTS``, in order, with all events of a group in one task."""
    right = aligned(selected(events), events)
    placed = right.select(*MARKED_EVENTS.names, _rank().alias("rank")).repartition(*_GROUP)
    return placed.sortWithinPartitions(*_GROUP, "at", "rank", "source", "seq").select(*MARKED_EVENTS.names)


# ---- clocks, and doubts about a group's facts


def aligned(events: DataFrame, every: DataFrame) -> DataFrame:
    """Return events with ``at`` by the reference clock of their group, and the doubts about the group.

    ``clocks_disagree``: its clocks were aligned. ``members_alone``: only members report who was in it. Both follow from
    ``every`` event of these groups.
    """
    found = events.join(f.broadcast(_doubts(every)), _GROUP, "left")
    offset = f.coalesce(f.col("offsets")[f.col("source")], f.lit(0))
    at = f.coalesce(f.try_add(f.col("at"), offset), f.col("at"))  # on overflow the time stays unchanged
    columns = [at.alias(name) if name == "at" else f.col(name) for name in EVENT_NAMES]
    disagree = f.coalesce(f.size("offsets") > 0, f.lit(False))
    alone = f.coalesce(f.col("members_alone"), f.lit(False))
    return found.select(*columns, disagree.alias("clocks_disagree"), alone.alias("members_alone"))


def _doubts(events: DataFrame) -> DataFrame:
    """Return, for groups with doubts, the clock offset of each source and whether only members report."""
    is_observation = (
        _is_one_of(OBSERVATION_KINDS) & f.col("epoch").isNotNull() & ~f.col("cause").eqNullSafe(BEGINS_IN_THE_MIDDLE)
    )
    member = f.when(is_observation, _member()).alias("member")
    epoch = f.when(is_observation, f.col("epoch")).alias("epoch")
    seen = events.where(_is_one_of(MEMBERSHIP_KINDS)).select(*_GROUP, "source", "kind", member, epoch, "at")
    first = seen.groupBy(*_GROUP, "source", "kind", "member", "epoch").agg(f.min("at").alias("at"))
    placed = first.repartition(*_GROUP).sortWithinPartitions(*_GROUP)
    return placed.mapInArrow(group_doubts, GROUP_DOUBTS)


def group_doubts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Turn first reports about members, group by group, into one row for each group with doubts.

    Rows without an epoch do not observe an epoch. The reports of one group are kept in memory.
    """
    rows = (row for batch in batches for row in batch.to_pylist())
    for (cluster, group), of_group in groupby(rows, key=lambda row: (row["cluster"], row["group"])):
        reports = list(of_group)
        offsets = clock_offsets(
            EpochObservation(row["source"], EventKind(row["kind"]), row["member"], row["epoch"], row["at"])
            for row in reports
            if row["epoch"] is not None
        )
        wrong = [(source, offset) for source, offset in offsets.items() if offset]
        alone = only_members_reported(row["source"] for row in reports)
        if wrong or alone:
            row = {"cluster": cluster, "group": group, "offsets": wrong, "members_alone": alone}
            yield pa.RecordBatch.from_pylist([row], schema=_DOUBTS)


# ---- the best source


def selected(events: DataFrame) -> DataFrame:
    """Return the events except those that a better source also reports."""
    may_be_repeated = _is_one_of(SINGLE_SOURCE_KINDS) & f.col("epoch").isNotNull()
    fact = [*_GROUP, "kind", "about", "epoch"]
    ranked = events.where(may_be_repeated).withColumn("about", _member()).withColumn("rank", _rank())
    ranks = ranked.groupBy(*fact).agg(f.min("rank").alias("best"), f.max("rank").alias("worst"))
    one, other = ranked.alias("one"), ranks.where("worst > best").alias("other")
    is_same = [f.col(f"one.{name}").eqNullSafe(f.col(f"other.{name}")) for name in fact]
    best = one.join(other, [*is_same, f.col("one.rank") > f.col("other.best")], "left_anti")
    return events.where(~may_be_repeated).unionByName(best.select(*events.columns))


def _is_one_of(kinds: Iterable[EventKind]) -> Column:
    return f.col("kind").isin(sorted(kind.value for kind in kinds))


def _member() -> Column:
    """Return the member that an event is about; null if it is about the group."""
    return f.when(f.col("kind") != EventKind.GROUP_EPOCH.value, f.col("member")).alias("member")


def _rank() -> Column:
    """Return the rank of an event's source; 0 is the most reliable."""
    word = f.substring_index("source", ":", 1)
    column = f.lit(None).cast("int")
    for number, kind in enumerate(SOURCES_BY_TRUST):
        column = f.when(word == kind.value, f.lit(number)).otherwise(column)
    return column

"""Questions about the history of groups, answered as DataFrames: facts of ``kafka_nextgen.history.facts`` or totals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

from pyspark.sql import functions as f

from kafka_nextgen.history.events import FREQUENT_KINDS, EventKind, SourceKind
from kafka_nextgen.history.facts import FACTS
from kafka_nextgen.spark.history.dataset import day_of, folder_of
from kafka_nextgen.spark.history.folding import folded
from kafka_nextgen.spark.history.ordering import aligned, ordered
from kafka_nextgen.spark.history.schemas import DATASET, EVENT_NAMES

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["History", "Moment"]

#: A time: a datetime with a time zone, or milliseconds since the epoch.
Moment: TypeAlias = datetime | int

_FREQUENT = sorted(kind.value for kind in FREQUENT_KINDS)
_GROUP = ["cluster", "group"]
_SIDES = [*_GROUP, "side"]
_LARGEST = (1 << 63) - 1


class History:
    """The history of the groups in a dataset.

    Each question reads all events once; ``persist`` keeps the facts for later questions. A group's events are folded
    in one task, whose memory grows with the group's members and partitions, not with its events.

    Args:
        spark: The session.
        events: The directory of the dataset, or a frame with the columns of ``schemas.EVENTS``. Events of a kind or
            source that this release does not know are ignored.
        groups: Only these groups. Only the directories of these groups and days are read.
        since: Only events from this time on, by their writers' clocks.
        until: Only events before this time, by their writers' clocks.
    """

    def __init__(
        self,
        spark: SparkSession,
        events: str | DataFrame,
        *,
        groups: Sequence[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
    ) -> None:
        found = _dataset(spark, events, groups, since, until) if isinstance(events, str) else events
        if groups is not None:
            found = found.where(f.col("group").isin(list(groups)))
        if since is not None:
            found = found.where(f.col("at") >= milliseconds(since))
        if until is not None:
            found = found.where(f.col("at") < milliseconds(until))
        self._events = found.where(_is_known()).select(*EVENT_NAMES)
        self._facts: DataFrame | None = None

    def facts(self, until: Moment | None = None) -> DataFrame:
        """Facts of all kinds, up to ``until``: ``fact`` names the kind, and the column of that name has the fact."""
        if until is not None:
            return folded(ordered(self._events), milliseconds(until))
        if self._facts is None:
            self._facts = folded(ordered(self._events))
        return self._facts

    def persist(self) -> History:
        """Keep the facts once they are computed; return this history."""
        self._facts = self.facts().persist()
        return self

    def unpersist(self) -> None:
        """Drop kept facts."""
        if self._facts is not None:
            self._facts.unpersist()
            self._facts = None

    # ---- one question for each kind of fact

    def rebalances(self) -> DataFrame:
        """Who began each rebalance and why, how long did it take, and was the assignment balanced and sticky?"""
        return self._of("rebalances")

    def holdups(self) -> DataFrame:
        """Which members delayed rebalances, and in which phase?"""
        return self._of("holdups")

    def standstills(self) -> DataFrame:
        """Which partitions were not read, for how long, and how much did their lag grow?"""
        return self._of("standstills")

    def overlaps(self) -> DataFrame:
        """Did two members own a partition?"""
        return self._of("overlaps")

    def repeats(self) -> DataFrame:
        """Which records were processed twice?"""
        return self._of("repeats")

    def members(self) -> DataFrame:
        """How often did members join and leave, and who was fenced for not polling?"""
        return self._of("members")

    def owners(self, at: Moment | None = None) -> DataFrame:
        """Who owned which partitions at a given time, or at the end?"""
        return self._of("owners", at)

    def tenures(self) -> DataFrame:
        """Who owned which partition from when to when?"""
        return self._of("tenures")

    def lags(self) -> DataFrame:
        """What was the lag of each partition, and when?"""
        return self._of("lags")

    def groups(self) -> DataFrame:
        """What are the totals of each group?"""
        return self._of("groups")

    # ---- more questions

    def at(self, moment: Moment, before_s: float = 60, after_s: float = 60, *, frequent: bool = False) -> DataFrame:
        """What happened around a given time? Returns the events, in order, with aligned clocks.

        Args:
            moment: The time.
            before_s: Seconds before it.
            after_s: Seconds after it.
            frequent: Include commits and lags, which are so frequent that they hide other events.
        """
        middle = milliseconds(moment)
        first, last = middle - round(before_s * 1000), middle + round(after_s * 1000)
        found = aligned(self._events, self._events).where(f.col("at").between(first, last))
        if not frequent:
            found = found.where(~f.col("kind").isin(_FREQUENT))
        once = found.dropDuplicates(["cluster", "group", "source", "seq", "kind", "cause"])
        return once.orderBy("at", "source", "seq")

    def before_and_after(self, moment: Moment, window: timedelta | None = None) -> DataFrame:
        """What is different since a deploy? Returns one row for each group and ``side``, ``before`` or ``after`` the
        moment.

        Args:
            moment: The time of the deploy.
            window: The length of each side, counted from the moment; None for all events.
        """
        at = milliseconds(moment)
        width = None if window is None else window // timedelta(milliseconds=1)
        took = f.col("ended") - f.col("began")
        moved = _with_sides(self.rebalances(), at, width).groupBy(*_SIDES).agg(
            f.count("*").alias("rebalances"),
            f.sum(f.col("ended").isNull().cast("long")).alias("unfinished"),
            f.percentile_approx(took, 0.5).alias("median_ms"),
            f.percentile_approx(took, 0.95).alias("p95_ms"),
            f.max(took).alias("longest_ms"),
            f.sum("moved").alias("moved"),
            f.sum("needless").alias("needless"),
        )  # fmt: skip
        stood = _with_sides(self.standstills(), at, width).groupBy(*_SIDES).agg(
            f.count("*").alias("standstills"),
            _bounded_sum("ms").alias("stood_ms"),
            f.max("ms").alias("longest_standstill_ms"),
        )  # fmt: skip
        counts = ["rebalances", "unfinished", "moved", "needless", "standstills", "stood_ms"]
        return moved.join(stood, _SIDES, "full").fillna(0, counts)

    def flapping(self, times: int = 3) -> DataFrame:
        """Who joined at least ``times`` times?

        A member has a new id each time its process starts. Members with the same instance id therefore count as one,
        and so do members without instance ids that have the same client id and host.
        """
        client = f.concat_ws("@", "client", "host")
        who = f.coalesce("instance", f.when(client != "", client), "member")
        sums = ["joined", "left", "fenced", "poll_timeouts", "errors"]
        found = self.members().groupBy(*_GROUP, who.alias("who")).agg(
            f.count("*").alias("ids"),
            *(f.sum(name).alias(name) for name in sums),
            f.min("first").alias("first"),
            f.max("last").alias("last"),
            f.max("longest_poll_gap_ms").alias("longest_poll_gap_ms"),
        )  # fmt: skip
        return found.where(f.col("joined") >= times)

    def never_settling(self, share: float = 0.5, rebalances: int = 2) -> DataFrame:
        """Which groups spent at least this share of their time in rebalances, and had at least this many?"""
        length = f.greatest(f.col("last") - f.col("first"), f.lit(1))
        unsettled = self.groups().withColumn("unsettled_share", f.col("unsettled_ms") / length)
        return unsettled.where((f.col("unsettled_share") >= share) & (f.col("rebalances") >= rebalances))

    def _of(self, name: str, until: Moment | None = None) -> DataFrame:
        assert name in FACTS
        return self.facts(until).where(f.col("fact") == name).select(f"{name}.*")


def milliseconds(moment: Moment) -> int:
    """Return a time in milliseconds since the epoch. Raises ValueError for a datetime without a time zone."""
    if isinstance(moment, int):
        return moment
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone: give it one, such as tzinfo=timezone.utc")
    return round(moment.timestamp() * 1000)


def _with_sides(facts: DataFrame, moment: int, width: int | None) -> DataFrame:
    began = f.col("began")
    side: Column = f.when(began < moment, "before").otherwise("after")
    found = facts if width is None else facts.where((began >= moment - width) & (began < moment + width))
    return found.withColumn("side", side)


def _bounded_sum(name: str) -> Column:
    """Return the sum, or the largest ``long``: impossible times must not fail the query for all groups."""
    return f.least(f.sum(f.col(name).cast("decimal(38,0)")), f.lit(_LARGEST)).cast("long")


def _is_known() -> Column:
    word = f.substring_index("source", ":", 1)
    return f.col("kind").isin([kind.value for kind in EventKind]) & word.isin([kind.value for kind in SourceKind])


def _dataset(
    spark: SparkSession, path: str, groups: Sequence[str] | None, since: Moment | None, until: Moment | None
) -> DataFrame:
    """The directories of these groups and days."""
    found = spark.read.schema(DATASET).parquet(path)
    if groups is not None:
        found = found.where(f.col("folder").isin([folder_of(group) for group in groups]))
    if since is not None:
        found = found.where(f.col("day") >= day_of(milliseconds(since)))
    return found if until is None else found.where(f.col("day") <= day_of(milliseconds(until)))

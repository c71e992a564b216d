"""What people on call ask, as DataFrames: the facts of ``kafka_nextgen.history.facts``, and sums of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

from pyspark.sql import functions as f

from kafka_nextgen.history.events import FREQUENT_KINDS, EventKind, SourceKind
from kafka_nextgen.history.facts import FACTS
from kafka_nextgen.spark.history import questions
from kafka_nextgen.spark.history.folders import day_of, folder_of
from kafka_nextgen.spark.history.folding import folded
from kafka_nextgen.spark.history.ordering import aligned, ordered
from kafka_nextgen.spark.history.schemas import DATASET, EVENT_NAMES

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["History", "Moment"]

#: A time: with its zone, or as milliseconds since the epoch.
Moment: TypeAlias = datetime | int

_FREQUENT = sorted(kind.value for kind in FREQUENT_KINDS)


class History:
    """The history of the groups in a dataset.

    Each question goes over all events once; ``persist`` keeps the facts for all questions that follow. A group's events
    are folded in one task, whose memory grows with its members and partitions, not with its events.

    Args:
        spark: The session.
        events: The directory of the dataset, or a frame with the columns of ``schemas.EVENTS``. Events of a kind or
            source that this release does not know are left out.
        groups: Only these groups; of a dataset, only their directories are read, and those of these days.
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
        """Facts of all kinds: ``fact`` names the kind, and the column of that name has it. ``until`` ends the story."""
        if until is not None:
            return folded(ordered(self._events), milliseconds(until))
        if self._facts is None:
            self._facts = folded(ordered(self._events))
        return self._facts

    def persist(self) -> History:
        """Keep the facts when they are first asked for; return this history."""
        self._facts = self.facts().persist()
        return self

    def unpersist(self) -> None:
        """Let kept facts go."""
        if self._facts is not None:
            self._facts.unpersist()
            self._facts = None

    # ---- one question for each kind of fact

    def rebalances(self) -> DataFrame:
        """Who began each rebalance, with what reason, how long did it take, was it even and sticky?"""
        return self._of("rebalances")

    def holdups(self) -> DataFrame:
        """Who held rebalances up, and with what?"""
        return self._of("holdups")

    def standstills(self) -> DataFrame:
        """Which partition stood still for how long, and how much did its lag grow?"""
        return self._of("standstills")

    def overlaps(self) -> DataFrame:
        """Did two members own a partition?"""
        return self._of("overlaps")

    def repeats(self) -> DataFrame:
        """What was done twice?"""
        return self._of("repeats")

    def members(self) -> DataFrame:
        """Who came and went how often, and who was put out for not polling?"""
        return self._of("members")

    def owners(self, at: Moment | None = None) -> DataFrame:
        """Who owned what at a time, or at the end?"""
        return self._of("owners", at)

    def tenures(self) -> DataFrame:
        """Who owned which partition from when to when?"""
        return self._of("tenures")

    def lags(self) -> DataFrame:
        """How far behind was each partition, when?"""
        return self._of("lags")

    def groups(self) -> DataFrame:
        """What does each group's history come to?"""
        return self._of("groups")

    # ---- more questions

    def at(self, moment: Moment, before_s: float = 60, after_s: float = 60, *, frequent: bool = False) -> DataFrame:
        """What happened around a time? The events, in order, with their clocks put right.

        Args:
            moment: The time.
            before_s: Seconds before it.
            after_s: Seconds after it.
            frequent: With each commit and lag, which come so often that they hide the others.
        """
        middle = milliseconds(moment)
        first, last = middle - round(before_s * 1000), middle + round(after_s * 1000)
        found = aligned(self._events, self._events).where(f.col("at").between(first, last))
        if not frequent:
            found = found.where(~f.col("kind").isin(_FREQUENT))
        once = found.dropDuplicates(["cluster", "group", "source", "seq", "kind", "cause"])
        return once.orderBy("at", "source", "seq")

    def before_and_after(self, moment: Moment, window: timedelta | None = None) -> DataFrame:
        """What is different since a deploy? Rebalances and standstills of each group, before and after."""
        width = None if window is None else window // timedelta(milliseconds=1)
        return questions.before_and_after(self.rebalances(), self.standstills(), milliseconds(moment), width)

    def flapping(self, times: int = 3) -> DataFrame:
        """Who came at least so often? Members of one instance, or else of one client and host, count as one."""
        return questions.flapping(self.members(), times)

    def never_settling(self, share: float = 0.5, rebalances: int = 2) -> DataFrame:
        """Which groups spent at least this share of their time in rebalances, and had at least so many?"""
        return questions.never_settling(self.groups(), share, rebalances)

    def _of(self, name: str, until: Moment | None = None) -> DataFrame:
        assert name in FACTS
        return self.facts(until).where(f.col("fact") == name).select(f"{name}.*")


def milliseconds(moment: Moment) -> int:
    """A time in milliseconds since the epoch. Raises ValueError for a datetime without its zone."""
    if isinstance(moment, int):
        return moment
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone: give it one, such as tzinfo=timezone.utc")
    return round(moment.timestamp() * 1000)


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

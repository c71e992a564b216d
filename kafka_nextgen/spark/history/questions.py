"""Questions whose answers are sums of facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["before_and_after", "flapping", "never_settling"]

_GROUP = ["cluster", "group"]
_SIDES = [*_GROUP, "side"]


def before_and_after(rebalances: DataFrame, standstills: DataFrame, moment: int, window: int | None) -> DataFrame:
    """One row for each group and ``side`` (``before`` or ``after`` the moment) with anything in it.

    Args:
        rebalances: Facts of that kind.
        standstills: Facts of that kind.
        moment: Milliseconds since the epoch.
        window: Milliseconds of each side, counted from the moment; None for all there is.
    """
    took = f.col("ended") - f.col("began")
    moved = _beside(rebalances, moment, window).groupBy(*_SIDES).agg(
        f.count("*").alias("rebalances"),
        f.sum(f.col("ended").isNull().cast("long")).alias("unfinished"),
        f.percentile_approx(took, 0.5).alias("median_ms"),
        f.percentile_approx(took, 0.95).alias("p95_ms"),
        f.max(took).alias("longest_ms"),
        f.sum("moved").alias("moved"),
        f.sum("needless").alias("needless"),
    )  # fmt: skip
    stood = _beside(standstills, moment, window).groupBy(*_SIDES).agg(
        f.count("*").alias("standstills"),
        _sum("ms").alias("stood_ms"),
        f.max("ms").alias("longest_standstill_ms"),
    )  # fmt: skip
    counts = ["rebalances", "unfinished", "moved", "needless", "standstills", "stood_ms"]
    return moved.join(stood, _SIDES, "full").fillna(0, counts)


def _sum(name: str) -> Column:
    """The sum, or the greatest number there is: times that can't be must not end the query for all groups."""
    return f.least(f.sum(f.col(name).cast("decimal(38,0)")), f.lit((1 << 63) - 1)).cast("long")


def _beside(facts: DataFrame, moment: int, window: int | None) -> DataFrame:
    began = f.col("began")
    side: Column = f.when(began < moment, "before").otherwise("after")
    found = facts if window is None else facts.where((began >= moment - window) & (began < moment + window))
    return found.withColumn("side", side)


def flapping(members: DataFrame, times: int) -> DataFrame:
    """Members that joined at least so often. A member has a new id each time its process starts.

    So members of one instance id count as one, without it those of one client id and host.
    """
    client = f.concat_ws("@", "client", "host")
    who = f.coalesce("instance", f.when(client != "", client), "member")
    sums = ["joined", "left", "fenced", "poll_timeouts", "errors"]
    found = members.groupBy(*_GROUP, who.alias("who")).agg(
        f.count("*").alias("ids"),
        *(f.sum(name).alias(name) for name in sums),
        f.min("first").alias("first"),
        f.max("last").alias("last"),
        f.max("longest_poll_gap_ms").alias("longest_poll_gap_ms"),
    )
    return found.where(f.col("joined") >= times)


def never_settling(groups: DataFrame, share: float, rebalances: int) -> DataFrame:
    """Groups that were unsettled for at least this ``share`` of their time, in at least so many rebalances."""
    length = f.greatest(f.col("last") - f.col("first"), f.lit(1))
    unsettled = groups.withColumn("unsettled_share", f.col("unsettled_ms") / length)
    return unsettled.where((f.col("unsettled_share") >= share) & (f.col("rebalances") >= rebalances))

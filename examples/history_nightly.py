"""A nightly job: bring event logs of consumers into a dataset, and say which groups had a bad day.

spark-submit examples/history_nightly.py --logs /logs/consumers --dataset /data/history --day 2026-11-25

Running it again changes nothing: an event that is there is left out. Give --logs several times for several directories.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone

import click
from local_spark import spark_session
from pyspark.sql import DataFrame, functions

from kafka_nextgen.spark.history import History, ingest

ROWS = 20


def bad_day(history: History, slow_ms: int) -> DataFrame:
    """Return the rebalances that took long, never ended, or let partitions stand still for long; the worst first."""
    took = functions.coalesce(functions.col("ended") - functions.col("began"), functions.lit(2**62))
    is_bad = (took >= slow_ms) | (functions.col("stood_ms") >= slow_ms)
    found = history.rebalances().where(is_bad).withColumn("took_ms", functions.col("ended") - functions.col("began"))
    for member in ("by", "slowest"):
        found = with_name(found, history.members(), member)
    columns = ["cluster", "group", "epoch", "cause", "by", "took_ms", "stood_ms", "slowest", "slowest_ms", "held_by"]
    began = functions.timestamp_millis("began").alias("began")
    return found.orderBy(functions.desc("stood_ms")).select(began, *columns)


def with_name(rebalances: DataFrame, members: DataFrame, member: str) -> DataFrame:
    """Put what people know, the instance's or client's id, in place of the member's id."""
    name = functions.coalesce("instance", "client", "member")
    names = members.select("cluster", "group", functions.col("member").alias(member), name.alias("name"))
    named = rebalances.join(names, ["cluster", "group", member], "left")
    return named.withColumn(member, functions.coalesce("name", member)).drop("name")


def show(title: str, found: DataFrame) -> None:
    """Print a table below its title, or that there is nothing in it."""
    rows = found.limit(ROWS + 1).count()
    click.echo(f"\n{title}: {'none' if not rows else ''}".rstrip())
    if rows:
        found.show(ROWS, truncate=False)


@click.command()
@click.option("--logs", multiple=True, required=True, help="A file or directory of JSON lines, plain or .gz.")
@click.option("--dataset", required=True, help="The directory of the dataset, also s3a://... and the like.")
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), required=True, help="The day (UTC) that is looked at.")
@click.option("--slow-ms", default=10_000, show_default=True, help="A rebalance that takes so long is told.")
def main(logs: Sequence[str], dataset: str, day: datetime, slow_ms: int) -> None:
    """Bring event logs of consumers into a dataset, and say which groups had a bad day."""
    since = day.replace(tzinfo=timezone.utc)
    with spark_session("history") as spark:
        done = ingest(spark, list(logs), dataset, run=f"nightly-{day:%Y-%m-%d}")
        click.echo(f"{done.events:,} events read; refused: {dict(done.refused)}")
        history = History(spark, dataset, since=since, until=since + timedelta(days=1)).persist()
        show(f"Rebalances that took {slow_ms} ms, or let partitions stand still so long", bad_day(history, slow_ms))
        show("Groups that never settle", history.never_settling())
        show("Members that come and go", history.flapping())


if __name__ == "__main__":
    main()

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


def bad_day(history: History, slow_ms: int) -> DataFrame:
    """Return the rebalances that took long, or never ended, the worst first."""
    took = functions.coalesce(functions.col("ended") - functions.col("began"), functions.lit(2**62))
    columns = ["cluster", "group", "epoch", "cause", "by", "stood_ms", "slowest", "slowest_ms", "held_by"]
    began = functions.timestamp_millis("began").alias("began")
    return history.rebalances().where(took >= slow_ms).orderBy(functions.desc("stood_ms")).select(began, *columns)


@click.command()
@click.option("--logs", multiple=True, required=True, help="A file or directory of JSON lines, plain or .gz.")
@click.option("--dataset", required=True, help="The directory of the dataset, also s3a://... and the like.")
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), required=True, help="The day (UTC) that is looked at.")
@click.option("--slow-ms", default=10_000, show_default=True, help="A rebalance that takes longer is told.")
def main(logs: Sequence[str], dataset: str, day: datetime, slow_ms: int) -> None:
    """Bring event logs of consumers into a dataset, and say which groups had a bad day."""
    since = day.replace(tzinfo=timezone.utc)
    with spark_session("history") as spark:
        done = ingest(spark, list(logs), dataset, run=f"nightly-{day:%Y-%m-%d}")
        click.echo(f"{done.events:,} events read; refused: {dict(done.refused)}")
        history = History(spark, dataset, since=since, until=since + timedelta(days=1)).persist()
        bad_day(history, slow_ms).show(20, truncate=False)
        history.never_settling().show(truncate=False)
        history.flapping().show(truncate=False)


if __name__ == "__main__":
    main()

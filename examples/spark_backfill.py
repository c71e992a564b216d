"""Copy days of a topic into Parquet files with Spark, a directory for each day; running it again changes nothing.

python examples/spark_backfill.py --topic orders --since 2026-11-01 --until 2026-11-08 --output /data/orders

Days are those of UTC, by the timestamps of the records. A day that was copied before is replaced, other days are left
alone. So copy only days of which the topic still has all records.

The brokers find the offsets where the days begin and end. Late records lie behind that end. So reading goes on to the
first record that is --lateness hours younger, and what is too young is left out.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import click
from local_spark import spark_session
from pyspark.sql import DataFrame, Observation, SparkSession, functions

#: What is copied. Other columns of the source are not even made.
SCHEMA = "timestamp timestamp, partition int, offset bigint, key binary, value binary"
RECORDS_PER_TASK = 1_000_000


def read_days(
    spark: SparkSession, servers: str, topic: str, since: datetime, until: datetime, lateness: timedelta
) -> DataFrame:
    """Return the records of a topic that are not older than ``since``, and older than ``until``, with their day."""
    records = (
        spark.read.format("kafka_nextgen")
        .schema(SCHEMA)
        .option("kafka.bootstrap.servers", servers)
        .option("subscribe", topic)
        .option("startingTimestamp", milliseconds(since))
        .option("startingOffsetsByTimestampStrategy", "latest")  # a partition may have no records since then
        .option("endingTimestamp", milliseconds(until + lateness))
        .option("maxRecordsPerPartition", RECORDS_PER_TASK)
        .load()
    )
    timestamp = functions.col("timestamp")
    return records.where((timestamp >= since) & (timestamp < until)).withColumn("day", functions.to_date(timestamp))


def replace_days(records: DataFrame, output: str) -> int:
    """Write records to a directory for each day, in place of what was there; return how many."""
    written = Observation()
    records = records.observe(written, functions.count("*").alias("records"))
    writer = records.write.mode("overwrite").option("partitionOverwriteMode", "dynamic")
    writer.partitionBy("day").parquet(output)
    count: int = written.get["records"]
    return count


def milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


DAY = click.DateTime(["%Y-%m-%d"])


@click.command()
@click.option("--bootstrap-servers", default="localhost:9092", show_default=True, help="host:port,...")
@click.option("--topic", default="orders", show_default=True)
@click.option("--since", type=DAY, required=True, help="The first day, in UTC.")
@click.option("--until", type=DAY, required=True, help="The day after the last one.")
@click.option(
    "--lateness", type=click.FloatRange(0), default=24, show_default=True, help="Hours that records are late at most."
)
@click.option("--output", required=True, help="The directory, also s3a://... and the like.")
def main(bootstrap_servers: str, topic: str, since: datetime, until: datetime, lateness: float, output: str) -> None:
    """Copy days of a topic into Parquet files, a directory for each day."""
    if until <= since:
        raise click.UsageError("--until must be after --since: it is the first day that is not copied")
    since, until = since.replace(tzinfo=timezone.utc), until.replace(tzinfo=timezone.utc)
    with spark_session("backfill") as spark:
        records = read_days(spark, bootstrap_servers, topic, since, until, timedelta(hours=lateness))
        count = replace_days(records, output)
    click.echo(f"{count:,} records of {topic} from {since:%Y-%m-%d} until {until:%Y-%m-%d} are in {output}")


if __name__ == "__main__":
    main()

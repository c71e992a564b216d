"""Stream real flights from Kafka into Parquet with Spark, and prove that each record arrived once.

pip install 'kafka-nextgen[spark]'
python examples/spark_flights.py

Java 17 or newer is needed, and no broker: one is embedded. Two streaming queries read the topic, and each shows its
progress in a group. The first archives the records. The second counts the flights of each day and airport. It writes
the counts of a day once it has seen a flight three days later than the day's end (the watermark).

In the end the Parquet files are compared with the topic and with the file the flights are from.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import click
from local_spark import spark_session
from pyspark.sql import DataFrame, Row, SparkSession, functions
from pyspark.sql.streaming import StreamingQuery

from kafka_nextgen import Consumer, GroupAdmin, GroupNotFoundError, TopicPartition
from kafka_nextgen.cli.demonstration.flights import Flight, load_flights
from kafka_nextgen.testing import Cluster

TOPIC, PARTITIONS = "flights", 4
RECORDS_PER_TRIGGER = 15_000
DAYS_LATE = 3
FAULTS_SHOWN = 20
ARCHIVE, DAYS = "archive", "days"  # the names of the queries, their groups and directories
PRODUCE = (sys.executable, "-c", "from kafka_nextgen.cli.main import main; main()", "produce")

#: The columns of a record's value, which is a line of CSV.
COLUMNS = (
    "year int, month int, day int, dep_time int, sched_dep_time int, dep_delay int, arr_time int, sched_arr_time int, "
    "arr_delay int, carrier string, flight int, tailnum string, origin string, dest string, air_time int, "
    "distance int, hour int, minute int, time_hour timestamp"
)


def write_flights(servers: str, flights: Iterable[Flight]) -> None:
    """Write the flights to the topic, with the aircraft as the key."""
    lines = b"".join(b"%b:%b\n" % (flight.tail_number, flight.line) for flight in flights)
    command = [*PRODUCE, TOPIC, "--bootstrap-servers", servers, "--key-separator", ":"]
    subprocess.run(command, input=lines, check=True)


def read_flights(spark: SparkSession, servers: str, group: str) -> DataFrame:
    """Return the flights as a stream: the place of each record, its value as it is, and the columns in it."""
    records = (
        spark.readStream.format("kafka_nextgen")
        .schema("partition int, offset bigint, value binary")  # no other columns are made
        .option("kafka.bootstrap.servers", servers)
        .option("subscribe", TOPIC)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", RECORDS_PER_TRIGGER)
        .option("groupId", group)
        .load()
    )
    line = functions.col("value").cast("string")
    flight = functions.from_csv(line, COLUMNS, {"nullValue": "NA"})
    return records.select("partition", "offset", line.alias("line"), flight.alias("flight"))


def archived(flights: DataFrame) -> DataFrame:
    return flights.select("partition", "offset", "line")


def counted_by_day(flights: DataFrame) -> DataFrame:
    """Count the flights of each day and airport: how many, how many departed, and their minutes of delay."""
    return (
        flights.select("flight.*")
        .withWatermark("time_hour", f"{DAYS_LATE} days")
        .groupBy(functions.window("time_hour", "1 day"), "origin")
        .agg(
            functions.count("*").alias("flights"),
            functions.count("dep_time").alias("departed"),
            functions.sum("dep_delay").alias("minutes_late"),
        )
        .select(functions.to_date("window.start").alias("day"), "origin", "flights", "departed", "minutes_late")
    )


def start(name: str, rows: DataFrame, output: Path) -> StreamingQuery:
    """Write rows to Parquet files, trigger by trigger, until all that is in the topic now was read."""
    return (
        rows.writeStream.queryName(name)
        .format("parquet")
        .option("path", str(output / name))
        .option("checkpointLocation", str(output / "checkpoints" / name))
        .trigger(availableNow=True)
        .start()
    )


def follow(queries: Iterable[StreamingQuery], admin: GroupAdmin, total: int) -> None:
    """Print each batch once it is done; raise what a query failed with."""
    told: Counter[str] = Counter()
    running = list(queries)
    while running:
        running = [query for query in running if query.isActive]
        for query in queries:
            batches = [batch for batch in query.recentProgress if batch.numInputRows]
            for batch in batches[told[query.name] :]:
                at = sum(offsets_of(admin, query.name).values())
                click.echo(
                    f"{query.name}: batch {batch.batchId} of {batch.numInputRows:,} records is written; "
                    f"its group is at {at:,} of {total:,}"
                )
            told[query.name] = len(batches)
        time.sleep(0.2)
    for query in queries:
        query.awaitTermination()


def offsets_of(admin: GroupAdmin, group: str) -> dict[int, int]:
    """Return where a group is in each partition."""
    try:
        offsets = admin.offsets(group)
    except GroupNotFoundError:  # nothing was committed yet
        return {}
    return {tp.partition: place.committed.offset for tp, place in offsets.items() if place.committed}


def end_offsets(servers: str) -> dict[int, int]:
    with Consumer(bootstrap_servers=servers) as consumer:
        ends = consumer.end_offsets([TopicPartition(TOPIC, number) for number in range(PARTITIONS)])
    return {tp.partition: end for tp, end in ends.items()}


def closed_days(flights: Iterable[Flight]) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Count as ``counted_by_day`` does, but in Python and from the file: those days that are over for the watermark."""
    names = [column.split()[0] for column in COLUMNS.split(", ")]
    totals: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for flight in flights:
        row = dict(zip(names, flight.line.decode().split(","), strict=True))
        total = totals[row["time_hour"][:10], row["origin"]]
        total[0] += 1
        total[1] += row["dep_time"] != "NA"
        total[2] += 0 if row["dep_delay"] == "NA" else int(row["dep_delay"])
    last_day = max(day for day, _ in totals)
    open_from = str(date.fromisoformat(last_day) - timedelta(days=DAYS_LATE))
    return {key: (total[0], total[1], total[2]) for key, total in totals.items() if key[0] < open_from}


def differences(what: str, expected: Mapping[Any, object], found: Mapping[Any, object]) -> Iterator[str]:
    """Name everything that is not as expected."""
    for key in sorted(expected.keys() | found.keys()):
        wanted, got = expected.get(key, "nothing"), found.get(key, "nothing")
        if wanted != got:
            yield f"{what} {key}: expected {wanted}, found {got}"


def faults(
    flights: Iterable[Flight],
    ends: Mapping[int, int],
    archive: Iterable[Row],
    days: Iterable[Row],
    groups: Mapping[str, Mapping[int, int]],
) -> Iterator[str]:
    """Compare what was written, and where the groups are, with the ends of the topic's partitions and with the file."""
    flights, archive, days = list(flights), list(archive), list(days)
    places = {(partition, offset): 1 for partition, end in ends.items() for offset in range(end)}
    yield from differences("partition and offset", places, Counter((row.partition, row.offset) for row in archive))
    lines = Counter(flight.line.decode() for flight in flights)
    yield from differences("flight", lines, Counter(row.line for row in archive))
    rows = Counter((str(row.day), row.origin) for row in days)
    yield from differences("rows of", dict.fromkeys(rows, 1), rows)
    counts = {(str(row.day), row.origin): (row.flights, row.departed, row.minutes_late) for row in days}
    yield from differences("counts of", closed_days(flights), counts)
    for group, offsets in groups.items():
        yield from differences(f"group {group} in partition", ends, offsets)


@click.command()
@click.option("--output", type=click.Path(path_type=Path), help="A new directory; by default a temporary one.")
def main(output: Path | None) -> None:
    """Stream flights from an embedded broker into Parquet, and prove that each record arrived once."""
    if output is not None and output.exists() and any(output.iterdir()):
        raise click.UsageError(f"{output} is not empty: the files there would count as well")
    flights = load_flights()
    with Cluster() as cluster, spark_session("flights") as spark:
        output = output or Path(tempfile.mkdtemp(prefix="flights-"))
        servers = cluster.bootstrap_servers
        cluster.create_topic(TOPIC, PARTITIONS)
        write_flights(servers, flights)
        archive = archived(read_flights(spark, servers, ARCHIVE))
        days = counted_by_day(read_flights(spark, servers, DAYS))
        with GroupAdmin(bootstrap_servers=servers) as admin:
            follow([start(ARCHIVE, archive, output), start(DAYS, days, output)], admin, len(flights))
            groups = {group: offsets_of(admin, group) for group in (ARCHIVE, DAYS)}
        rows, counts = (spark.read.parquet(str(output / name)).collect() for name in (ARCHIVE, DAYS))
        found = list(faults(flights, end_offsets(servers), rows, counts, groups))
    if found:
        raise click.ClickException(complaint(found))
    click.echo(
        f"Proved: each of {len(flights):,} records arrived once, both groups are at the end, and {len(counts)} counts "
        f"of a day and airport equal those of the file. The Parquet files are in {output}"
    )


def complaint(found: list[str]) -> str:
    more = [f"and {len(found) - FAULTS_SHOWN:,} more"] if len(found) > FAULTS_SHOWN else []
    return "\n  ".join(["the proof failed:", *found[:FAULTS_SHOWN], *more])


if __name__ == "__main__":
    main()

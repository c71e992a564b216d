"""JSON and Avro values in PySpark: decoded in executors by kafka_nextgen, and by Spark behind its built-in source.

Run as ``python -m benchmarks.spark_values`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. Both ways read the same topic in one session with local[2], in turns, after two rounds that
are not counted, and have to find the same sums. The built-in source has its best tuning as well.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import click
from attrs import frozen
from confluent_kafka import Producer
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.avro.functions import from_avro

from benchmarks.avro_values import SHAPES, encoded
from benchmarks.consuming import fill
from benchmarks.decoding.report import SPELT
from benchmarks.kafka import create_topic, delete_topics, kafka, which_kafka
from benchmarks.page import in_ms, spread, table, write_section
from benchmarks.spark_queries.processor import cpu_s
from benchmarks.spark_queries.report import by_ours, whole_report
from benchmarks.spark_queries.session import open_session
from benchmarks.spark_queries.sources import BUILT_IN, OURS, TUNED, Source, Topic
from benchmarks.turns import turns

PARTITIONS = 4
UNCOUNTED = 2

SCHEMA, MAKE, _ = SHAPES["flat"]
#: The same fields in Spark.
TYPES = {
    "id": "bigint",
    "customer": "string",
    "amount": "double",
    "quantity": "int",
    "paid": "boolean",
    "note": "string",
    "status": "string",
    "at": "timestamp",
    "country": "string",
    "score": "float",
}
FIELDS = {"all fields": tuple(TYPES), "one field": ("id",)}


@frozen
class Timing:
    """A query: seconds, and processor seconds of all processes."""

    query_s: float
    cpu_s: float


def _as_json(value: Mapping[str, Any]) -> bytes:
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(value["at"] // 1_000_000))
    return json.dumps({**value, "at": f"{at}.{value['at'] % 1_000_000:06}Z"}).encode()


#: How values are written, by format.
ENCODE: Mapping[str, Callable[[Mapping[str, Any]], bytes]] = {
    "json": _as_json,
    "avro": lambda value: encoded(SCHEMA, value),
}


@contextmanager
def topic_of(bootstrap_servers: str, form: str, records: int) -> Iterator[Topic]:
    """A topic of such values; its ``value_bytes`` are their mean."""
    name, random = create_topic(bootstrap_servers, PARTITIONS, name=form), Random(1)
    try:
        values = [ENCODE[form](MAKE(random)) for _ in range(min(records, 10_000))]
        producer = Producer({"bootstrap.servers": bootstrap_servers, "linger.ms": 100, "batch.size": 128 * 1024})
        for number in range(records):
            fill.write(producer, name, values[number % len(values)], number % PARTITIONS)
        if left := producer.flush(120):
            raise RuntimeError(f"{left} records were not acknowledged")
        yield Topic(bootstrap_servers, name, PARTITIONS, records, sum(map(len, values)) // len(values))
    finally:
        delete_topics(bootstrap_servers, [name])


def decoded(spark: SparkSession, source: Source, topic: Topic, form: str, fields: Sequence[str]) -> DataFrame:
    """The values as structs, by one of the two ways."""
    reader = spark.read.format(source.format).options(**source.options(topic))
    struct = f"struct<{', '.join(f'{name}: {TYPES[name]}' for name in fields)}>"
    if source is OURS:
        schema = {} if form == "json" else {"valueSchema": json.dumps(SCHEMA)}
        return reader.options(valueFormat=form, **schema).schema(f"value {struct}").load()
    value = f.from_json(f.col("value").cast("string"), struct) if form == "json" else _from_avro()
    return reader.load().select(value.alias("value"))


def _from_avro() -> Any:
    return from_avro(f.col("value"), json.dumps(SCHEMA), {"mode": "FAILFAST"})


def run_query(frame: DataFrame, fields: Sequence[str]) -> tuple[Timing, tuple[object, ...]]:
    """One figure of each field, and how long they took."""
    figures = [f.max(f"value.{name}") if TYPES[name] != "boolean" else f.count(f"value.{name}") for name in fields]
    used, began = cpu_s(), time.perf_counter()
    (row,) = frame.agg(f.count("*"), *figures).collect()
    return Timing(time.perf_counter() - began, cpu_s() - used), tuple(row)


def measure(spark: SparkSession, topic: Topic, form: str, rounds: int) -> str:
    """A table of both queries by each way. Raises RuntimeError if the ways find different values."""
    ways = [(name, source) for name in FIELDS for source in (BUILT_IN, TUNED, OURS)]
    timings: dict[tuple[str, Source], list[Timing]] = {way: [] for way in ways}
    found: dict[str, set[tuple[object, ...]]] = {name: set() for name in FIELDS}
    for name, source in turns(ways, UNCOUNTED + rounds):
        timing, row = run_query(decoded(spark, source, topic, form, FIELDS[name]), FIELDS[name])
        timings[name, source].append(timing)
        found[name].add(row)
    if any(len(rows) != 1 for rows in found.values()):
        raise RuntimeError(f"the ways differ: {found}")
    counted = {way: taken[UNCOUNTED:] for way, taken in timings.items()}
    return f"{SPELT[form]}, values of {topic.value_bytes} bytes:\n\n{_table(counted, form)}"


def _table(timings: Mapping[tuple[str, Source], Sequence[Timing]], form: str) -> str:
    rows = []
    for (name, source), taken in timings.items():
        ours = timings[name, OURS]
        way = f"valueFormat={form}" if source is OURS else f"from_{form}"
        times, cpu = [one.query_s for one in taken], [one.cpu_s for one in taken]
        rows.append(
            (
                f"{name}: {source.name}, {way}",
                in_ms(times),
                by_ours(times, [one.query_s for one in ours]),
                spread(cpu),
                by_ours(cpu, [one.cpu_s for one in ours]),
            )
        )
    return table(("query", "ms", "by ours", "CPU s, with the broker's", "by ours"), rows)


@contextmanager
def _session() -> Iterator[SparkSession]:
    from tests.support.spark_connector import spark_avro_jars, spark_connector_jars

    spark = open_session([*spark_connector_jars(), *spark_avro_jars()])
    try:
        yield spark
    finally:
        spark.stop()


def _parts(spark: SparkSession, bootstrap_servers: str, records: int, rounds: int) -> Iterator[str]:
    for form in ENCODE:
        with topic_of(bootstrap_servers, form, records) as topic:
            yield measure(spark, topic, form, rounds)


@click.command(help=__doc__)
@which_kafka
@click.option("--rounds", default=5, show_default=True)
@click.option("--records", default=500_000, show_default=True)
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(bootstrap_servers: str | None, version: str, rounds: int, records: int, write: bool) -> None:
    load = os.getloadavg()[0]
    with kafka(bootstrap_servers, version) as servers, _session() as spark:
        parts = list(_parts(spark, servers, records, rounds))
    body = whole_report(version, records, PARTITIONS, rounds, parts, load)
    print(body)
    if write:
        write_section("spark_values", body)


if __name__ == "__main__":
    main()

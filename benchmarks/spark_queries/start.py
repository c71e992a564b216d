"""The first query of a new session, in a process of its own: what starting Java, Spark and Python workers takes.

Run as ``python -m benchmarks.spark_queries.start TASK``, a ``StartTask`` as JSON; prints a ``Start`` as JSON.
"""

from __future__ import annotations

import time

from attrs import frozen
from pyspark.sql import SparkSession

from benchmarks.processes import answer, told
from benchmarks.spark_queries.batch import run_query
from benchmarks.spark_queries.processor import cpu_s
from benchmarks.spark_queries.session import open_session
from benchmarks.spark_queries.sources import READY_MADE, SOURCES, Source, Topic

__all__ = ["Start", "StartTask"]


@frozen
class StartTask:
    """Count the records of a topic in a new session, by the source of this name."""

    source: str
    bootstrap_servers: str
    topic: str
    partitions: int
    records: int
    jars: tuple[str, ...]


@frozen
class Start:
    """Seconds: until there is a session; ``load()``, planning and running its first query; and the second one.

    ``cpu_s`` are processor seconds of all.
    """

    session_s: float
    load_s: float
    plan_s: float
    run_s: float
    second_s: float
    cpu_s: float

    @property
    def first_s(self) -> float:
        return self.load_s + self.plan_s + self.run_s


def start(task: StartTask) -> Start:
    began = time.perf_counter()
    source = next(each for each in SOURCES if each.name == task.source)
    spark = open_session(task.jars)
    session_s = time.perf_counter() - began
    if source is READY_MADE:
        from benchmarks.spark_queries.ready_made import ReadyMade

        spark.dataSource.register(ReadyMade)
    topic = Topic(task.bootstrap_servers, task.topic, task.partitions, task.records, 100)
    first = first_query(spark, source, topic)
    second = run_query(spark, source, topic, "count")
    used = cpu_s()
    spark.stop()
    return Start(session_s, *first, second.load_s + second.query_s, used)


def first_query(spark: SparkSession, source: Source, topic: Topic) -> tuple[float, float, float]:
    """Count the records; the seconds of ``load()``, of planning, and of running what was planned."""
    began = time.perf_counter()
    records = spark.read.format(source.format).options(**source.options(topic)).load()
    loaded = time.perf_counter()
    counted = records.groupBy().count()
    counted._jdf.queryExecution().executedPlan()  # noqa: SLF001  (it is kept, and run next)
    planned = time.perf_counter()
    counted.collect()
    return loaded - began, planned - loaded, time.perf_counter() - planned


if __name__ == "__main__":
    answer(start(told(StartTask)))

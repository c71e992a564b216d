"""The first query of a new session, in a process of its own: what starting Java, Spark and Python workers takes.

Run as ``python -m benchmarks.spark_queries.start TASK``, a ``StartTask`` as JSON; prints a ``Start`` as JSON.
"""

from __future__ import annotations

import time

from attrs import frozen

from benchmarks.processes import answer, told
from benchmarks.spark_queries.batch import run_query
from benchmarks.spark_queries.processor import cpu_s
from benchmarks.spark_queries.session import open_session
from benchmarks.spark_queries.sources import KAFKA_SOURCES, Topic

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
    """Seconds: until there is a session, the first query in it, and the second; and processor seconds of all."""

    session_s: float
    first_s: float
    second_s: float
    cpu_s: float


def start(task: StartTask) -> Start:
    began = time.perf_counter()
    source = next(each for each in KAFKA_SOURCES if each.name == task.source)
    spark = open_session(task.jars)
    session_s = time.perf_counter() - began
    topic = Topic(task.bootstrap_servers, task.topic, task.partitions, task.records, 0)
    first, second = (run_query(spark, source, topic, "count") for _ in range(2))
    used = cpu_s()
    spark.stop()
    return Start(session_s, first.load_s + first.query_s, second.load_s + second.query_s, used)


if __name__ == "__main__":
    answer(start(told(StartTask)))

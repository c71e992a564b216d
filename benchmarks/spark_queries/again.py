"""One query again and again, in a process that a sampler looks at with all that it started.

Run as ``python -m benchmarks.spark_queries.again TASK``, an ``Again`` as JSON.
"""

from __future__ import annotations

from attrs import frozen

from benchmarks.processes import told
from benchmarks.spark_queries.batch import run_query
from benchmarks.spark_queries.session import session
from benchmarks.spark_queries.sources import SOURCES, Topic

__all__ = ["Again"]


@frozen
class Again:
    """Run ``query`` so many ``times`` by the source of this name."""

    source: str
    query: str
    times: int
    bootstrap_servers: str
    topic: str
    partitions: int
    records: int
    value_bytes: int


def again(task: Again) -> None:
    source = next(each for each in SOURCES if each.name == task.source)
    topic = Topic(task.bootstrap_servers, task.topic, task.partitions, task.records, task.value_bytes)
    with session() as spark:
        for _ in range(task.times):
            run_query(spark, source, topic, task.query)


if __name__ == "__main__":
    again(told(Again))

"""A job for a cluster, run by spark-submit: a batch query and a stream of a topic, and where executors have code from.

Given another Python, it ends with a batch query by that one, which is to fail. It prints one line of JSON, and imports
nothing but what a cluster has.
"""

from __future__ import annotations

import json
import os
import sys

from pyspark.sql import DataFrame, SparkSession

from kafka_nextgen.spark import register


def totals(rows: DataFrame) -> list[int]:
    """The number of records, and the sum of the numbers that are their values."""
    (row,) = rows.selectExpr("count(*)", "sum(CAST(CAST(value AS STRING) AS INT))").collect()
    return list(row)


def code_of_executors(spark: SparkSession) -> list[str]:
    def look(_: int) -> list[str]:
        import kafka_nextgen

        return [sys.executable, os.path.abspath(kafka_nextgen.__file__)]

    (found,) = spark.sparkContext.parallelize([0], 1).map(look).collect()
    return found


def failure_of(rows: DataFrame) -> str:
    try:
        rows.collect()
    except Exception as error:
        return str(error)
    return "none"


def main(bootstrap_servers: str, topic: str, *other_pythons: str) -> None:
    spark = SparkSession.builder.getOrCreate()
    register(spark)
    options = {"kafka.bootstrap.servers": bootstrap_servers, "subscribe": topic, "startingOffsets": "earliest"}
    batch = totals(spark.read.format("kafka_nextgen").options(**options).load())
    stream = spark.readStream.format("kafka_nextgen").options(**options).load()
    stream.writeStream.format("memory").queryName("rows").trigger(availableNow=True).start().awaitTermination()
    report = {"batch": batch, "stream": totals(spark.table("rows")), "executors": code_of_executors(spark)}
    failures = []
    for python in other_pythons:
        spark.sparkContext.pythonExec = python
        register(spark)
        failures.append(failure_of(spark.read.format("kafka_nextgen").options(**options).load()))
    print(json.dumps({**report, "failures": failures}))


if __name__ == "__main__":
    main(*sys.argv[1:])

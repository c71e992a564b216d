#!/usr/bin/env bash
# Spark 4.3.0 asks a Python data source for its partitions once for each load(), when the first action runs, and uses
# them for every later action on that DataFrame. So a batch source does not see what was added later, and one that
# narrows its partitions by pushed filters gives wrong counts: 2 of 4 rows to the query without a filter.
. "$(dirname "$0")/support/common.sh"
python_with pyspark==4.3.0 "pyarrow==26.0.1" "pandas<3"
export PYSPARK_PYTHON=$PYTHON
python_says "with a filter: 2
the same DataFrame without it: 2
another load(): 4
planned 2 times" <<'PY'
import os
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, EqualTo, InputPartition

PLANS = os.path.join(tempfile.mkdtemp(dir=os.environ.get("WORK")), "plans")


class Reader(DataSourceReader):
    def __init__(self, plans):
        self.plans = plans
        self.wanted = [0, 1]

    def pushFilters(self, filters):
        for each in filters:
            if isinstance(each, EqualTo) and each.attribute == ("part",):
                self.wanted = [each.value]
            else:
                yield each

    def partitions(self):
        with open(self.plans, "a") as file:
            file.write("planned\n")
        return [InputPartition(part) for part in self.wanted]

    def read(self, partition):
        for number in range(2):
            yield partition.value, number


class Source(DataSource):
    @classmethod
    def name(cls):
        return "twoparts"

    def schema(self):
        return "part int, number int"

    def reader(self, schema):
        return Reader(self.options["plans"])


spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.python.filterPushdown.enabled", "true")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
spark.dataSource.register(Source)
frame = spark.read.format("twoparts").option("plans", PLANS).load()
print("with a filter:", frame.where("part = 1").count())
print("the same DataFrame without it:", frame.count())
print("another load():", spark.read.format("twoparts").option("plans", PLANS).load().count())
print("planned", len(open(PLANS).readlines()), "times")
spark.stop()
PY
